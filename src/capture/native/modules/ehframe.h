/*
 * Checks unwinding tables (.eh_frame) before libdw gets them.
 *
 * They are foreign data, and libdw trusts them: it allocates an array as long
 * as the highest register number, and copies it for each DW_CFA_remember_state.
 * So every entry is decoded once here. An entry that is too long, cut off, or
 * asks for more than compilers write is overwritten, so that libdw refuses it;
 * then its function has no rule.
 */
#ifndef CAPTURE_NATIVE_MODULES_EHFRAME_H
#define CAPTURE_NATIVE_MODULES_EHFRAME_H

#include <stddef.h>
#include <stdint.h>

#include "capture/quota.h"
#include "core/error.h"

/* Limit of tables of one file; those of a browser have 20 MiB. */
#define EHFRAME_MAX_BYTES ((uint64_t)64 << 20)

/* Limit of one entry; those of the largest functions have 20 KB. */
#define EHFRAME_MAX_ENTRY 65536

/* Limit of register numbers. x86-64 has 17, with vectors 130; aarch64 has
 * 128. */
#define EHFRAME_MAX_REG 256

/* Limit of nested DW_CFA_remember_state; compilers write one or two. */
#define EHFRAME_MAX_STATES 16

/*
 * Checks n bytes, and overwrites bad entries in place. Returns how many bytes
 * are tables, up to their end or to the first that cannot be one; 0 if the
 * quota is exceeded.
 */
size_t ehframe_check(uint8_t *p, size_t n, struct quota *b);

#endif
