/*
 * Native frames from hostile bytes. The first byte says what the rest is:
 *
 *  - a perf map of code made at run time: its lines are read in two parts, and
 *    all addresses in it are looked up, or
 *  - a stack, unwound by rules from the input: for each instruction 16 bytes,
 *    chosen by the address, say where the frame ends and where registers are,
 *    by offsets or by an expression.
 *
 * Nothing may crash, hang, or take more steps than its bytes allow. Frames must
 * lead outwards, lie in the copy, and not be more than were asked for.
 */
#include "fuzz.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "capture/native/modules/perfmap.h"
#include "capture/native/unwind/unwind.h"
#include "work.h"

#define FUZZ_CHECK(condition)                                                \
	do {                                                                 \
		if (!(condition))                                            \
			abort();                                             \
	} while (0)

#define AT ((uint64_t)0x7ffc00000000)
#define MAX_FRAMES 256
#define RULE 16
#define N_OPS 6

/* Steps for each byte of a map, which is also sorted. For a stack, 256 frames
 * are looked for, whatever it has. */
#define MAP_RATE 64
#define MAP_ONCE 20000
#define STACK_RATE 64
#define STACK_ONCE 500000

static void
look_up(struct perfmap *m, uint64_t at)
{
	const struct perfmap_entry *e = perfmap_find(m, at);

	FUZZ_CHECK(e == NULL || (at >= e->at && at - e->at < e->size &&
	    e->n_name <= PERFMAP_MAX_NAME));
}

static void
read_map(const uint8_t *p, size_t n)
{
	struct bob_ctx *ctx = bob_ctx_new();
	const char *text = (const char *)p;
	struct perfmap m;
	size_t used, more, i, k;

	if (ctx == NULL)
		return;
	perfmap_init(&m, ctx);
	work_begin();
	FUZZ_CHECK(perfmap_take(&m, text, n / 2, &used) == BOB_OK);
	FUZZ_CHECK(used <= n / 2);
	(void)perfmap_find(&m, 0x1000);
	FUZZ_CHECK(perfmap_take(&m, text + used, n - used, &more) == BOB_OK);
	FUZZ_CHECK(used + more <= n);
	FUZZ_CHECK(perfmap_seal(&m) == BOB_OK);
	for (i = 0; i < m.n_part; i++)
		for (k = 0; k < m.part[i].n && k < 64; k++)
			look_up(&m, m.part[i].v[k].at);
	work_check(n, MAP_RATE, MAP_ONCE);
	perfmap_done(&m);
	bob_ctx_free(ctx);
}

/* The rule that was made last: one is used at a time. */
struct code {
	const uint8_t *p;
	size_t n;
	struct unwind_rule rule;
	struct unwind_saved saved[2];
	struct expr_op ops[N_OPS];
};

static const struct unwind_rule *
rule_of(void *user, uint64_t pc)
{
	struct code *c = user;
	const uint8_t *b;
	size_t i;

	if (c->n < RULE || pc % 5 == 0)
		return NULL;
	b = c->p + pc % (c->n - RULE + 1);
	for (i = 0; i < N_OPS; i++)
		c->ops[i] = (struct expr_op){ b[i + 8],
			(uint64_t)(int8_t)b[i + 9], b[i + 7] };
	c->rule = (struct unwind_rule){ .is_signal = b[0] & 1,
		.ra = b[1] % (REGS_N + 2), .n_saved = b[0] >> 1 & 3,
		.cfa_reg = b[2] % (REGS_N + 2),
		.n_cfa = (uint16_t)((b[0] & 8) != 0 ? N_OPS : 0),
		.cfa_offset = (int8_t)b[3], .cfa = c->ops,
		.saved = c->saved };
	if (c->rule.n_saved > 2)
		c->rule.n_saved = 2;
	for (i = 0; i < 2; i++)
		c->saved[i] = (struct unwind_saved){
			.reg = i == 0 ? c->rule.ra : b[4] % (REGS_N + 2),
			.how = b[5 + i] % (SAVED_IN_REG + 1), .n_ops = N_OPS,
			.offset = (int8_t)b[6 + i], .ops = c->ops };
	return &c->rule;
}

static int
code_bytes(void *user, uint64_t pc, uint8_t *to, size_t n)
{
	struct code *c = user;

	if (c->n < n)
		return -1;
	memcpy(to, c->p + pc % (c->n - n + 1), n);
	return 0;
}

static int
is_behind_call(void *user, uint64_t pc)
{
	(void)user;
	return pc % 3 != 0;
}

static const struct unwind_rule *
lent_to(void *user, uint64_t pc)
{
	static const struct unwind_saved ra = { 1, SAVED_AT_CFA, 0, -8, NULL };
	static const struct unwind_rule lent = { .ra = 1, .n_saved = 1,
		.cfa_reg = REGS_SP, .cfa_offset = 24, .saved = &ra };

	(void)user;
	return pc % 2 == 0 ? &lent : NULL;
}

static int
leads_to(void *user, uint64_t ret, uint64_t pc)
{
	(void)user;
	return (int)((ret ^ pc) % 3) - 1;
}

static void
read_stack(const uint8_t *p, size_t n)
{
	struct code c = { .p = p, .n = n };
	const struct unwind_code code = { rule_of, code_bytes, is_behind_call,
		&c, 3, lent_to, leads_to };
	const struct unwind_stack s = { p, AT, n };
	struct unwind_frame v[MAX_FRAMES];
	struct regs g = { .pc = n > 8 ? p[0] : 1 };
	enum unwind_end end;
	size_t n_frame, i;

	for (i = 0; i < REGS_N && i < n; i++)
		regs_set(&g, (unsigned)i, AT + p[i]);
	regs_set(&g, REGS_SP, AT);
	work_begin();
	n_frame = unwind(&code, &s, &g, v, MAX_FRAMES, &end);
	work_check(n, STACK_RATE, STACK_ONCE);
	FUZZ_CHECK(n_frame >= 1 && n_frame <= MAX_FRAMES);
	FUZZ_CHECK(end <= UNWIND_BROKEN);
	for (i = 0; i + 1 < n_frame; i++)
		FUZZ_CHECK(v[i].cfa >= v[i].sp && v[i].cfa != 0 &&
		    (i == 0 || v[i].sp >= v[i - 1].sp));
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	if (n == 0)
		return 0;
	if (p[0] % 2 == 0)
		read_map(p + 1, n - 1);
	else
		read_stack(p + 1, n - 1);
	return 0;
}
