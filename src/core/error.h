/*
 * The context and how functions fill it. A function that fails records the
 * error once, where the most is known, and returns its status:
 *
 *     return err_set(ctx, BOB_FATAL, BOB_E_CORRUPT, offset,
 *         "rbt: byte %llu: ...", ...);
 *
 * Layers above return the status unchanged. A reader names its input with
 * ctx_read before it begins, so that errors about bytes can name it.
 */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include <stdint.h>

#include <bobbin/read.h>
#include <bobbin/status.h>

#include "core/budget.h"

/* The input that is being read. */
struct ctx_input {
	const char *name; /* NULL: none */
	int is_path;
};

struct bob_ctx {
	struct bob_error error;
	struct ctx_input input;
	struct budget *budget; /* its own, or that of the context it was made
	                        * from */
	struct budget own_budget;
	bob_diag_fn *diag;
	void *diag_user;
	uint64_t n_skipped; /* warnings of BOB_E_SKIPPED so far */
	bob_gap_fn *gap;
	void *gap_user;
};

/* Returns a context for a worker thread of `of`, which must outlive it: they
 * share a budget. NULL without memory. */
struct bob_ctx *ctx_new_worker(const struct bob_ctx *of);

/* Sets the input that is being read, or none (name NULL). Returns the one
 * before, which the caller restores. The name is borrowed until then. */
static inline struct ctx_input
ctx_read(struct bob_ctx *ctx, struct ctx_input input)
{
	struct ctx_input old = ctx->input;

	ctx->input = input;
	return old;
}

/* Records an error and returns `status`. */
int err_set(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...) BOB_PRINTF(5, 6);

/* The same for a failed system call: ": strerror(sys)" is appended. */
int err_sys(struct bob_ctx *ctx, int status, int sys, const char *fmt, ...)
    BOB_PRINTF(4, 5);

/* Records "out of memory", or BOB_E_BUDGET if the context's limit refused it.
 * Returns FATAL. */
int err_nomem(struct bob_ctx *ctx);

/* Records that a limit of the context (enum bob_limit) is exceeded. Returns
 * FATAL. */
int err_budget(struct bob_ctx *ctx, int limit, uint64_t offset,
    const char *fmt, ...) BOB_PRINTF(4, 5);

/* Changes the status of the last error, where a layer ends another way than
 * the one below it. Returns `status`. */
int err_set_status(struct bob_ctx *ctx, int status);

/* Sets the errno of the last error; its text stays. Returns its status. */
int err_set_sys(struct bob_ctx *ctx, int sys);

/* Marks the last error as one of an output, not of the input that is being
 * read. Returns its status. */
int err_of_output(struct bob_ctx *ctx);

/* Calls the diag callback with a warning (BOB_WARN) or a note (BOB_OK). The
 * last error stays as it was. */
void err_diag(struct bob_ctx *ctx, int status, int code, uint64_t offset,
    const char *fmt, ...) BOB_PRINTF(5, 6);

/* Calls the diag callback with the last error, as a warning. */
void err_diag_error(struct bob_ctx *ctx);

/* Copies the last error of a worker's context to that of its owner. */
void err_copy(struct bob_ctx *to, const struct bob_ctx *from);

#endif
