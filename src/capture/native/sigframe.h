/*
 * Out of a signal handler, where the kernel's own code that handlers return to
 * has no table.
 *
 * That is so on aarch64, and on x86-64 where the C library that brings this
 * code is not glibc. It is known by its two instructions, and the registers of
 * what was interrupted lie where the kernel put them, at the stack pointer.
 * Frame pointers lead past what was interrupted, to its caller.
 */
#ifndef CAPTURE_NATIVE_SIGFRAME_H
#define CAPTURE_NATIVE_SIGFRAME_H

#include <stdint.h>

#include "capture/native/expr.h"
#include "capture/native/regs.h"

/* Bytes of code that are looked at. */
#if defined(__x86_64__)
#define SIGFRAME_CODE 9
#else
#define SIGFRAME_CODE 8
#endif

/*
 * If `code` is what a handler returns to, the registers become those of what
 * was interrupted. 0; -EINVAL and they are as they were: it is other code; or
 * what load returned.
 */
int sigframe_run(const uint8_t *code, struct regs *g, expr_load_fn *load,
    void *user);

#endif
