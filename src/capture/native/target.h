/*
 * Where a call leads to, by the return address that it has left: right away,
 * by an entry of the PLT, or by a word of memory. All kinds of machines are
 * here on each of them, so that their tests are.
 */
#ifndef CAPTURE_NATIVE_TARGET_H
#define CAPTURE_NATIVE_TARGET_H

#include <stdint.h>

#include "capture/proc/mem.h"

/* 1 and the address; 0: nobody knows, as a register has told. */
int target_x86_64(struct mem *mem, uint64_t ret, uint64_t *to);
int target_aarch64(struct mem *mem, uint64_t ret, uint64_t *to);

#if defined(__x86_64__)
#define target_of_call target_x86_64
#else
#define target_of_call target_aarch64
#endif

#endif
