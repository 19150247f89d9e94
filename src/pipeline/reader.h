/*
 * The state of a reader: an input, the format found for it, its source, and
 * over the source the order by time and the filter.
 */
#ifndef PIPELINE_READER_H
#define PIPELINE_READER_H

#include <bobbin/read.h>

#include "format/format.h"
#include "pipeline/filter.h"
#include "pipeline/order.h"

struct bob_reader {
	struct bob_ctx *ctx;
	char *name;
	int is_path; /* `name` is a path that can be opened */
	struct in *in;
	const struct format *format; /* NULL: not known yet */
	const struct bob_format_info *fallback;
	struct source source;
	struct bob_dict *dict;
	int owns_dict;
	struct order *order;   /* NULL: that of the file */
	struct filter *filter; /* NULL: none */
	struct bob_run *run;   /* room for filtered runs */
	size_t cap_run;
	uint32_t n_frame; /* frames whose names are counted */
	uint64_t n_counted, name_bytes; /* how many, and their names' bytes */
};

/* Makes a reader of `in`, which it owns from then on, also on failure. When no
 * format recognises the bytes, the suffix of `name` decides. is_path: `name` is
 * a path, beside which side files may be. */
int reader_new(struct bob_ctx *ctx, struct in *in, const char *name,
    const struct bob_read_opts *opts, int is_path, struct bob_reader **ret);

/* Opens a path ("-" is standard input) for reading. */
int reader_open_path(struct bob_ctx *ctx, const char *path, int *ret_fd);

/* The input that errors name while this reader is at work (ctx_read). */
static inline struct ctx_input
reader_input(const struct bob_reader *rd)
{
	return (struct ctx_input){ rd->name, rd->is_path };
}

#endif
