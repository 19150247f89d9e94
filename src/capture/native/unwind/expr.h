/*
 * Evaluates DWARF expressions, as far as unwinding needs them: arithmetic on
 * registers and memory. Calls and jumps are not supported, so that every
 * evaluation ends.
 */
#ifndef CAPTURE_NATIVE_UNWIND_EXPR_H
#define CAPTURE_NATIVE_UNWIND_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/unwind/regs.h"

#define EXPR_MAX_OPS 256
#define EXPR_STACK 32

struct expr_op {
	uint8_t atom; /* DW_OP_... */
	uint64_t a, b;
};

/* Reads a word of memory. Returns 0, or -errno. */
typedef int expr_load_fn(void *user, uint64_t at, uint64_t *ret);

struct expr_env {
	const struct regs *regs;
	expr_load_fn *load;
	void *user;
	uint64_t cfa;
};

/*
 * Sets *ret to the value on top of the stack after all operations. Returns 0;
 * -EINVAL for an operation that is not supported, a register that is not known,
 * or a stack that is too small; or an error of load.
 */
int expr_eval(const struct expr_op *v, size_t n, const struct expr_env *env,
    uint64_t *ret);

#endif
