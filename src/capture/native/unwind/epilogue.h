/*
 * Unwinds through the epilogue of a function without tables: if only pops and
 * additions to the stack pointer follow up to the `ret`, they are executed on a
 * copy of the registers. Small pieces of code that a JIT makes to call another
 * function mostly have nothing else behind that call.
 *
 * x86-64 only; elsewhere such code has frame pointers.
 */
#ifndef CAPTURE_NATIVE_UNWIND_EPILOGUE_H
#define CAPTURE_NATIVE_UNWIND_EPILOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/unwind/expr.h"
#include "capture/native/unwind/regs.h"

/* Limit of bytes of code. */
#define EPILOGUE_MAX 32

/*
 * Executes n bytes of code at the program counter up to their `ret`, so that
 * *g has the caller's registers. Returns 0; -EINVAL if the code does anything
 * else; or an error of load. Then *g is unchanged.
 */
int epilogue_run(const uint8_t *code, size_t n, struct regs *g,
    expr_load_fn *load, void *user);

#endif
