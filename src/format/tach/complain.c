/*
 * Warnings about a header or footer that is wrong but does not affect the
 * samples. CPython's reader accepts all of it.
 */
#include <string.h>

#include "core/error.h"
#include "core/spool.h"
#include "format/tach/probe.h"

typedef unsigned long long ull;

static int
is_zero(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] != 0)
			return 0;
	return 1;
}

static void
about_header(struct bob_ctx *ctx, const struct tach_file *f, const uint8_t *p)
{
	const struct tach_layout *layout = &tach_layouts[f->dialect];
	unsigned used = layout->mode != 0 ? TACH_HEADER :
	    layout->compression + 4u;

	if (f->head.compression > TACH_ZSTD)
		err_diag(ctx, BOB_WARN, BOB_E_UNSUPPORTED, layout->compression,
		    "tach: byte %u: compression %lu is not known; read as "
		    "not compressed", layout->compression,
		    (unsigned long)f->head.compression);
	if (layout->python != 0 && p[layout->python + 3] != 0)
		err_diag(ctx, BOB_WARN, BOB_E_CORRUPT, layout->python + 3u,
		    "tach: byte %u: a reserved byte is not zero",
		    layout->python + 3u);
	if (!is_zero(p + used, TACH_HEADER - used))
		err_diag(ctx, BOB_WARN, BOB_E_CORRUPT, used,
		    "tach: byte %u: reserved bytes of the header are not zero",
		    used);
	if ((f->head.mode & 7) > 5)
		err_diag(ctx, BOB_WARN, BOB_E_UNSUPPORTED, layout->mode,
		    "tach: byte %u: profiling mode %lu is not known",
		    layout->mode, (unsigned long)(f->head.mode & 7));
}

static void
about_footer(struct bob_ctx *ctx, const struct tach_file *f, const uint8_t *p)
{
	uint64_t at = f->size - TACH_FOOTER;
	uint64_t size = tach_u64(p + 8, f->is_swapped);

	if (size != f->size)
		err_diag(ctx, BOB_WARN, BOB_E_CORRUPT, at + 8,
		    "tach: byte %llu: the footer says that the file has %llu "
		    "bytes; it has %llu", (ull)at + 8, (ull)size,
		    (ull)f->size);
	if (!is_zero(p + 16, TACH_FOOTER - 16))
		err_diag(ctx, BOB_WARN, BOB_E_CORRUPT, at + 16,
		    "tach: byte %llu: a checksum, which nobody knows how to "
		    "check", (ull)at + 16);
}

int
tach_complain(struct bob_ctx *ctx, const struct tach_file *f)
{
	uint8_t header[TACH_HEADER], footer[TACH_FOOTER];

	if (spool_read(f->spool, 0, header, TACH_HEADER) < 0 ||
	    spool_read(f->spool, f->size - TACH_FOOTER, footer,
	    TACH_FOOTER) < 0)
		return BOB_FATAL;
	about_header(ctx, f, header);
	about_footer(ctx, f, footer);
	return BOB_OK;
}
