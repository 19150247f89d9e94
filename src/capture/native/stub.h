/*
 * Code that linkers put between a call and a function elsewhere: entries of
 * the PLT, and what carries a branch that is too short further. It jumps, and
 * leaves the stack and the return address as the call has made them. Mostly it
 * has no table. All kinds of machines are here on each of them, so that their
 * tests are.
 */
#ifndef CAPTURE_NATIVE_STUB_H
#define CAPTURE_NATIVE_STUB_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of code that are looked at. */
#define STUB_BYTES 24

/* How many of n bytes of code it takes to jump elsewhere and do nothing else;
 * 0: they do something else. */
size_t stub_x86_64(const uint8_t *code, size_t n);
size_t stub_aarch64(const uint8_t *code, size_t n);

#if defined(__x86_64__)
#define stub_is_jump stub_x86_64
#else
#define stub_is_jump stub_aarch64
#endif

#endif
