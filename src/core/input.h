/*
 * Input: peek n, consume n. Whatever stands behind it (a file, a pipe, memory,
 * gzip members, zstd frames), a reader sees one contiguous window of unread
 * bytes that it may ask to be longer.
 *
 * Invariants:
 * 1. p[0..n) are unread bytes at stream offset `pos`; consuming moves all
 *    three together, so the fast path of peek and consume never calls out.
 * 2. A fill may move the window: pointers from before are gone.
 * 3. Nothing is consumed behind the reader's back. After AGAIN everything
 *    that was unread still is.
 */
#ifndef CORE_INPUT_H
#define CORE_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/read.h>

#include "core/error.h"

struct in;

/* Bytes [0, size) of a stream, all at hand: in memory, or in a regular file
 * where the stream's offsets are the file's. Borrowed from the input. */
struct in_whole {
	const uint8_t *p; /* NULL: in the file */
	int fd;
	uint64_t size;
};

struct in_ops {
	/*
	 * Makes in->n at least `min`. BOB_OK; BOB_EOF or BOB_AGAIN when there
	 * are no more bytes (in->n is then as large as it gets); FATAL.
	 */
	int (*fill)(struct in *in, size_t min);
	/* At a place where a packed member may begin: 1 when one does and
	 * in->p now gives its content; 0 when not; BOB_AGAIN when there are
	 * too few bytes yet to tell; FATAL. NULL: never. */
	int (*unpack_here)(struct in *in);
	/* At EOF with unread bytes: 1 when more follows that cannot be joined
	 * to them (a gzip member ended there). The unread bytes are dropped
	 * and in->p gives what follows. NULL: never. */
	int (*cross)(struct in *in);
	/* After EOF: the offset where damage in what is packed begins, or
	 * BOB_NO_OFFSET when there is none. *len bytes are passed over by
	 * `cross`, or up to the end when it finds nothing; *why is a piece of
	 * a sentence that lives as long as the program. NULL: none. */
	uint64_t (*gap)(const struct in *in, uint64_t *len, const char **why);
	/* 1 when all bytes are at hand, 0 when not. May be asked once a fill
	 * has returned anything but AGAIN. NULL: never. */
	int (*whole)(const struct in *in, struct in_whole *ret);
	uint64_t (*stored)(const struct in *in); /* bytes taken from outside */
	void (*close)(struct in *in);
};

struct in {
	const struct in_ops *ops;
	struct bob_ctx *ctx;
	const char *name; /* what messages call it */
	const uint8_t *p;
	size_t n;
	uint64_t pos;
	/* Goes up where one stretch of the stream ends and another begins
	 * (a packed member, raw bytes): an EOF from before is none now. */
	unsigned stretch;
};

/*
 * At least `min` unread bytes at *p, *n of them. On EOF and AGAIN, *p and *n
 * give what there is.
 */
static inline int
in_peek(struct in *in, size_t min, const uint8_t **p, size_t *n)
{
	int r = in->n >= min ? BOB_OK : in->ops->fill(in, min);

	*p = in->p;
	*n = in->n;
	return r;
}

static inline void
in_consume(struct in *in, size_t n)
{
	in->p += n;
	in->n -= n;
	in->pos += n;
}

static inline int
in_unpack_here(struct in *in)
{
	return in->ops->unpack_here == NULL ? 0 : in->ops->unpack_here(in);
}

static inline int
in_cross(struct in *in)
{
	return in->ops->cross != NULL && in->ops->cross(in);
}

static inline uint64_t
in_gap(const struct in *in, uint64_t *len, const char **why)
{
	return in->ops->gap == NULL ? BOB_NO_OFFSET :
	    in->ops->gap(in, len, why);
}

static inline int
in_whole(const struct in *in, struct in_whole *ret)
{
	return in->ops->whole != NULL && in->ops->whole(in, ret);
}

static inline uint64_t
in_stored(const struct in *in)
{
	return in->ops->stored != NULL ? in->ops->stored(in) : in->pos + in->n;
}

