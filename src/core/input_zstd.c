/*
 * The zstd layer: frames one after the other.
 *
 * When libzstd meets damage, it drops what the same call has decoded before,
 * and does not say where the damage is. So it is fed unit by unit: a frame
 * header, a block header, the content of a block, a checksum. libzstd says how
 * many bytes it wants next. All content before a damaged unit is then out, and
 * the unit is the place of the damage.
 *
 * Invariants:
 * 1. The input below is at the beginning of a unit; libzstd has `fed` bytes of
 *    it. A unit is consumed when libzstd has all of it.
 * 2. A unit is fed only when libzstd holds no decoded bytes back.
 * 3. After damage, the search for the next frame begins at the damaged unit,
 *    because the unit may contain it. The bytes of damaged units are counted.
 *    When they outweigh the file, the search begins after the unit instead, so
 *    that the work stays linear for any input.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <zstd_errors.h>

#include "core/input.h"
#include "core/mem.h"
#include "core/zstdmem.h"

/* Unpacked bytes in front of the reader: a block. Larger ones only leave the
 * cache sooner. */
#define WINDOW ((size_t)ZSTD_BLOCKSIZE_MAX)
#define MAGIC_SIZE 4
#define BLOCK_HEADER 3 /* what libzstd's wishes for a block include */
#define VAIN_FREE ((uint64_t)4 << 20)
#define VAIN_FACTOR 4

enum state {
	BETWEEN, /* between frames */
	INSIDE,  /* in a frame */
	SEARCH,  /* after damage: looking for the next frame (tolerant) */
	AT_GAP,  /* after damage: at the next frame */
	DAMAGED, /* after damage: the end */
	AT_END
};

struct unzstd {
	struct in in;
	struct in *below;
	ZSTD_DCtx *zstd;
	int tolerant;
	enum state state;
	int has_frame; /* one was seen */
	uint64_t size; /* content size in the frame's header */
	uint64_t held; /* content decoded of the frame */
	size_t unit;   /* size of the current unit */
	size_t fed;    /* bytes of it that libzstd has */
	int is_full;   /* the window is full: libzstd may hold more */
	uint64_t vain; /* bytes of damaged units */
	/* The damage; code is BOB_E_NONE if there is none. */
	int code;
	const char *why;
	uint64_t gap, gap_end;
	uint8_t *buf;
	size_t cap_buf;
	int is_lent; /* buf is borrowed (in_zstd_into) */
};

static const uint8_t magic[MAGIC_SIZE] = { 0x28, 0xb5, 0x2f, 0xfd };

/* True when the first n bytes are those of a frame's magic. */
static int
is_frame(const uint8_t *p, size_t n)
{
	/* Skippable frames have 16 magics. */
	static const uint8_t skippable[] = { 0x50, 0x2a, 0x4d, 0x18 };

	if (n > MAGIC_SIZE)
		n = MAGIC_SIZE;
	return n > 0 && (memcmp(p, magic, n) == 0 ||
	    ((p[0] & 0xf0) == skippable[0] &&
	    memcmp(p + 1, skippable + 1, n - 1) == 0));
}

/* --- damage ------------------------------------------------------------- */

/* Returns the size of the next unit from the number of bytes that libzstd wants
 * (wish). The wish for a block includes the header of the block after it. */
static size_t
unit_of(size_t wish)
{
	if (wish > BLOCK_HEADER)
		wish -= BLOCK_HEADER;
	return wish < ZSTD_BLOCKSIZE_MAX ? wish : ZSTD_BLOCKSIZE_MAX;
}

static int
report_damage(const struct unzstd *z)
{
	if (z->code == BOB_E_NOMEM)
		return err_nomem(z->in.ctx);
	return err_set(z->in.ctx, BOB_FATAL, z->code, z->gap,
	    "zstd: byte %llu: %s", (unsigned long long)z->gap, z->why);
}

/* Records damage in the current unit. BOB_OK if tolerant, else FATAL. */
static int
unit_damage(struct unzstd *z, int code, const char *why)
{
	struct in *below = z->below;
	size_t unit = z->unit < below->n ? z->unit : below->n;

	z->code = code;
	z->why = why;
	z->gap = z->gap_end = below->pos;
	if (!z->tolerant) {
		if (code == BOB_E_TRUNCATED)
			z->gap += below->n;
		z->state = DAMAGED;
		return report_damage(z);
	}
	z->vain += unit;
	if (z->vain > VAIN_FREE + VAIN_FACTOR * below->pos)
		in_consume(below, unit);
	z->state = SEARCH;
	return BOB_OK;
}

