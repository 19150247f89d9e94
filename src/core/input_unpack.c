/*
 * The gzip layer: members one after the other, raw bytes in between.
 *
 * State RAW: the window is that of the input below, without a copy. What the
 * reader consumed is consumed below before anything else is done there.
 * State PACKED: the window is a buffer of unpacked bytes, and the input below
 * is inside a member.
 * State JUNK: the bytes that follow are ignored.
 *
 * The buffer bounds what is unpacked at once, so a gzip bomb costs time but no
 * memory.
 */
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "core/input.h"
#include "core/mem.h"

#define WINDOW ((size_t)256 << 10)
#define GZIP_HEADER 10 /* the fixed part of a member's header */
#define LOOK ((size_t)4096) /* enough for the longest header in practice */

enum state { RAW, PACKED, JUNK };

struct unpack {
	struct in in;
	struct in *below;
	enum state state;
	in_segment_fn *begins_segment;
	int tolerant;
	int started;  /* the first bytes were looked at */
	int is_cut;   /* the stream ended inside a member */
	int at_border; /* PACKED: other bytes follow what is unread here */
	int is_done;   /* PACKED: the member's end was reached */
	uint64_t member; /* offset of the current member, for messages */
	z_stream z;
	int has_z;
	uint8_t *buf; /* PACKED: the unpacked window */
	size_t cap_buf;
};

/* zlib's memory comes from where ours comes from. */
static voidpf
z_alloc(voidpf opaque, uInt items, uInt size)
{
	(void)opaque;
	return calloc(items, size);
}

static void
z_free(voidpf opaque, voidpf p)
{
	(void)opaque;
	free(p);
}

static int
is_gzip(const uint8_t *p, size_t n)
{
	/* Deflate is the only method there is; three flag bits are reserved. */
	return n >= GZIP_HEADER && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8 &&
	    (p[3] & 0xe0) == 0;
}

/* RAW: consumes below what the reader has consumed here. */
static void
raw_sync(struct unpack *u)
{
	if (u->state == RAW && u->in.p != NULL)
		in_consume(u->below, u->below->n - u->in.n);
}

static void
raw_show(struct unpack *u)
{
	u->in.p = u->below->p;
	u->in.n = u->below->n;
}

static int
begin_member(struct unpack *u)
{
	int r;

	if (u->has_z) {
		r = inflateReset(&u->z);
	} else {
		u->z.zalloc = z_alloc;
		u->z.zfree = z_free;
		r = inflateInit2(&u->z, 15 + 16);
		u->has_z = r == Z_OK;
	}
	if (r != Z_OK || MEM_TAKE(u->in.ctx, u, buf, WINDOW) < 0)
		return err_nomem(u->in.ctx);
	u->member = u->below->pos;
	u->is_done = 0;
	u->in.stretch++;
	u->state = PACKED;
	u->in.p = u->buf;
	u->in.n = 0;
	return BOB_OK;
}

/* Unpacks as much as fits after the unread bytes. Returns the result of
 * inflate; *progress is 0 if it took and gave no byte. */
static int
inflate_some(struct unpack *u, uint8_t *to, size_t room, int *progress)
{
	struct in *below = u->below;
	size_t give = below->n < (1u << 30) ? below->n : (1u << 30);
	int zr;

	u->z.next_in = below->p;
	u->z.avail_in = (uInt)give;
	u->z.next_out = to;
	u->z.avail_out = (uInt)(room < (1u << 30) ? room : (1u << 30));
	zr = inflate(&u->z, Z_NO_FLUSH);
	*progress = u->z.avail_in != give || u->z.next_out != to;
	u->in.n += (size_t)(u->z.next_out - to);
	in_consume(below, give - u->z.avail_in);
	return zr;
}

/*
 * Called at the end of a member. A member that follows is unpacked into the
 * same window. Raw bytes cannot be joined to the unread ones: at_border is set,
 * and unpack_cross goes on with them.
 */