static inline void
in_close(struct in *in)
{
	if (in != NULL)
		in->ops->close(in);
}

/* For layers that keep their window in a buffer: room for `min` unread bytes
 * and at least one more. BOB_OK or FATAL. */
int in_make_room(struct in *in, uint8_t **buf, size_t *cap, size_t min);

/*
 * Sources. Each returns BOB_OK and *ret, or FAILED. `follow`: the end of the
 * bytes is AGAIN instead of EOF. `name` must outlive the input.
 */

/* An open descriptor, from where it stands; closed with it when owned. */
int in_open_fd(struct bob_ctx *ctx, int fd, int owned, int follow,
    const char *name, struct in **ret);

/* Bytes [start, end) of a regular file by pread, for parallel decoding; the
 * descriptor is borrowed. Offsets are those of the file. */
int in_open_range(struct bob_ctx *ctx, int fd, uint64_t start, uint64_t end,
    const char *name, struct in **ret);

/* The same, but a file that ends before `end` is an error (TRUNCATED) and no
 * EOF: somebody made it shorter meanwhile. */
int in_open_exact_range(struct bob_ctx *ctx, int fd, uint64_t start,
    uint64_t end, const char *name, struct in **ret);

/* The first `end` bytes of one file, then all of another; both descriptors
 * are closed with it, also on failure. */
int in_open_chain(struct bob_ctx *ctx, int fd, uint64_t end, int then_fd,
    const char *name, struct in **ret);

int in_open_fn(struct bob_ctx *ctx, bob_read_fn *fn, void *user,
    const char *name, struct in **ret);
int in_open_memory(struct bob_ctx *ctx, const void *p, size_t n,
    const char *name, struct in **ret);

/* Bytes [start, end) of those at p; offsets are those in p. */
int in_open_memory_range(struct bob_ctx *ctx, const uint8_t *p,
    uint64_t start, uint64_t end, const char *name, struct in **ret);

/*
 * gzip layer over `below`, which it owns from then on (also on failure).
 * Unpacks members one after the other; where no member begins, bytes pass
 * through untouched and uncopied. Within raw bytes a member is looked for
 * only when the reader asks, with in_unpack_here. What stands behind the last
 * member and is no .rbt segment is reported as a warning and ends the stream,
 * unless `tolerant`: then it is passed on for the reader to search.
 */
int in_open_unpack(struct in *below, int tolerant, struct in **ret);

/* True when a member was cut: the stream ended inside it. */
int in_unpack_is_cut(const struct in *in);

/*
 * zstd layer over `below`, which it owns from then on (also on failure): the
 * content of one frame after the other, skippable and empty ones passed over.
 * Offsets count the content, from 0; errors name bytes of `below`. Memory is
 * bounded by a frame's window (128 MiB at most, as libzstd has it), whatever
 * the frames expand to.
 *
 * All content before a damage is given before the damage is reported:
 *   CORRUPT    bytes that are no zstd, also behind the last frame; no frame
 *              at all
 *   TRUNCATED  the end came inside a frame
 *   LIMIT      a frame needs a larger window
 *
 * `tolerant`: EOF comes instead of the error, in_gap tells what is
 * wrong, and in_cross goes on with the next frame that can be found.
 */
int in_open_zstd(struct in *below, int tolerant, struct in **ret);

/*
 * From here on the zstd layer `in`, of which nothing is unread, unpacks into
 * `size` > 0 bytes at buf, which is borrowed. No more than they hold may be
 * asked for at once.
 */
void in_zstd_into(struct in *in, uint8_t *buf, size_t size);

/*
 * The same, unpacked ahead by a thread of its own: what is read, and in which
 * order errors come, does not change. `below` must not say AGAIN; nothing but
 * this layer may look at it from then on. Memory for 512 KiB more. Where no
 * thread can be had, it works without.
 */
int in_open_zstd_ahead(struct in *below, int tolerant, struct in **ret);

/* True when that saves time: enough packed bytes, more than one processor. */
int in_is_worth_a_thread(uint64_t size);

#endif
