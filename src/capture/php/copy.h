/*
 * A copy of a thread's stack, made by one gathering read.
 *
 * PHP's frames lie in pages of 256 KiB, one upon the other, so the whole stack
 * is one span of memory whose address and size hardly change. What lies
 * elsewhere (generators on the heap, older pages, the stack of a fiber's
 * parent) did so a moment ago too. Both are predicted from the sample before:
 *
 *     roots | page, its end | page, the rest | spans elsewhere | roots
 *
 * Reading memory that another processor is writing makes that processor wait,
 * and so the process dwells where it was read. Hence the roots come first: the
 * frame that is current before anything else was touched is a fair sample.
 * The end of the page follows half a microsecond later.
 */
#ifndef CAPTURE_PHP_COPY_H
#define CAPTURE_PHP_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "capture/php/offsets.h"
#include "capture/proc/mem.h"
#include "core/error.h"

/* Spans elsewhere. Each takes half a microsecond, so those that were not used
 * for a while are left out. */
#define COPY_SPANS 12
#define COPY_IDLE 32

/* The used part of one page; a page is larger only for a frame that needs it
 * alone. */
#define COPY_MAX_PAGE ((size_t)1 << 20)

/* All spans together: half of it is predicted at most. */
#define COPY_MAX_ELSEWHERE ((size_t)8 << 20)

#define COPY_ROOTS 64

struct copy_span {
	uint64_t at;
	size_t n;
	size_t offset;  /* of its bytes in `elsewhere` */
	unsigned idle;  /* samples since it was of use */
};

/* What all copies of a process hold, in bytes: BOB_MAX_LIVE_COPY at most. */
struct copy_room {
	size_t n_bytes;
};

struct copy {
	struct bob_ctx *ctx;
	struct copy_room *room; /* NULL: nobody counts */
	struct mem *mem;
	const struct php_offsets *o;
	uint64_t eg; /* executor_globals of this thread */
	uint8_t before[COPY_ROOTS], after[COPY_ROOTS];
	uint64_t base;  /* of the page; 0: nothing is predicted */
	size_t len;     /* bytes of it that were copied */
	size_t want;    /* and that will be next time */
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
 * Takes a copy. 0; 1 when nothing runs (no current frame before and after, or
 * no page at all); -errno when it cannot be read; -EAGAIN when the prediction
 * was wrong and has been put right: try again. -ENOMEM is recorded.
 */
int copy_take(struct copy *c);

/*
 * A look at the end of the page before anything else was touched, to learn
 * from: what is current is known only afterwards. It also fills the caches of
 * a sampler that has slept, so that the copy takes less time. 1, or 0 when it
 * could not be read.
 */
int copy_peek(struct copy *c);

/* The current frame before (0) or after (1) the page was copied. */
uint64_t copy_current(const struct copy *c, int after);

/* The end of the used part, the same. */
uint64_t copy_top(const struct copy *c, int after);

/* True for an address in the page. */
static inline int
copy_in_page(const struct copy *c, uint64_t ex)
{
	return ex >= c->base && ex - c->base < c->len;
}

/*
 * EX_SIZE bytes of a frame: from the copy, or read now, together with what is
 * likely to follow. NULL when they cannot be read. Valid until the next call.
 */
const uint8_t *copy_frame(struct copy *c, uint64_t ex);

/*
 * Reads what lies elsewhere once more, as it may have changed since the page
 * was copied. True when there is any, and it could
 * be read.
 */
int copy_again(struct copy *c);

/* Spans that were of use in this sample are predicted for the next one. */
void copy_learn(struct copy *c);

/* Nothing is predicted any more. */
void copy_forget(struct copy *c);

#endif
