/*
 * Unwinds out of a signal handler, where the code that it returns to (the
 * sigreturn trampoline) has no table.
 *
 * That is so on aarch64, and on x86-64 with another C library than glibc. The
 * trampoline is recognised by its two instructions. The registers of the
 * interrupted code are then at the stack pointer, where the kernel has put
 * them. Frame pointers would not do: they skip the interrupted function.
 */
#ifndef CAPTURE_NATIVE_UNWIND_SIGFRAME_H
#define CAPTURE_NATIVE_UNWIND_SIGFRAME_H

#include <stdint.h>

#include "capture/native/unwind/expr.h"
#include "capture/native/unwind/regs.h"

/* Bytes of the trampoline. */
#if defined(__x86_64__)
#define SIGFRAME_CODE 9
#else
#define SIGFRAME_CODE 8
#endif

/*
 * If `code` is the trampoline, sets *g to the registers of the interrupted code
 * and returns 0. Returns -EINVAL for other code, or an error of load; then *g
 * is unchanged.
 */
int sigframe_run(const uint8_t *code, struct regs *g, expr_load_fn *load,
    void *user);

#endif
