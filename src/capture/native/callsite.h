/*
 * Whether an address can be what a call returns to: right before it is an
 * instruction that calls. All kinds of machines are here on each of them, so
 * that their tests are.
 */
#ifndef CAPTURE_NATIVE_CALLSITE_H
#define CAPTURE_NATIVE_CALLSITE_H

#include <stdint.h>

/* Bytes before the address. */
#define CALLSITE_BYTES 8

/* 1, or 0. Of x86-64, whose instructions have several lengths, bytes of an
 * earlier one may look like a call. */
int callsite_x86_64(const uint8_t b[CALLSITE_BYTES]);
int callsite_aarch64(const uint8_t b[CALLSITE_BYTES]);

#if defined(__x86_64__)
#define callsite_is_call callsite_x86_64
#else
#define callsite_is_call callsite_aarch64
#endif

#endif
