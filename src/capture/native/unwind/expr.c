/* A stack machine for DWARF expressions; see expr.h. */
#include "capture/native/unwind/expr.h"

#include <dwarf.h>
#include <errno.h>

struct machine {
	uint64_t v[EXPR_STACK];
	size_t n;
};

static int
expr_push(struct machine *m, uint64_t v)
{
	if (m->n == EXPR_STACK)
		return -EINVAL;
	m->v[m->n++] = v;
	return 0;
}

static int
expr_push_reg(struct machine *m, const struct regs *g, uint64_t reg,
    uint64_t add)
{
	if (reg > REGS_N || !regs_has(g, (unsigned)reg)) {
		/* On x86-64 number 16 is the return address column, and stands
		 * for the program counter. */
		if (reg != 16 || REGS_N != 17)
			return -EINVAL;
		return expr_push(m, g->pc + add);
	}
	return expr_push(m, g->r[reg] + add);
}

/* Executes an operation on the two top values. Returns 1; 0 if it is none; or
 * -errno. */
static int
eval_binary(struct machine *m, uint8_t atom)
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

/* The same for an operation on the top value. */
static int
eval_unary(struct machine *m, const struct expr_op *op,
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
		r = expr_push(m, *top);
		return r < 0 ? r : 1;
	case DW_OP_stack_value:
	case DW_OP_nop: return 1;
	default: return 0;
	}
}

/* Executes an operation that only pushes a value. Returns 0, or -EINVAL. */
static int
eval_push(struct machine *m, const struct expr_op *op,
    const struct expr_env *env)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return expr_push(m, (uint64_t)(atom - DW_OP_lit0));
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return expr_push_reg(m, env->regs,
		    (uint64_t)(atom - DW_OP_breg0), op->a);
	switch (atom) {
	case DW_OP_bregx: return expr_push_reg(m, env->regs, op->a, op->b);
	case DW_OP_call_frame_cfa: return expr_push(m, env->cfa);
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
	case DW_OP_consts: return expr_push(m, op->a);
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
		r = eval_binary(&m, v[i].atom);
		if (r == 0)
			r = eval_unary(&m, &v[i], env);
		if (r == 0)
			r = eval_push(&m, &v[i], env);
	}
	if (r < 0 || m.n == 0)
		return r < 0 ? r : -EINVAL;
	*ret = m.v[m.n - 1];
	return 0;
}
