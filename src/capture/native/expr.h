/*
 * Expressions of DWARF, as far as unwinding needs them: arithmetic on
 * registers and on memory, without calls or jumps, so that each ends.
 */
#ifndef CAPTURE_NATIVE_EXPR_H
#define CAPTURE_NATIVE_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "capture/native/regs.h"

#define EXPR_MAX_OPS 256
#define EXPR_STACK 32

struct expr_op {
	uint8_t atom; /* DW_OP_... */
	uint64_t a, b;
};

/* Where values of memory come from: 0, or -errno. */
typedef int expr_load_fn(void *user, uint64_t at, uint64_t *ret);

struct expr_env {
	const struct regs *regs;
	expr_load_fn *load;
	void *user;
	uint64_t cfa;
};

/*
 * The value on top after all operations. 0; -EINVAL for what is not known or
 * does not fit; or what load returned.
 */
int expr_eval(const struct expr_op *v, size_t n, const struct expr_env *env,
    uint64_t *ret);

#endif