static int
zstd_damage(struct unzstd *z, size_t zr)
{
	switch (ZSTD_getErrorCode(zr)) {
	case ZSTD_error_memory_allocation:
		z->state = DAMAGED;
		z->code = BOB_E_NOMEM;
		return report_damage(z);
	case ZSTD_error_frameParameter_windowTooLarge:
		return unit_damage(z, BOB_E_LIMIT,
		    "the frame needs a window of more than 128 MiB");
	default:
		return unit_damage(z, BOB_E_CORRUPT, ZSTD_getErrorName(zr));
	}
}

/* Looks for the magic of a frame. BOB_OK when the search is over. */
static int
search_frame(struct unzstd *z)
{
	for (;;) {
		const uint8_t *p, *at;
		size_t n;
		int r = in_peek(z->below, MAGIC_SIZE, &p, &n);

		if (r == BOB_FATAL || r == BOB_AGAIN)
			return r;
		at = n < MAGIC_SIZE ? NULL :
		    memchr(p, magic[0], n - MAGIC_SIZE + 1);
		if (r == BOB_EOF && at == NULL) {
			in_consume(z->below, n);
			z->state = DAMAGED;
			break;
		}
		in_consume(z->below, at != NULL ? (size_t)(at - p) :
		    n - MAGIC_SIZE + 1);
		if (at == NULL)
			continue;
		if (memcmp(at, magic, MAGIC_SIZE) == 0) {
			z->state = AT_GAP;
			break;
		}
		in_consume(z->below, 1);
	}
	z->gap_end = z->below->pos;
	return BOB_OK;
}

/* --- the size in a frame's header ----------------------------------------- */

/* Bytes of a frame's header, of which the first five are at p. */
static size_t
header_size(const uint8_t *p)
{
	static const uint8_t of_dictionary[] = { 0, 1, 2, 4 };
	unsigned flags = p[4], size = flags >> 6, is_single = flags >> 5 & 1;

	return 5 + !is_single + of_dictionary[flags & 3] +
	    (size > 0 ? (size_t)1 << size : is_single);
}

/* Reads the content size from the frame's header, because libzstd does not
 * compare it if the last block is empty. BOB_OK, AGAIN or FATAL. */
static int
note_size(struct unzstd *z)
{
	const uint8_t *p;
	size_t n;
	int r = in_peek(z->below, MAGIC_SIZE + 1, &p, &n);

	z->held = 0;
	z->size = ZSTD_CONTENTSIZE_UNKNOWN;
	if (r == BOB_OK && memcmp(p, magic, MAGIC_SIZE) != 0)
		return BOB_OK;
	if (r == BOB_OK)
		r = in_peek(z->below, header_size(p), &p, &n);
	if (r == BOB_OK)
		z->size = ZSTD_getFrameContentSize(p, n);
	/* libzstd reports a header that is cut or wrong. */
	if (z->size == ZSTD_CONTENTSIZE_ERROR)
		z->size = ZSTD_CONTENTSIZE_UNKNOWN;
	return r == BOB_EOF ? BOB_OK : r;
}

/* --- frames ------------------------------------------------------------- */

static int
begin_frame(struct unzstd *z)
{
	const uint8_t *p;
	size_t n;
	int r = in_peek(z->below, MAGIC_SIZE, &p, &n);

	if (r == BOB_FATAL || r == BOB_AGAIN)
		return r;
	z->unit = MAGIC_SIZE;
	z->fed = 0;
	z->is_full = 0;
	if (n == 0 && (z->has_frame || z->tolerant)) {
		z->state = AT_END;
		/* A thread that is ahead has the time for it. */
		(void)ZSTD_freeDCtx(z->zstd);
		z->zstd = NULL;
		return BOB_OK;
	}
	if (!is_frame(p, n))
		return unit_damage(z, BOB_E_CORRUPT, z->has_frame ?
		    "what follows the last frame is no zstd" :
		    "no zstd frame begins here");
	r = note_size(z);
	if (r != BOB_OK)
		return r;
	z->has_frame = 1;
	z->state = INSIDE;
	return BOB_OK;
}

/* Feeds the first `have` bytes of the unit and takes what libzstd decodes. */
static int
decode_part(struct unzstd *z, size_t have)
{
	uint8_t *end = z->buf + (z->in.p - z->buf) + z->in.n;
	ZSTD_outBuffer to = { .dst = end,
		.size = (size_t)(z->buf + z->cap_buf - end) };
	ZSTD_inBuffer from = { .src = z->below->p, .size = have,
		.pos = z->fed };
	size_t wish = ZSTD_decompressStream(z->zstd, &to, &from);
	int was_full = z->is_full;

	assert(z->fed <= have && have <= z->below->n);
	if (ZSTD_isError(wish))
		return zstd_damage(z, wish);
	z->in.n += to.pos;
	z->held += to.pos;
	z->is_full = to.pos == to.size;
	if (from.pos == z->fed && to.pos == 0 && !was_full)
		return unit_damage(z, BOB_E_TRUNCATED,
		    "the data ends inside a frame");
	z->fed = from.pos;
	if (wish != 0 && z->fed < z->unit)
		return BOB_OK;
	in_consume(z->below, z->fed);
	z->fed = 0;
	z->unit = unit_of(wish);
	if (wish != 0)
		return BOB_OK;
	z->state = BETWEEN;
	if (z->size == ZSTD_CONTENTSIZE_UNKNOWN || z->size == z->held)
		return BOB_OK;
	return unit_damage(z, BOB_E_CORRUPT,
	    "the frame before it does not hold what its header says");
}

