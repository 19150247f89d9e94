/*
 * Unwinding rules from the tables that compilers write for exceptions
 * (.eh_frame). libdw decodes them, once for each address that is met.
 */
#ifndef CAPTURE_NATIVE_UNWIND_CFI_H
#define CAPTURE_NATIVE_UNWIND_CFI_H

#include <stdint.h>

#include "capture/native/modules/elfutils.h"
#include "capture/native/unwind/unwind.h"
#include "core/mem.h"

/*
 * Sets *ret to the rule for an address of a file, allocated in the arena; NULL
 * if there is none, or one that is not supported. Returns BOB_OK or FATAL.
 */
int cfi_rule(struct bob_ctx *ctx, struct arena *arena,
    const struct elfutils *eu, Dwarf_CFI *cfi, uint64_t at,
    const struct unwind_rule **ret);

#endif
