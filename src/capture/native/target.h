/*
 * Where a call leads to, by the return address that it has left: right away,
 * by an entry of the PLT, or by a word of memory.
 */
#ifndef CAPTURE_NATIVE_TARGET_H
#define CAPTURE_NATIVE_TARGET_H

#include <stdint.h>

#include "capture/proc/mem.h"

/* 1 and the address; 0: nobody knows, as a register has told, or the machine
 * is not an x86-64. */
int target_of_call(struct mem *mem, uint64_t ret, uint64_t *to);

#endif
