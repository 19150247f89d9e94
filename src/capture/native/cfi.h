/*
 * Rules for unwinding, from the tables that compilers leave for exceptions
 * (.eh_frame), decoded by libdw once for each instruction that is met.
 */
#ifndef CAPTURE_NATIVE_CFI_H
#define CAPTURE_NATIVE_CFI_H

#include <stdint.h>

#include "capture/native/elfutils.h"
#include "capture/native/unwind.h"
#include "core/mem.h"

/*
 * The rule for an address of a file. BOB_OK and *ret, allocated in the arena;
 * NULL when there is none, or one that is not understood. FATAL.
 */
int cfi_rule(struct bob_ctx *ctx, struct arena *arena,
    const struct elfutils *eu, Dwarf_CFI *cfi, uint64_t at,
    const struct unwind_rule **ret);

#endif
