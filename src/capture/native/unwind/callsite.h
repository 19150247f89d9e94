/*
 * Decides whether an address can be a return address: the instruction right
 * before it must be a call. The decoders of all machines are built on each
 * machine, so that all are tested everywhere.
 */
#ifndef CAPTURE_NATIVE_UNWIND_CALLSITE_H
#define CAPTURE_NATIVE_UNWIND_CALLSITE_H

#include <stdint.h>

#define CALLSITE_BYTES 8

/* Each returns 1 if the last instruction in these bytes, which end at the
 * address, is a call; else 0. On x86-64, where instructions differ in length,
 * the end of another instruction may look like a call. */
int callsite_x86_64(const uint8_t b[CALLSITE_BYTES]);
int callsite_aarch64(const uint8_t b[CALLSITE_BYTES]);

#if defined(__x86_64__)
#define callsite_is_call callsite_x86_64
#else
#define callsite_is_call callsite_aarch64
#endif

#endif
