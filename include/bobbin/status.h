/*
 * How calls end, and what they say about it.
 *
 * Every function that can fail returns an `enum bob_status`. Its sign decides
 * what the caller does next; the text and the byte offset are for people:
 *
 *     r > 0    nothing is wrong: the end (EOF), or nothing yet (AGAIN)
 *     r == 0   OK
 *     r < 0    WARN: something was lost, the handle goes on;
 *              FAILED: this operation did not happen, the handle is usable;
 *              FATAL: the handle is dead and may only be closed.
 *
 * The context holds the last error and hands warnings to a callback. It is
 * the only object shared by the handles made from it. A context and its
 * handles belong to one thread at a time; different contexts are independent
 * (the library keeps no global state, never prints and never exits).
 *
 *     struct bob_ctx *ctx = bob_ctx_new();
 *     if (bob_open(ctx, "trace.rbt", NULL, &reader) < 0)
 *             fprintf(stderr, "%s\n", bob_ctx_error(ctx)->text);
 *     bob_ctx_free(ctx);
 */
#ifndef BOBBIN_STATUS_H
#define BOBBIN_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_status {
	BOB_OK = 0,
	BOB_EOF = 1,    /* no more, ever */
	BOB_AGAIN = 2,  /* no more yet: the input is still growing */
	BOB_WARN = -1,  /* something was lost or ignored; go on */
	BOB_FAILED = -2, /* this operation failed; the handle is usable */
	BOB_FATAL = -3  /* the handle is dead; close it */
};

/* Why, for programs. New codes may be added at the end. */
enum bob_code {
	BOB_E_NONE = 0,
	BOB_E_IO,          /* a system call failed; see bob_error.sys */
	BOB_E_NOMEM,       /* out of memory */
	BOB_E_CORRUPT,     /* bytes that no writer writes */
	BOB_E_TRUNCATED,   /* the input ends inside something */
	BOB_E_LIMIT,       /* legal, but above a limit of bobbin/limits.h */
	BOB_E_UNSUPPORTED, /* a version or feature this build does not know */
	BOB_E_FORMAT,      /* no format recognises the input, or no such name */
	BOB_E_USAGE,       /* the caller's mistake: an option, a pattern */
	BOB_E_BUDGET       /* more than bob_ctx_set_limits allows */
};

/* "No byte offset applies". */
#define BOB_NO_OFFSET UINT64_MAX

#define BOB_MAX_TEXT 512
#define BOB_MAX_CAUSES 4

/*
 * One error or warning. `text` is a whole sentence in lower case without a
 * final stop that names what failed, on what, and where. `cause` holds what
 * the outer layers added, innermost first. `offset` counts bytes of the
 * unpacked stream (after gzip), from 0.
 */
struct bob_error {
	int status;
	int code;
	int sys;
	unsigned n_causes;
	uint64_t segment; /* BOB_NO_OFFSET outside a segment */
	uint64_t offset;
	char text[BOB_MAX_TEXT];
	char cause[BOB_MAX_CAUSES][BOB_MAX_TEXT];
};

struct bob_ctx;

/*
 * Receives warnings (status BOB_WARN) and notes (status BOB_OK) as they
 * arise. The error is valid during the call. It must not call back into the
 * handle that is being worked on.
 */
typedef void bob_diag_fn(void *user, const struct bob_error *diag);

/* A new context, or NULL when memory is out. */
BOB_API struct bob_ctx *bob_ctx_new(void);

/* Frees a context; all its handles must be closed. NULL is allowed. */
BOB_API void bob_ctx_free(struct bob_ctx *ctx);

/* Sets who hears warnings and notes; NULL (the default) drops them. */
BOB_API void bob_ctx_on_diag(struct bob_ctx *ctx, bob_diag_fn *fn, void *user);

/*
 * The last error of a call that returned FAILED or FATAL. Never NULL; before
 * the first error its status is BOB_OK and its text empty. Valid until the
 * next failing call on this context.
 */
BOB_API const struct bob_error *bob_ctx_error(const struct bob_ctx *ctx);

/* "No limit" in struct bob_limits. */
#define BOB_UNLIMITED UINT64_MAX

/*
 * How much the handles of a context may use. For programs that read files of
 * people whom they do not trust. 0 is the default of bobbin/limits.h.
 */
struct bob_limits {
	size_t size;         /* sizeof(struct bob_limits) */
	uint64_t max_output; /* bytes of one output; BOB_MAX_OUTPUT. Without
	                      * limit by default when BOB_TARGET_LIVE is set */
	uint64_t max_memory; /* bytes of memory that all handles of the context
	                      * hold together for what they read; no limit by
	                      * default. What does not grow with the input is
	                      * not counted: some MiB. */
	uint64_t max_temp;   /* bytes that all handles of the context hold in
	                      * temporary files; BOB_MAX_TEMP */
};

/*
 * Sets the limits of a context, for what its handles do from now on. A call
 * that needs more returns FAILED or FATAL with BOB_E_BUDGET. Temporary files
 * are gone then, and an output that was to replace a file leaves it alone.
 */
BOB_API void bob_ctx_set_limits(struct bob_ctx *ctx,
    const struct bob_limits *limits);

/* What the handles of a context hold now: max_memory and max_temp of *ret, of
 * which only `size` is read. max_output is 0. */
BOB_API void bob_ctx_used(const struct bob_ctx *ctx, struct bob_limits *ret);

#ifdef __cplusplus
}
#endif
#endif
