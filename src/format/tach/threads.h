/*
 * What a TACH file says refers to what it said before of the same thread, so
 * each (thread id, interpreter id) has a state.
 */
#ifndef FORMAT_TACH_THREADS_H
#define FORMAT_TACH_THREADS_H

#include <bobbin/model.h>

#include "model/intern.h"

struct tach_thread {
	uint64_t tid;
	uint64_t time; /* of its last sample */
	uint32_t interp;
	bob_stack stack; /* of its last sample */
	bob_tid track;   /* 0 when nobody wants to know */
	uint32_t epoch;  /* recovery: the stack is not known unless this is
	                  * the reader's; gaps begin a new one */
	uint32_t unknown; /* recovery: so many outermost frames are one, called
	                   * `<lost>`, in `stack`; 0: all are known */
};

struct tach_threads {
	struct bob_ctx *ctx;
	uint64_t seed; /* of the hash */
	struct tach_thread *v;
	size_t cap_v;
	uint32_t n;
	struct intern by_id; /* index + 1 */
};

void threads_done(struct tach_threads *t);

/* Its index, or t->n when there is none. */
uint32_t threads_find(const struct tach_threads *t, uint64_t tid,
    uint32_t interp);

/* Adds one that is not there yet, at index t->n. BOB_OK or FATAL. */
int threads_add(struct tach_threads *t, const struct tach_thread *thread);

#endif
