/*
 * `html`: a page of one file with the front end of `bobbin view`, its engine,
 * and the trace. The page asks the engine (web/engine), so it has all views and
 * the same figures, without a server.
 *
 *     write.c  the sink
 *     carry.c  the trace in a temporary file, in the format that pages carry
 *     thin.c   the same with fewer bytes
 *     put.c    packing, base64, and what the page says about itself
 *
 * The template is made by the build (scripts/embed-page.py) if it has the
 * compiler for the engine; without it, opening the sink says so (none.c).
 */
#ifndef FORMAT_PAGE_H
#define FORMAT_PAGE_H

#include "core/asset.h"
#include "core/text.h"
#include "format/format.h"

/* The format that pages carry; the engine reads no other. */
#define PAGE_CARRIES "rbt"

extern const struct format html_format;

/* The template. Its only part is empty in a build without the engine. */
extern const struct asset_part page_asset[];

/* carry.c: a trace on its way to a temporary file. All zeros: none. */
struct carry {
	struct sink sink; /* of PAGE_CARRIES, into sink.out */
};

/* Opens it; events with ids of `dict` may follow. These return BOB_OK or FATAL;
 * carry_done in every case. */
int carry_open(struct carry *c, struct bob_ctx *ctx,
    const struct bob_dict *dict);
int carry_end(struct carry *c);
void carry_done(struct carry *c);

/* As bin_us: equal samples are joined without regard to their times, which are
 * dropped. */
#define PAGE_NO_TIMES UINT64_MAX

/* thin.c: writes the trace in a temporary file to `to`, with equal samples of
 * bin_us joined; its ids are put into `dict`. BOB_OK or FATAL. */
int page_thin(struct out *trace, struct bob_dict *dict, uint64_t bin_us,
    struct carry *to);

/* put.c: the trace packed, in a temporary file. BOB_OK and *ret, or FATAL. */
int page_pack(struct out *trace, struct out **ret);

/* The bytes of a temporary file as base64. */
int page_put_base64(struct text *t, struct out *packed);

#endif
