/*
 * The tables for unwinding (.eh_frame), looked through before libdw gets them.
 *
 * They are the target's, and libdw believes them: the number of a register is
 * the length of an array that it makes, and each state that is to be remembered
 * is a copy of that array. So every entry is walked once, and one that is too
 * long, cut off, or asks for more than programs have is made one that libdw
 * refuses. Places that it is about have no rule then.
 */
#ifndef CAPTURE_NATIVE_EHFRAME_H
#define CAPTURE_NATIVE_EHFRAME_H

#include <stddef.h>
#include <stdint.h>

#include "capture/quota.h"
#include "core/error.h"

/* Bytes of tables of one file: a browser has 20 MiB. */
#define EHFRAME_MAX_BYTES ((uint64_t)64 << 20)

/* Bytes of one entry: those of the largest functions have
 * 20 KB. */
#define EHFRAME_MAX_ENTRY 65536

/* Registers have smaller numbers on all machines (x86-64 has 17, with vectors
 * 130; aarch64 has 128). */
#define EHFRAME_MAX_REG 256

/* States that are remembered within each other; compilers have one or two. */
#define EHFRAME_MAX_STATES 16

/*
 * Walks and mends n bytes, in place. How many of them are tables, up to their
 * end or to where they make no sense; 0 also when they are too much for the
 * quota.
 */
size_t ehframe_check(uint8_t *p, size_t n, struct quota *b);

#endif