static int
decode_unit(struct unzstd *z)
{
	const uint8_t *p;
	size_t n;
	int r;

	if (z->is_full)
		return decode_part(z, z->fed);
	r = in_peek(z->below, z->unit, &p, &n);
	if (r == BOB_FATAL || r == BOB_AGAIN)
		return r;
	return decode_part(z, n < z->unit ? n : z->unit);
}

/* Moves the unread bytes to the front of the window if they are few: libzstd
 * can then unpack more at once. */
static int
window_make_room(struct unzstd *z, size_t min)
{
	if (z->in.n < (size_t)(z->in.p - z->buf) / 8) {
		memcpy(z->buf, z->in.p, z->in.n);
		z->in.p = z->buf;
	}
	return in_make_room(&z->in, &z->buf, &z->cap_buf, min);
}

static int
unzstd_fill(struct in *in, size_t min)
{
	struct unzstd *z = (struct unzstd *)in;
	int r = BOB_OK;

	while (in->n < min && r == BOB_OK) {
		if (window_make_room(z, min) < 0)
			return BOB_FATAL;
		switch (z->state) {
		case BETWEEN:
			r = begin_frame(z);
			break;
		case INSIDE:
			r = decode_unit(z);
			break;
		case SEARCH:
			r = search_frame(z);
			break;
		case AT_GAP:
		case AT_END:
			r = BOB_EOF;
			break;
		case DAMAGED:
			r = z->tolerant && z->code != BOB_E_NOMEM ?
			    BOB_EOF : report_damage(z);
			break;
		}
	}
	return in->n >= min ? BOB_OK : r;
}

static int
unzstd_cross(struct in *in)
{
	struct unzstd *z = (struct unzstd *)in;

	if (z->state != AT_GAP)
		return 0;
	in_consume(in, in->n);
	in->stretch++;
	(void)ZSTD_DCtx_reset(z->zstd, ZSTD_reset_session_only);
	z->state = BETWEEN;
	z->code = BOB_E_NONE;
	return 1;
}

static uint64_t
unzstd_gap(const struct in *in, uint64_t *len, const char **why)
{
	const struct unzstd *z = (const struct unzstd *)in;

	if (z->code == BOB_E_NONE)
		return BOB_NO_OFFSET;
	*len = z->gap_end - z->gap;
	*why = z->why;
	return z->gap;
}

static uint64_t
unzstd_stored(const struct in *in)
{
	return in_stored(((const struct unzstd *)in)->below);
}

static void
unzstd_close(struct in *in)
{
	struct unzstd *z = (struct unzstd *)in;

	(void)ZSTD_freeDCtx(z->zstd);
	in_close(z->below);
	if (!z->is_lent)
		MEM_DROP(in->ctx, z, buf);
	free(z);
}

static const struct in_ops unzstd_ops = {
	.fill = unzstd_fill,
	.cross = unzstd_cross,
	.gap = unzstd_gap,
	.stored = unzstd_stored,
	.close = unzstd_close,
};

int
in_open_zstd(struct in *below, int tolerant, struct in **ret)
{
	struct unzstd *z = calloc(1, sizeof(*z));

	if (z == NULL) {
		(void)err_nomem(below->ctx);
		in_close(below);
		return BOB_FAILED;
	}
	z->in.ops = &unzstd_ops;
	z->in.ctx = below->ctx;
	z->in.name = below->name;
	z->below = below;
	z->tolerant = tolerant;
	z->zstd = zstd_decoder_new(below->ctx->budget);
	if (z->zstd == NULL || MEM_TAKE(below->ctx, z, buf, WINDOW) < 0) {
		(void)err_nomem(below->ctx);
		unzstd_close(&z->in);
		return BOB_FAILED;
	}
	z->in.p = z->buf;
	*ret = &z->in;
	return BOB_OK;
}

void
in_zstd_into(struct in *in, uint8_t *buf, size_t size)
{
	struct unzstd *z = (struct unzstd *)in;

	assert(in->n == 0);
	if (!z->is_lent)
		MEM_DROP(in->ctx, z, buf);
	z->is_lent = 1;
	z->buf = buf;
	z->cap_buf = size;
	in->p = buf;
}