static int
after_member(struct unpack *u)
{
	const uint8_t *p;
	size_t n;
	int r = in_peek(u->below, GZIP_HEADER, &p, &n);

	if (r == BOB_FATAL || (r == BOB_AGAIN && !is_gzip(p, n)))
		return r;
	if (n == 0)
		return BOB_EOF;
	if (is_gzip(p, n)) {
		u->is_done = 0;
		u->member = u->below->pos;
		return inflateReset(&u->z) == Z_OK ? BOB_OK :
		    err_nomem(u->in.ctx);
	}
	if (!u->tolerant && !u->begins_segment(p, n)) {
		err_diag(u->in.ctx, BOB_WARN, BOB_E_CORRUPT, u->below->pos,
		    "byte %llu: what follows the last gzip member is "
		    "neither gzip nor a segment; ignored",
		    (unsigned long long)u->below->pos);
		u->state = JUNK;
		return BOB_EOF;
	}
	u->at_border = 1;
	return BOB_EOF;
}

static int
member_error(struct unpack *u, int zr)
{
	if (zr == Z_MEM_ERROR)
		return err_nomem(u->in.ctx);
	if (u->tolerant) {
		err_diag(u->in.ctx, BOB_WARN, BOB_E_CORRUPT, u->below->pos,
		    "byte %llu: damaged gzip member (begun at byte %llu)",
		    (unsigned long long)u->below->pos,
		    (unsigned long long)u->member);
		u->at_border = 1;
		return BOB_EOF;
	}
	return err_set(u->in.ctx, BOB_FATAL, BOB_E_CORRUPT, u->below->pos,
	    "byte %llu: damaged gzip member (begun at byte %llu): %s",
	    (unsigned long long)u->below->pos,
	    (unsigned long long)u->member,
	    u->z.msg != NULL ? u->z.msg : "bad data");
}

/* One step of unpacking: BOB_OK when it got further. */
static int
packed_step(struct unpack *u)
{
	const uint8_t *p;
	size_t n;
	uint8_t *end = u->buf + (u->in.p - u->buf) + u->in.n;
	int progress, r, zr;

	if (u->is_done)
		return after_member(u);
	r = in_peek(u->below, 1, &p, &n);
	if (r == BOB_FATAL)
		return r;
	zr = inflate_some(u, end, (size_t)(u->buf + u->cap_buf - end),
	    &progress);
	u->is_done = zr == Z_STREAM_END;
	if (u->is_done)
		return BOB_OK;
	if (zr != Z_OK && zr != Z_BUF_ERROR)
		return member_error(u, zr);
	if (progress)
		return BOB_OK;
	u->is_cut = r == BOB_EOF;
	return r;
}

static int
packed_fill(struct unpack *u, size_t min)
{
	int r;

	while (u->in.n < min) {
		if (u->at_border || u->is_cut || u->state == JUNK)
			return BOB_EOF;
		if (in_make_room(&u->in, &u->buf, &u->cap_buf, min) < 0)
			return BOB_FATAL;
		r = packed_step(u);
		/* The content before the damage is good. The next fill
		 * reports the damage again. */
		if (r != BOB_OK)
			return u->in.n >= min ? BOB_OK : r;
	}
	return BOB_OK;
}

static int
unpack_cross(struct in *in)
{
	struct unpack *u = (struct unpack *)in;

	if (!u->at_border)
		return 0;
	u->at_border = 0;
	in->stretch++;
	in->pos += in->n;
	u->state = RAW;
	raw_show(u);
	return 1;
}

static int
unpack_fill(struct in *in, size_t min)
{
	struct unpack *u = (struct unpack *)in;
	const uint8_t *p;
	size_t n;
	int r;

	raw_sync(u);
	if (!u->started) {
		r = in_peek(u->below, GZIP_HEADER, &p, &n);
		if (r == BOB_FATAL || (r == BOB_AGAIN && (n == 0 ||
		    p[0] == 0x1f)))
			return r;
		u->started = 1;
		if (is_gzip(p, n) && (r = begin_member(u)) < 0)
			return r;
	}
	if (u->state != RAW) {
		r = packed_fill(u, min);
		if (r != BOB_EOF || in->n > 0 || !unpack_cross(in))
			return r;
	}
	r = in_peek(u->below, min, &p, &n);
	raw_show(u);
	return r;
}

