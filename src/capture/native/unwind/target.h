/*
 * Finds the target of a call from its return address: a direct call, one
 * through a linker stub (PLT), or one through a word of memory. The decoders of
 * all machines are built on each machine, so that all are tested everywhere.
 */
#ifndef CAPTURE_NATIVE_UNWIND_TARGET_H
#define CAPTURE_NATIVE_UNWIND_TARGET_H

#include <stdint.h>

#include "capture/proc/mem.h"

/* Each returns 1 and sets *to to the address of the callee; 0 if it cannot be
 * read or the call takes it from a register. */
int target_x86_64(struct mem *mem, uint64_t ret, uint64_t *to);
int target_aarch64(struct mem *mem, uint64_t ret, uint64_t *to);

#if defined(__x86_64__)
#define target_of_call target_x86_64
#else
#define target_of_call target_aarch64
#endif

#endif
