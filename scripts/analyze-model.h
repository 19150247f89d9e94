/*
 * What analyzers cannot see, because they look at one file at a time: a
 * function that reports an error returns the status that it was given, and one
 * that reads memory of a process returns 0 or a negative number. It is for
 * scripts/analyze-code.py only; nothing is built with it.
 */
#include "capture/proc/mem.h"
#include "core/error.h"

#define err_nomem(ctx) ((void)err_nomem(ctx), (int)BOB_FATAL)
#define err_set(ctx, status, ...)                                            \
	((void)err_set(ctx, status, __VA_ARGS__), (int)(status))
#define err_sys(ctx, status, ...)                                            \
	((void)err_sys(ctx, status, __VA_ARGS__), (int)(status))
#define err_cause(ctx, status, ...)                                          \
	((void)err_cause(ctx, status, __VA_ARGS__), (int)(status))
#define mem_read_u64(m, at, ret)                                             \
	(*(ret) = 0, mem_read_u64(m, at, ret) < 0 ? -1 : 0)
