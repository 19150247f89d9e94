/*
 * What analyzers cannot see, because they look at one file at a time: a
 * function that reports an error returns the status that it was given, one that
 * reads memory of a process returns 0 or a negative number, and an array that
 * has grown is there. It is for scripts/analyze-code.py only; nothing is built
 * with it.
 */
#include "capture/proc/mem.h"
#include "core/error.h"
#include "core/mem.h"

#define err_nomem(ctx) ((void)err_nomem(ctx), (int)BOB_FATAL)
#define err_set(ctx, status, ...)                                            \
	((void)err_set(ctx, status, __VA_ARGS__), (int)(status))
#define err_sys(ctx, status, ...)                                            \
	((void)err_sys(ctx, status, __VA_ARGS__), (int)(status))
#define err_budget(ctx, ...)                                                 \
	((void)err_budget(ctx, __VA_ARGS__), (int)BOB_FATAL)
#define mem_read_u64(m, at, ret)                                             \
	(*(ret) = 0, mem_read_u64(m, at, ret) < 0 ? -1 : 0)

#define GROWN(ctx, v, name, need, grow)                                      \
	((v)->name != NULL && (need) <= (v)->cap_##name                      \
	        ? (int)BOB_OK                                                \
	        : grow((ctx), &(v)->name, &(v)->cap_##name, (need),          \
	              sizeof(*(v)->name)) < 0 || (v)->name == NULL           \
	        ? (int)BOB_FATAL : (int)BOB_OK)
#undef MEM_GROW
#define MEM_GROW(ctx, v, name, need) GROWN(ctx, v, name, need, mem_grow)
#undef MEM_TAKE
#define MEM_TAKE(ctx, v, name, need) GROWN(ctx, v, name, need, mem_take)
#undef MEM_GROW_BIG
#define MEM_GROW_BIG(ctx, v, name, need)                                     \
	GROWN(ctx, v, name, need, mem_grow_big)
