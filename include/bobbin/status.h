/*
 * Return statuses, contexts and errors.
 *
 * Every function that can fail returns an `enum bob_status`. Its sign decides
 * what the caller does next; the text and the byte offset are for people:
 *
 *     r > 0    nothing is wrong: EOF (the end) or AGAIN (nothing yet)
 *     r == 0   OK
 *     r < 0    WARN: something was lost; the handle works on.
 *              FAILED: this call had no effect; the handle is usable.
 *              FATAL: the handle is dead; close it.
 *
 * In these headers "Returns BOB_OK and sets *ret, or FAILED" also means that
 * *ret is left alone on failure, and that bob_ctx_error says why.
 *
 * A context holds the last error, passes warnings to a callback, and limits
 * what its handles may use. Threads: use a context and all handles made from
 * it in one thread at a time. Different contexts are independent. The library
 * has no global state, never prints and never exits.
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

/* The cause of an error, for programs. New codes may be added at the end. */
enum bob_code {
	BOB_E_NONE = 0,
	BOB_E_IO,          /* a system call failed; see bob_error.sys */
	BOB_E_NOMEM,       /* out of memory */
	BOB_E_CORRUPT,     /* the input is damaged */
	BOB_E_TRUNCATED,   /* the input ends too early */
	BOB_E_LIMIT,       /* above a limit of bobbin/limits.h */
	BOB_E_UNSUPPORTED, /* a version or feature this build does not know */
	BOB_E_FORMAT,      /* no format recognises the input, or no format has
	                    * this name */
	BOB_E_USAGE,       /* the caller's mistake: an option, a pattern */
	BOB_E_BUDGET,      /* above a limit of bob_ctx_set_limits */
	BOB_E_SKIPPED,     /* of a warning: a line of text was skipped, and the
	                    * samples that it may stand for are lost */
	BOB_E_PLAN         /* BOB_CONVERT_STRICT_PLAN: the output format cannot
	                    * hold all that the input format can */
};

/* No byte offset applies. */
#define BOB_NO_OFFSET UINT64_MAX

/* Room for a text in struct bob_error, with its NUL. Longer texts are cut. */
#define BOB_MAX_TEXT 512

/* What an error is about. An error in a temporary file has BOB_SIDE_NONE. */
enum bob_side {
	BOB_SIDE_NONE = 0,
	BOB_SIDE_INPUT,
	BOB_SIDE_OUTPUT
};

/* The member of struct bob_limits that was exceeded. */
enum bob_limit {
	BOB_LIMIT_NONE = 0,
	BOB_LIMIT_OUTPUT,
	BOB_LIMIT_MEMORY,
	BOB_LIMIT_TEMP
};

/*
 * One error or warning.
 *
 * `text` is a sentence in lower case without a final full stop. It says what
 * failed and where. Names of files and processes in it are not escaped: check
 * them with bobbin/chars.h before you print them to a terminal.
 *
 * An error about the content of an input sets `input` to the name of that
 * input, and the text does not repeat it: print "INPUT: TEXT". All other
 * errors leave `input` empty and name the file in the text.
 */
struct bob_error {
	int status; /* enum bob_status */
	int code;   /* enum bob_code */
	int sys;    /* errno of the failed system call, or 0 */
	int side;   /* enum bob_side */
	int limit;  /* BOB_E_BUDGET: enum bob_limit */
	int input_is_path; /* `input` is a path and was not cut */
	uint64_t segment; /* index; BOB_NO_OFFSET outside a segment */
	uint64_t offset;  /* byte of the unpacked stream (after gzip), from 0;
	                   * BOB_NO_OFFSET: none applies */
	char text[BOB_MAX_TEXT];
	char input[BOB_MAX_TEXT]; /* cut when it is longer */
};

struct bob_ctx;

/*
 * Receives warnings (status BOB_WARN) and notes (status BOB_OK) as they
 * arise. The error is valid during the call. The function must not call back
 * into the handle that is at work.
 */
typedef void bob_diag_fn(void *user, const struct bob_error *diag);

/* Returns a new context, or NULL without memory. */
BOB_API struct bob_ctx *bob_ctx_new(void);

/* Frees a context. Close all its handles first. NULL is allowed. */
BOB_API void bob_ctx_free(struct bob_ctx *ctx);

/* Sets the function that receives warnings and notes. NULL (the default)
 * drops them. */
BOB_API void bob_ctx_on_diag(struct bob_ctx *ctx, bob_diag_fn *fn, void *user);

/*
 * Returns the error of the last call that returned FAILED or FATAL. Never
 * NULL; before the first error the status is BOB_OK and the text is empty.
 * The context owns it. Valid until the next failing call on this context.
 */
BOB_API const struct bob_error *bob_ctx_error(const struct bob_ctx *ctx);

/* No limit, in struct bob_limits. */
#define BOB_UNLIMITED UINT64_MAX

/*
 * How much the handles of a context may use. Set this in programs that read
 * untrusted files. A field of 0 means its default.
 */
struct bob_limits {
	size_t size;         /* sizeof(struct bob_limits) */
	uint64_t max_output; /* bytes of one output. Default: BOB_MAX_OUTPUT,
	                      * but no limit with BOB_TARGET_LIVE */
	uint64_t max_memory; /* bytes of memory that all handles of the context
	                      * together hold for what they have read. Buffers
	                      * of a fixed size are not counted; they take some
	                      * MiB. Default: no limit */
	uint64_t max_temp;   /* bytes that all handles of the context together
	                      * hold in temporary files. Default:
	                      * BOB_MAX_TEMP */
};

/*
 * Sets the limits of a context. They apply to what its handles do from now
 * on. A call that needs more returns FAILED or FATAL with BOB_E_BUDGET. Its
 * temporary files are then gone, and a file that was to be replaced stays as
 * it was.
 */
BOB_API void bob_ctx_set_limits(struct bob_ctx *ctx,
    const struct bob_limits *limits);

/* Sets max_memory and max_temp of *ret to what the handles of the context hold
 * now, and max_output to 0. Set ret->size before the call. */
BOB_API void bob_ctx_used(const struct bob_ctx *ctx, struct bob_limits *ret);

#ifdef __cplusplus
}
#endif
#endif
