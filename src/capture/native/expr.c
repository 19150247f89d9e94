/* A machine with a stack; see the header. */
#include "capture/native/expr.h"

#include <dwarf.h>
#include <errno.h>

struct machine {
	uint64_t v[EXPR_STACK];
	size_t n;
};

static int
push(struct machine *m, uint64_t v)
{
	if (m->n == EXPR_STACK)
		return -EINVAL;
	m->v[m->n++] = v;
	return 0;
}

static int
push_reg(struct machine *m, const struct regs *g, uint64_t reg, uint64_t add)
{
	if (reg > REGS_N || !regs_has(g, (unsigned)reg)) {
		/* The program counter of x86-64 has the number of the return
		 * address. */
		if (reg != 16 || REGS_N != 17)
			return -EINVAL;
		return push(m, g->pc + add);
	}
	return push(m, g->r[reg] + add);
}

/* 1: done; 0: not an operation of two values; -errno. */
static int
two_values(struct machine *m, uint8_t atom)
{
	uint64_t a, b, r;

	if (m->n < 2)
		return 0;
	a = m->v[m->n - 2];
	b = m->v[m->n - 1];
	switch (atom) {
	case DW_OP_and: r = a & b; break;
	case DW_OP_or: r = a | b; break;
	case DW_OP_xor: r = a ^ b; break;
	case DW_OP_plus: r = a + b; break;
	case DW_OP_minus: r = a - b; break;
	case DW_OP_mul: r = a * b; break;
	case DW_OP_shl: r = b < 64 ? a << b : 0; break;
	case DW_OP_shr: r = b < 64 ? a >> b : 0; break;
	case DW_OP_eq: r = a == b; break;
	case DW_OP_ne: r = a != b; break;
	case DW_OP_ge: r = (int64_t)a >= (int64_t)b; break;
	case DW_OP_gt: r = (int64_t)a > (int64_t)b; break;
	case DW_OP_le: r = (int64_t)a <= (int64_t)b; break;
	case DW_OP_lt: r = (int64_t)a < (int64_t)b; break;
	default: return 0;
	}
	m->v[--m->n - 1] = r;
	return 1;
}

/* The same for operations on the top. */
static int
one_value(struct machine *m, const struct expr_op *op,
    const struct expr_env *env)
{
	uint64_t *top;
	int r;

	if (m->n < 1)
		return 0;
	top = &m->v[m->n - 1];
	switch (op->atom) {
	case DW_OP_deref:
		r = env->load(env->user, *top, top);
		return r < 0 ? r : 1;
	case DW_OP_plus_uconst: *top += op->a; return 1;
	case DW_OP_neg: *top = -*top; return 1;
	case DW_OP_not: *top = ~*top; return 1;
	case DW_OP_drop: m->n--; return 1;
	case DW_OP_dup:
		r = push(m, *top);
		return r < 0 ? r : 1;
	case DW_OP_stack_value:
	case DW_OP_nop: return 1;
	default: return 0;
	}
}

static int
no_value(struct machine *m, const struct expr_op *op,
    const struct expr_env *env)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(m, (uint64_t)(atom - DW_OP_lit0));
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_reg(m, env->regs, (uint64_t)(atom - DW_OP_breg0),
		    op->a);
	switch (atom) {
	case DW_OP_bregx: return push_reg(m, env->regs, op->a, op->b);
	case DW_OP_call_frame_cfa: return push(m, env->cfa);
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts: return push(m, op->a);
	default: return -EINVAL;
	}
}

int
expr_eval(const struct expr_op *v, size_t n, const struct expr_env *env,
    uint64_t *ret)
{
	struct machine m = { .n = 0 };
	size_t i;
	int r = 0;

	if (n > EXPR_MAX_OPS)
		return -EINVAL;
	for (i = 0; i < n && r >= 0; i++) {
		r = two_values(&m, v[i].atom);
		if (r == 0)
			r = one_value(&m, &v[i], env);
		if (r == 0)
			r = no_value(&m, &v[i], env);
	}
	if (r < 0 || m.n == 0)
		return r < 0 ? r : -EINVAL;
	*ret = m.v[m.n - 1];
	return 0;
}
