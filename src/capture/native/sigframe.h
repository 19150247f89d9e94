/*
 * Out of a signal handler, where the kernel's own code that handlers return to
 * has no table.
 *
 * That is aarch64: the code is known by its two instructions, and the registers
 * of what was interrupted lie where the kernel put them, at the stack pointer.
 * Frame pointers lead past what was interrupted, to its caller. Elsewhere the
 * C library brings this code, with a table.
 */
#ifndef CAPTURE_NATIVE_SIGFRAME_H
#define CAPTURE_NATIVE_SIGFRAME_H

#include <stdint.h>

#include "capture/native/expr.h"
#include "capture/native/regs.h"

/* Bytes of code that are looked at. */
#define SIGFRAME_CODE 8

/*
 * If `code` is what a handler returns to, the registers become those of what
 * was interrupted. 0; -EINVAL and they are as they were: it is other code; or
 * what load returned.
 */
int sigframe_run(const uint8_t *code, struct regs *g, expr_load_fn *load,
    void *user);

#endif
