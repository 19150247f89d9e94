/* Converts libdw's description of a frame to a struct unwind_rule; see
 * cfi.h. */
#include "capture/native/unwind/cfi.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Beside BOB_OK and FATAL: the rule is not supported. */
#define STRANGE 1

static int
copy_ops(struct bob_ctx *ctx, struct arena *arena, const Dwarf_Op *ops,
    size_t n, const struct expr_op **ret)
{
	struct expr_op *v;
	size_t i;

	if (n > EXPR_MAX_OPS)
		return STRANGE;
	v = arena_alloc(ctx, arena, n * sizeof(*v));
	if (v == NULL)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		v[i] = (struct expr_op){ ops[i].atom, ops[i].number,
			ops[i].number2 };
	*ret = v;
	return BOB_OK;
}

static int
convert_cfa(struct bob_ctx *ctx, struct arena *arena, const struct elfutils *eu,
    Dwarf_Frame *f, struct unwind_rule *rule)
{
	Dwarf_Op *ops;
	size_t n;

	if (eu->dwarf_frame_cfa(f, &ops, &n) < 0 || n == 0)
		return STRANGE;
	if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < REGS_N) {
		rule->cfa_reg = (uint8_t)ops[0].number;
		rule->cfa_offset = (int64_t)ops[0].number2;
		return BOB_OK;
	}
	if (n == 1 && ops[0].atom >= DW_OP_breg0 &&
	    ops[0].atom <= DW_OP_breg31) {
		rule->cfa_reg = (uint8_t)(ops[0].atom - DW_OP_breg0);
		rule->cfa_offset = (int64_t)ops[0].number;
		return BOB_OK;
	}
	rule->n_cfa = (uint16_t)n;
	return copy_ops(ctx, arena, ops, n, &rule->cfa);
}

/* Returns 1 and sets *ret to the offset for `DW_OP_call_frame_cfa` with or
 * without `DW_OP_plus_uconst`; else 0. */
static int
is_from_cfa(const Dwarf_Op *ops, size_t n, int64_t *ret)
{
	if (n == 0 || n > 2 || ops[0].atom != DW_OP_call_frame_cfa)
		return 0;
	*ret = 0;
	if (n == 2 && ops[1].atom != DW_OP_plus_uconst)
		return 0;
	if (n == 2)
		*ret = (int64_t)ops[1].number;
	return 1;
}

static int
convert_saved(struct bob_ctx *ctx, struct arena *arena, const Dwarf_Op *ops,
    size_t n, struct unwind_saved *s)
{
	int is_value = ops[n - 1].atom == DW_OP_stack_value;

	n -= (size_t)is_value;
	if (is_from_cfa(ops, n, &s->offset)) {
		s->how = is_value ? SAVED_CFA : SAVED_AT_CFA;
		return BOB_OK;
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		s->how = SAVED_IN_REG;
		s->offset = ops[0].atom - DW_OP_reg0;
		return BOB_OK;
	}
	if (n == 1 && ops[0].atom == DW_OP_regx) {
		s->how = SAVED_IN_REG;
		s->offset = ops[0].number < REGS_N ? (int64_t)ops[0].number
		                                   : -1;
		return BOB_OK;
	}
	if (n == 0 || n > EXPR_MAX_OPS)
		return STRANGE;
	s->how = is_value ? SAVED_EXPR : SAVED_AT_EXPR;
	s->n_ops = (uint16_t)n;
	return copy_ops(ctx, arena, ops, n, &s->ops);
}

static int
convert_registers(struct bob_ctx *ctx, struct arena *arena,
    const struct elfutils *eu, Dwarf_Frame *f, struct unwind_rule *rule)
{
	struct unwind_saved v[REGS_N], *copy;
	size_t n = 0;
	int reg, r = BOB_OK;

	for (reg = 0; r == BOB_OK && reg < REGS_N; reg++) {
		Dwarf_Op mem[3], *ops;
		size_t n_ops;

		if (eu->dwarf_frame_register(f, reg, mem, &ops, &n_ops) < 0)
			return STRANGE;
		if (n_ops == 0 && ops == NULL)
			continue; /* not changed by the function */
		memset(&v[n], 0, sizeof(v[n]));
		v[n].reg = (uint8_t)reg;
		v[n].how = SAVED_NOWHERE;
		if (n_ops > 0)
			r = convert_saved(ctx, arena, ops, n_ops, &v[n]);
		n++;
	}
	if (r != BOB_OK)
		return r;
	copy = arena_alloc(ctx, arena, (n + 1) * sizeof(*copy));
	if (copy == NULL)
		return BOB_FATAL;
	memcpy(copy, v, n * sizeof(*copy));
	rule->saved = copy;
	rule->n_saved = (uint8_t)n;
	return BOB_OK;
}

int
cfi_rule(struct bob_ctx *ctx, struct arena *arena, const struct elfutils *eu,
    Dwarf_CFI *cfi, uint64_t at, const struct unwind_rule **ret)
{
	struct unwind_rule *rule;
	Dwarf_Frame *f = NULL;
	bool is_signal = false;
	int r, ra;

	*ret = NULL;
	if (eu->dwarf_cfi_addrframe(cfi, at, &f) < 0)
		return BOB_OK;
	ra = eu->dwarf_frame_info(f, NULL, NULL, &is_signal);
	rule = arena_alloc(ctx, arena, sizeof(*rule));
	if (rule == NULL) {
		free(f);
		return BOB_FATAL;
	}
	memset(rule, 0, sizeof(*rule));
	rule->is_signal = is_signal;
	rule->ra = (uint8_t)ra;
	r = ra >= 0 && ra < REGS_N ? convert_cfa(ctx, arena, eu, f, rule)
	                           : STRANGE;
	if (r == BOB_OK)
		r = convert_registers(ctx, arena, eu, f, rule);
	free(f);
	if (r == BOB_OK)
		*ret = rule;
	return r == BOB_FATAL ? r : BOB_OK;
}
