/*
 * The context and how functions fill it. A function that fails records the
 * error once, where the most is known, and returns its status:
 *
 *     return err_set(ctx, BOB_FATAL, BOB_E_CORRUPT, offset,
 *         "rbt: byte %llu: ...", ...);
 *
 * Layers above return the status unchanged; they add a cause only where it
 * says something new.
 */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include <stdint.h>

#include <bobbin/status.h>

#include "core/budget.h"

struct bob_ctx {
	struct bob_error error;
	struct budget *budget; /* its own, or that of the context it was made
	                        * from */
	struct budget own_budget;
	bob_diag_fn *diag;
	void *diag_user;
};

/* A context for a thread that works for `of`: the same budget, which must
 * outlive it. NULL when memory is out. */
struct bob_ctx *ctx_new_worker(const struct bob_ctx *of);

/* Records an error and returns `status`. */
int err_set(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...) BOB_PRINTF(5, 6);

/* The same for a failed system call: ": strerror(sys)" is appended. */
int err_sys(struct bob_ctx *ctx, int status, int sys, const char *fmt, ...)
    BOB_PRINTF(4, 5);

/* Out of memory, or above the context's limit; returns BOB_FATAL. */
int err_nomem(struct bob_ctx *ctx);

/* Adds a sentence to the last error; returns `status`. */
int err_cause(struct bob_ctx *ctx, int status, const char *fmt, ...)
    BOB_PRINTF(3, 4);

/* Tells the diag callback: a warning (BOB_WARN) or a note (BOB_OK). */
void err_diag(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...) BOB_PRINTF(5, 6);

/* Makes `from`'s last error the last error of `to` (a worker's context). */
void err_copy(struct bob_ctx *to, const struct bob_ctx *from);

#endif
