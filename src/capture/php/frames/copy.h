/*
 * A copy of a thread's stack, made by one gathering read.
 *
 * PHP's frames lie in pages of 256 KiB, each frame behind its caller. So most
 * of the stack is one span of memory, whose address and size hardly change from
 * sample to sample. Some frames lie elsewhere: those of generators are on the
 * heap, older frames are in older pages, and the caller of a fiber has a stack
 * of its own. Where they were in the last sample, they are mostly still. So
 * both the page and the spans elsewhere are predicted from the last sample, and
 * one system call reads, in this order:
 *
 *     roots | page, its end | page, the rest | spans elsewhere | roots
 *
 * Reading memory that another processor is writing makes that processor wait,
 * so that the process spends more time where it was read. Hence the roots come
 * first: which frame is current is known before anything else is read. The end
 * of the page is read half a microsecond later.
 */
#ifndef CAPTURE_PHP_FRAMES_COPY_H
#define CAPTURE_PHP_FRAMES_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "capture/php/layout/offsets.h"
#include "capture/proc/mem.h"
#include "core/error.h"

/* How many spans elsewhere are read. Each takes half a microsecond, so a span
 * without a frame of the stack for COPY_IDLE samples is dropped. */
#define COPY_SPANS 12
#define COPY_IDLE 32

/* Limit of the used part of one page. PHP makes a larger page only for a single
 * frame that needs it. */
#define COPY_MAX_PAGE ((size_t)1 << 20)

/* Limit of all spans elsewhere together. At most half of it is predicted, the
 * rest is for misses. */
#define COPY_MAX_ELSEWHERE ((size_t)8 << 20)

#define COPY_ROOTS 64

struct copy_span {
	uint64_t at;
	size_t n;
	size_t offset;  /* of its bytes in `elsewhere` */
	unsigned idle;  /* samples since a frame was taken from it */
};

/* Bytes that all copies of a process have allocated: at most
 * BOB_MAX_CAPTURE_COPY. */
struct copy_room {
	size_t n_bytes;
};

struct copy {
	struct bob_ctx *ctx;
	struct copy_room *room; /* NULL: no limit */
	struct mem *mem;
	const struct php_offsets *o;
	uint64_t eg; /* executor_globals of this thread */
	uint8_t before[COPY_ROOTS], after[COPY_ROOTS];
	uint64_t base;  /* of the page; 0: nothing is predicted */
	size_t len;     /* bytes of the page that were copied */
	size_t want;    /* bytes to copy next time */
	uint8_t *page, *elsewhere;
	size_t cap_page, cap_elsewhere;
	struct copy_span span[COPY_SPANS];
	size_t n_span;  /* predicted; more are added by misses */
	size_t n_used;  /* bytes of elsewhere in use */
	uint64_t last_miss;
};

void copy_init(struct copy *c, struct bob_ctx *ctx, struct mem *mem,
    const struct php_offsets *o, uint64_t eg);
void copy_done(struct copy *c);

/*
 * Takes a copy. Returns 0; 1 when no PHP code runs (no current frame before and
 * after, or no page at all); -EAGAIN when the prediction was wrong and has been
 * corrected, so that the caller should try again; -ENOMEM (recorded in the
 * context); another -errno when the memory cannot be read.
 */
int copy_take(struct copy *c);

/*
 * Reads the end of the page first and the roots afterwards, for repair_learn()
 * only: no sample can be made of it, as the current frame is known only for a
 * moment after the page was read. Returns 1; 0 if it could not be read.
 */
int copy_peek(struct copy *c);

/* The current frame before (0) or after (1) the page was copied. */
uint64_t copy_current(const struct copy *c, int after);

/* The end of the used part of the page, before or after. */
uint64_t copy_top(const struct copy *c, int after);

/* True for an address in the page. */
static inline int
copy_in_page(const struct copy *c, uint64_t ex)
{
	return ex >= c->base && ex - c->base < c->len;
}

/*
 * Returns EX_SIZE bytes of a frame, from the copy or read now, together with
 * memory that is likely to be asked for next. NULL if they cannot be read.
 * Valid until the next call.
 */
const uint8_t *copy_frame(struct copy *c, uint64_t ex);

/* Reads the spans elsewhere once more, as they may have changed since the page
 * was copied. Returns 1; 0 if there are none or one cannot be read. */
int copy_again(struct copy *c);

/* After a proven sample: drops spans that were not used for COPY_IDLE samples
 * or lie in the page, and joins spans that touch. */
void copy_learn(struct copy *c);

#endif
