/*
 * Recognises linker stubs: entries of the PLT, and veneers for branches that
 * are out of range. A stub only jumps: the stack and the return address are as
 * the call has left them. Most stubs have no table. The decoders of all
 * machines are built on each machine, so that all are tested everywhere.
 */
#ifndef CAPTURE_NATIVE_UNWIND_STUB_H
#define CAPTURE_NATIVE_UNWIND_STUB_H

#include <stddef.h>
#include <stdint.h>

/* Limit of bytes of code. */
#define STUB_BYTES 24

/* Each returns the length of the stub at the beginning of n bytes of code; 0 if
 * there is none. */
size_t stub_x86_64(const uint8_t *code, size_t n);
size_t stub_aarch64(const uint8_t *code, size_t n);

#if defined(__x86_64__)
#define stub_is_jump stub_x86_64
#else
#define stub_is_jump stub_aarch64
#endif

#endif
