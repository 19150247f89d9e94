/*
 * The end of a function, for code that has no table: when nothing but giving
 * back the stack stands between an instruction and its `ret`, the way to the
 * caller is what these instructions do. That is so behind the call of small
 * pieces that are made at run time to call something else.
 *
 * x86-64; elsewhere such code has frame pointers.
 */
#ifndef CAPTURE_NATIVE_EPILOGUE_H
#define CAPTURE_NATIVE_EPILOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/expr.h"
#include "capture/native/regs.h"

/* Bytes of code that are looked at. */
#define EPILOGUE_MAX 32

/*
 * Does what n bytes of code at the program counter do, up to their `ret`: the
 * registers become the caller's. 0; -EINVAL and they are as they were: the
 * code does something else; or what load returned.
 */
int epilogue_run(const uint8_t *code, size_t n, struct regs *g,
    expr_load_fn *load, void *user);

#endif
