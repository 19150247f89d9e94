/*
 * Input: peek n, consume n. The bytes may come from a file, a pipe, memory,
 * gzip members or zstd frames. A reader always sees one contiguous window of
 * unread bytes, and can ask for a longer one.
 *
 * Invariants:
 * 1. p[0..n) are unread bytes at stream offset `pos`. Consuming changes all
 *    three together, so the fast path of peek and consume calls nothing.
 * 2. A fill may move the window: pointers into it from before are invalid.
 * 3. Only the reader consumes. After AGAIN everything that was unread is still
 *    unread.
 */
#ifndef CORE_INPUT_H
#define CORE_INPUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <bobbin/read.h>

#include "core/error.h"

struct in;

/* Where all bytes [0, size) of a stream are: in memory, or in a regular file at
 * the same offsets. Borrowed from the input. */
struct in_whole {
	const uint8_t *p; /* NULL: in the file */
	int fd;
	uint64_t size;
};

struct in_ops {
	/*
	 * Makes in->n at least `min`. Returns BOB_OK; BOB_EOF or BOB_AGAIN if
	 * there are no more bytes: in->n is then all there is; FATAL.
	 */
	int (*fill)(struct in *in, size_t min);
	/* Called where a packed member may begin. Returns 1 if one begins:
	 * in->p now gives its content; 0 if not; BOB_AGAIN if there are too few
	 * bytes to tell; FATAL. NULL: there is never one. */
	int (*unpack_here)(struct in *in);
	/* Called at EOF. Returns 1 if more bytes follow that cannot be joined
	 * to the unread ones, because a gzip member ended there. The unread
	 * bytes are then dropped, and in->p gives what follows. NULL: never. */
	int (*cross)(struct in *in);
	/* Called after EOF. Returns the offset where damage in packed bytes
	 * begins; BOB_NO_OFFSET if there is none. Sets *len to the bytes that
	 * `cross` skips, or to those up to the end if it finds nothing, and
	 * *why to a phrase that is valid for ever. NULL: no damage. */
	uint64_t (*gap)(const struct in *in, uint64_t *len, const char **why);
	/* Returns 1 and fills *ret if all bytes are in one place, else 0. Call
	 * it once a fill has returned anything but AGAIN. NULL: never. */
	int (*whole)(const struct in *in, struct in_whole *ret);
	/* Returns the bytes read from outside, as stored. NULL: pos + n. */
	uint64_t (*stored)(const struct in *in);
	void (*close)(struct in *in);
};

struct in {
	const struct in_ops *ops;
	struct bob_ctx *ctx;
	const char *name; /* what messages call it */
	const uint8_t *p;
	size_t n;
	uint64_t pos;
	/* Counts the changes between packed members and raw bytes. If it has
	 * changed, an earlier EOF is no longer true. */
	unsigned stretch;
};

/*
 * Sets *p to the unread bytes and *n to their number, which is at least `min`
 * if it returns BOB_OK. With EOF and AGAIN, *p and *n give what there is. Else
 * FATAL.
 */
static inline int
in_peek(struct in *in, size_t min, const uint8_t **p, size_t *n)
{
	int r = in->n >= min ? BOB_OK : in->ops->fill(in, min);

	assert(r != BOB_OK || in->n >= min);
	*p = in->p;
	*n = in->n;
	return r;
}