/* Returns 1 when the gzip member at p unpacks to the beginning of a segment, 0
 * when not, BOB_AGAIN when there are too few bytes to tell, or FATAL. */
static int
unpacks_to_segment(const struct unpack *u, const uint8_t *p, size_t n)
{
	z_stream z = { .zalloc = z_alloc, .zfree = z_free };
	uint8_t head[IN_SEGMENT_HEAD];
	int zr;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return err_nomem(u->in.ctx);
	z.next_in = p;
	z.avail_in = (uInt)(n < LOOK ? n : LOOK);
	z.next_out = head;
	z.avail_out = sizeof(head);
	zr = inflate(&z, Z_SYNC_FLUSH);
	(void)inflateEnd(&z);
	if (zr == Z_MEM_ERROR)
		return err_nomem(u->in.ctx);
	if (z.avail_out > 0)
		return zr == Z_OK || zr == Z_BUF_ERROR ? BOB_AGAIN : 0;
	return u->begins_segment(head, sizeof(head));
}

/*
 * Called where an event may begin. The bytes 1f 8b 08 could also be an unknown
 * event of 1035 bytes. So it is a member only if its header is valid and its
 * first unpacked bytes begin a segment.
 */
static int
unpack_here(struct in *in)
{
	static const uint8_t magic[3] = { 0x1f, 0x8b, 8 };
	struct unpack *u = (struct unpack *)in;
	const uint8_t *p;
	size_t n;
	int more, is_segment;

	if (u->state != RAW ||
	    memcmp(in->p, magic, in->n < 3 ? in->n : 3) != 0)
		return 0;
	raw_sync(u);
	more = in_peek(u->below, LOOK, &p, &n);
	raw_show(u);
	if (n < GZIP_HEADER)
		return more == BOB_AGAIN ? BOB_AGAIN : 0;
	is_segment = is_gzip(p, n) ? unpacks_to_segment(u, p, n) : 0;
	if (is_segment == BOB_AGAIN && more != BOB_AGAIN)
		is_segment = 0;
	if (is_segment == 1 && begin_member(u) < 0)
		is_segment = BOB_FATAL;
	return is_segment;
}

/* If all bytes were raw so far, the stream is that of the input below. */
static int
unpack_whole(const struct in *in, struct in_whole *ret)
{
	const struct unpack *u = (const struct unpack *)in;

	return u->started && u->state == RAW && in->stretch == 0 &&
	    in_whole(u->below, ret);
}

static uint64_t
unpack_stored(const struct in *in)
{
	const struct unpack *u = (const struct unpack *)in;

	return in_stored(u->below);
}

static void
unpack_close(struct in *in)
{
	struct unpack *u = (struct unpack *)in;

	if (u->has_z)
		(void)inflateEnd(&u->z);
	in_close(u->below);
	MEM_DROP(in->ctx, u, buf);
	free(u);
}

static const struct in_ops unpack_ops = {
	.fill = unpack_fill,
	.unpack_here = unpack_here,
	.cross = unpack_cross,
	.whole = unpack_whole,
	.stored = unpack_stored,
	.close = unpack_close,
};

int
in_open_unpack(struct in *below, in_segment_fn *begins_segment, int tolerant,
    struct in **ret)
{
	struct unpack *u = calloc(1, sizeof(*u));

	if (u == NULL) {
		(void)err_nomem(below->ctx);
		in_close(below);
		return BOB_FAILED;
	}
	u->in.ops = &unpack_ops;
	u->in.ctx = below->ctx;
	u->in.name = below->name;
	u->in.pos = below->pos;
	u->below = below;
	u->begins_segment = begins_segment;
	u->tolerant = tolerant;
	*ret = &u->in;
	return BOB_OK;
}

int
in_unpack_is_cut(const struct in *in)
{
	return in->ops == &unpack_ops && ((const struct unpack *)in)->is_cut;
}