static inline void
in_consume(struct in *in, size_t n)
{
	assert(n <= in->n);
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

/* For layers whose window is in a buffer of their own: makes room for `min`
 * bytes from in->p on, and for at least one more than are unread. Moves the
 * unread bytes if needed. Returns BOB_OK or FATAL. */
int in_make_room(struct in *in, uint8_t **buf, size_t *cap, size_t min);

/*
 * Sources. Each returns BOB_OK and sets *ret, or FAILED. `name` must outlive
 * the input.
 */

/* Reads a descriptor from its current position. owned: closes it at the end.
 * follow: the end of the bytes is AGAIN instead of EOF. */
int in_open_fd(struct bob_ctx *ctx, int fd, int owned, int follow,
    const char *name, struct in **ret);

/* Reads bytes [start, end) of a regular file with pread, for parallel decoding.
 * The descriptor is borrowed. Offsets are those of the file. */
int in_open_range(struct bob_ctx *ctx, int fd, uint64_t start, uint64_t end,
    const char *name, struct in **ret);

/* The same, but a file that ends before `end` is an error (TRUNCATED), not EOF:
 * another program has made it shorter. */
int in_open_exact_range(struct bob_ctx *ctx, int fd, uint64_t start,
    uint64_t end, const char *name, struct in **ret);

/* Reads the first `end` bytes of fd, then all of then_fd. Owns both
 * descriptors, on failure too. */
int in_open_chain(struct bob_ctx *ctx, int fd, uint64_t end, int then_fd,
    const char *name, struct in **ret);

int in_open_fn(struct bob_ctx *ctx, bob_read_fn *fn, void *user,
    const char *name, struct in **ret);
int in_open_memory(struct bob_ctx *ctx, const void *p, size_t n,
    const char *name, struct in **ret);

/* Bytes [start, end) of the memory at p. Offsets are those in p. */
int in_open_memory_range(struct bob_ctx *ctx, const uint8_t *p,
    uint64_t start, uint64_t end, const char *name, struct in **ret);

/* Bytes that tell the beginning of a segment from anything else. */
#define IN_SEGMENT_HEAD 4

/* True when a segment of a trace begins with these n bytes; false when they
 * are less than IN_SEGMENT_HEAD. */
typedef int in_segment_fn(const uint8_t *p, size_t n);

/*
 * gzip layer over `below`, which it owns from then on (also on failure).
 * Unpacks members one after the other; where no member begins, bytes pass
 * through untouched and uncopied. Within raw bytes a member is looked for
 * only when the reader asks, with in_unpack_here; it is believed when
 * begins_segment is true of its content. Raw bytes behind a member of which
 * begins_segment is false are reported as a warning and end the stream, unless
 * `tolerant`: then they are passed on for the reader to search.
 */
int in_open_unpack(struct in *below, in_segment_fn *begins_segment,
    int tolerant, struct in **ret);

/* True if the stream ended inside a member. */
int in_unpack_is_cut(const struct in *in);

/*
 * The zstd layer over `below`, which it then owns, on failure too. Gives the
 * content of one frame after the other; skippable and empty frames have none.
 * Offsets count the content, from 0; errors name bytes of `below`. Memory is
 * bounded by a frame's window, which libzstd limits to 128 MiB, whatever the
 * frames expand to.
 *
 * All content before a damage is given before the damage is reported:
 *   CORRUPT    bytes that are no zstd, also after the last frame; no frame
 *              at all
 *   TRUNCATED  the input ends inside a frame
 *   LIMIT      a frame needs a larger window
 *
 * With `tolerant`, EOF comes instead of the error. in_gap then says what is
 * wrong, and in_cross goes on with the next frame that can be found.
 */
int in_open_zstd(struct in *below, int tolerant, struct in **ret);

/*
 * Makes the zstd layer `in`, which has nothing unread, unpack into buf from now
 * on. buf has `size` > 0 bytes and is borrowed. No peek may ask for more than
 * `size` bytes then.
 */
void in_zstd_into(struct in *in, uint8_t *buf, size_t size);

/*
 * As in_open_zstd, but a thread unpacks ahead of the reader. The content and
 * the order of errors are the same. `below` must not return AGAIN, and only
 * this layer may use it. Takes 512 KiB more memory. If no thread can be
 * started, it works without one.
 */
int in_open_zstd_ahead(struct in *below, int tolerant, struct in **ret);

/* True if a thread saves time for `size` packed bytes: they are enough, and
 * there is more than one processor. */
int in_is_worth_a_thread(uint64_t size);

#endif
