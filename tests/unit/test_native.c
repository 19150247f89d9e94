/*
 * Native frames without a process: expressions, unwinding of stacks made by
 * hand, files of code made at run time, and merging with pieces of an
 * interpreter's stack.
 *
 * Merging is tested by words: "a B c" are frames, innermost first. Frames of C
 * are small letters, L is a loop, X the function that calls the interpreter's,
 * and those of the interpreter are digits.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "capture/native/unwind/callsite.h"
#include "capture/native/merge.h"
#include "capture/native/modules/perfmap.h"
#include "capture/native/unwind/stub.h"
#include "capture/native/unwind/target.h"
#include "capture/native/unwind/unwind.h"
#include "fault.h"
#include "support.h"

#include "../../fuzz/fakemem.h"

/* --- expressions ---------------------------------------------------------- */

static int
load_double(void *user, uint64_t at, uint64_t *ret)
{
	(void)user;
	if (at == 666)
		return -EFAULT;
	*ret = 2 * at;
	return 0;
}

static int
eval(const struct expr_op *v, size_t n, uint64_t *ret)
{
	struct regs g = { .pc = 0x1009 };
	struct expr_env env = { &g, load_double, NULL, 4000 };

	regs_set(&g, 3, 100);
	return expr_eval(v, n, &env, ret);
}

static void
expressions_have_the_values_of_the_standard(void **state)
{
	/* What linkers write for entries of the PLT: 8 more when the entry
	 * has pushed its number, which is from byte 11 on. */
	static const struct expr_op plt[] = { { DW_OP_breg3, 8, 0 },
		{ DW_OP_constu, 0x100c, 0 }, { DW_OP_lit15, 0, 0 },
		{ DW_OP_and, 0, 0 }, { DW_OP_lit11, 0, 0 },
		{ DW_OP_ge, 0, 0 }, { DW_OP_lit3, 0, 0 },
		{ DW_OP_shl, 0, 0 }, { DW_OP_plus, 0, 0 } };
	static const struct expr_op deref[] = { { DW_OP_call_frame_cfa, 0, 0 },
		{ DW_OP_plus_uconst, 5, 0 }, { DW_OP_deref, 0, 0 } };
	static const struct expr_op below[] = { { DW_OP_lit1, 0, 0 },
		{ DW_OP_lit2, 0, 0 }, { DW_OP_minus, 0, 0 },
		{ DW_OP_lit0, 0, 0 }, { DW_OP_lt, 0, 0 } };
	uint64_t v;

	(void)state;
	assert_int_equal(eval(plt, COUNT_OF(plt), &v), 0);
	assert_int_equal(v, 100 + 8 + 8);
	assert_int_equal(eval(deref, COUNT_OF(deref), &v), 0);
	assert_int_equal(v, 2 * 4005);
	assert_int_equal(eval(below, COUNT_OF(below), &v), 0);
	assert_int_equal(v, 1);
}

static void
bad_expressions_are_refused(void **state)
{
	static const struct expr_op few[] = { { DW_OP_plus, 0, 0 } };
	static const struct expr_op jump[] = { { DW_OP_lit1, 0, 0 },
		{ DW_OP_skip, 0, 0 } };
	static const struct expr_op lost[] = { { DW_OP_breg5, 0, 0 } };
	static const struct expr_op far[] = { { DW_OP_bregx, 1 << 20, 0 } };
	static const struct expr_op fault[] = { { DW_OP_constu, 666, 0 },
		{ DW_OP_deref, 0, 0 } };
	struct expr_op many[EXPR_STACK + 1];
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(many); i++)
		many[i] = (struct expr_op){ DW_OP_lit0, 0, 0 };
	assert_int_equal(eval(few, 1, &v), -EINVAL);
	assert_int_equal(eval(few, 0, &v), -EINVAL);
	assert_int_equal(eval(jump, 2, &v), -EINVAL);
	assert_int_equal(eval(lost, 1, &v), -EINVAL);
	assert_int_equal(eval(far, 1, &v), -EINVAL);
	assert_int_equal(eval(fault, 2, &v), -EFAULT);
	assert_int_equal(eval(many, COUNT_OF(many), &v), -EINVAL);
	assert_int_equal(eval(many, EXPR_STACK, &v), 0);
}

/* --- unwinding ------------------------------------------------------------ */

#define AT ((uint64_t)0x7fff0000)
#define RA 9

/* Code whose rules go by the hundreds of an address: 1xx has a frame of 16
 * bytes with its return address on top, 2xx is the first function, 3xx was
 * interrupted, 4xx has no rule, 5xx does not move, 6xx ends far away, 8xx has
 * a frame of 64 bytes with a frame pointer 48 bytes below its end. */
static const struct unwind_saved ra_on_top = { RA, SAVED_AT_CFA, 0, -8, NULL };
static const struct unwind_saved ra_lost = { RA, SAVED_NOWHERE, 0, 0, NULL };

static const struct unwind_saved both_within[] = {
	{ REGS_FP, SAVED_AT_CFA, 0, -48, NULL },
	{ RA, SAVED_AT_CFA, 0, -40, NULL },
};

static const struct unwind_rule rules[] = {
	[1] = { .ra = RA, .cfa_reg = REGS_SP, .cfa_offset = 16, .n_saved = 1,
	    .saved = &ra_on_top },
	[2] = { .ra = RA, .cfa_reg = REGS_SP, .cfa_offset = 16, .n_saved = 1,
	    .saved = &ra_lost },
	[3] = { .is_signal = 1, .ra = RA, .cfa_reg = REGS_SP,
	    .cfa_offset = 16, .n_saved = 1, .saved = &ra_on_top },
	[5] = { .ra = RA, .cfa_reg = REGS_SP, .cfa_offset = 0, .n_saved = 1,
	    .saved = &ra_on_top },
	[6] = { .ra = RA, .cfa_reg = REGS_SP, .cfa_offset = 4096,
	    .n_saved = 1, .saved = &ra_on_top },
	[8] = { .ra = RA, .cfa_reg = REGS_SP, .cfa_offset = 64, .n_saved = 2,
	    .saved = both_within },
};

static const struct unwind_rule *
rule_of(void *user, uint64_t pc)
{
	(void)user;
	return pc / 100 < COUNT_OF(rules) && rules[pc / 100].ra != 0
	    ? &rules[pc / 100] : NULL;
}

static int
is_behind_call(void *user, uint64_t pc)
{
	(void)user;
	return pc % 2 == 1;
}

/* 460 on x86-64: add $8, %rsp; pop %rbp; pop %r12; ret. 480: mov $15, %rax;
 * syscall, or mov x8, #139; svc #0. 490: jmp *n(%rip), or br x17. Others go
 * on. */
static int
code_bytes(void *user, uint64_t pc, uint8_t *to, size_t n)
{
	static const uint8_t end[] = { 0x48, 0x83, 0xc4, 0x08, 0x5d, 0x41,
		0x5c, 0xc3 };
#if defined(__aarch64__)
	static const uint8_t back[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0x00,
		0x00, 0xd4 };
	static const uint8_t jump[] = { 0x20, 0x02, 0x1f, 0xd6 };
#else
	static const uint8_t back[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f,
		0x05 };
	static const uint8_t jump[] = { 0xff, 0x25, 1, 2, 3, 4 };
#endif

	(void)user;
	memset(to, 0x90, n);
	if (pc == 460 && n >= sizeof(end))
		memcpy(to, end, sizeof(end));
	if (pc == 480)
		memcpy(to, back, sizeof(back));
	if (pc == 490)
		memcpy(to, jump, sizeof(jump));
	return pc == 470 ? -EFAULT : 0;
}

/* Only to 4xx. */
static const struct unwind_rule *
lent_to(void *user, uint64_t pc)
{
	return pc / 100 == 4 ? user : NULL;
}

/* Calls whose addresses end in 7 lead to 4xx, in 3 to right before, in 9
 * elsewhere, and others nobody knows where. */
static int
leads_to(void *user, uint64_t ret, uint64_t pc)
{
	(void)user;
	switch (ret % 10) {
	case 3:
		return pc / 100 == 4 ? 2 : 0;
	case 7:
		return pc / 100 == 4;
	case 9:
		return 0;
	}
	return -1;
}

/* Words of a stack, and the frames that they give. */
static size_t
unwind_lent(uint64_t pc, uint64_t fp, struct unwind_rule *lent,
    const uint64_t *v, size_t n, struct unwind_frame *ret, size_t cap,
    enum unwind_end *end)
{
	const struct unwind_code code = { rule_of, code_bytes, is_behind_call,
		lent, REGS_FP, lent_to, leads_to };
	const struct unwind_stack s = { (const uint8_t *)v, AT,
		n * sizeof(*v) };
	struct regs g = { .pc = pc };

	regs_set(&g, REGS_SP, AT);
	if (fp != 0)
		regs_set(&g, REGS_FP, fp);
	return unwind(&code, &s, &g, ret, cap, end);
}

static size_t
unwind_words(uint64_t pc, uint64_t fp, const uint64_t *v, size_t n,
    struct unwind_frame *ret, size_t cap, enum unwind_end *end)
{
	return unwind_lent(pc, fp, NULL, v, n, ret, cap, end);
}

static void
stacks_are_followed_to_where_threads_begin(void **state)
{
	static const uint64_t v[] = { 0, 151, 0, 300, 0, 0 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	assert_int_equal(unwind_words(150, 0, v, COUNT_OF(v), f, 8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[0].lookup, 150);
	assert_int_equal(f[0].sp, AT);
	assert_int_equal(f[0].cfa, AT + 16);
	/* Callers are looked up in the instruction that calls: 300 is behind
	 * the end of the function that it returns to. */
	assert_int_equal(f[1].pc, 151);
	assert_int_equal(f[1].lookup, 150);
	assert_int_equal(f[2].pc, 300);
	assert_int_equal(f[2].lookup, 299);
}

static void
what_was_interrupted_is_looked_up_where_it_stood(void **state)
{
	static const uint64_t v[] = { 0, 301, 0, 200, 0, 0 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	assert_int_equal(unwind_words(150, 0, v, COUNT_OF(v), f, 8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[1].lookup, 300);
	assert_int_equal(f[2].lookup, 200);
}

static void
code_without_rules_is_passed_by_frame_pointers(void **state)
{
	/* 450 has saved its caller's frame pointer at word 2. */
	static const uint64_t v[] = { 0, 0, AT + 40, 451, 0, 0, 251, 0 };
	static const uint64_t bad[] = { 0, 0, AT + 40, 452, 0, 0, 251, 0 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	assert_int_equal(unwind_words(450, AT + 16, v, COUNT_OF(v), f, 8,
	    &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[0].cfa, AT + 32);
	assert_int_equal(f[1].pc, 451);
	assert_int_equal(f[2].pc, 251);
	assert_int_equal(f[0].watched, AT + 16);
	assert_int_equal(f[1].watched, AT + 40);
	/* Not behind a call; below the stack; odd; unknown. */
	assert_int_equal(unwind_words(450, AT + 16, bad, COUNT_OF(bad), f, 8,
	    &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	assert_int_equal(unwind_words(450, AT - 16, v, COUNT_OF(v), f, 8,
	    &end), 1);
	assert_int_equal(unwind_words(450, AT + 17, v, COUNT_OF(v), f, 8,
	    &end), 1);
	assert_int_equal(unwind_words(450, 0, v, COUNT_OF(v), f, 8, &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
}

static void
the_first_function_has_no_frame_pointer(void **state)
{
	/* Called by something; put there by who began the thread; no code. */
	static const uint64_t v[] = { 0, 0, 0, 451, 0 };
	static const uint64_t begun[] = { 0, 0, AT + 40, 451, 0, 0, 452, 0 };
	static const uint64_t bad[] = { 0, 0, AT + 40, 451, 0, 0, 470, 0 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	assert_int_equal(unwind_words(450, AT + 16, v, COUNT_OF(v), f, 8,
	    &end), 2);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[1].pc, 451);
	assert_int_equal(f[1].cfa, f[1].sp);
	assert_int_equal(unwind_words(450, AT + 16, begun, COUNT_OF(begun), f,
	    8, &end), 2);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[1].cfa, AT + 56);
	assert_int_equal(unwind_words(450, AT + 16, bad, COUNT_OF(bad), f, 8,
	    &end), 2);
	assert_int_equal(end, UNWIND_BROKEN);
	assert_int_equal(f[1].cfa, 0);
}

#if REGS_RECORD_IS_LAST

static void
code_without_anything_is_passed_by_a_search(void **state)
{
	/* Left over: not a call, one to elsewhere, one that nobody knows, one
	 * of code without a rule, and one that leads nowhere. */
	static const uint64_t v[] = { 156, 159, 151, 457, 157, 0, 0, 157, 0,
		251, 0, 0 };
	static const uint64_t near[] = { 0, 453, 157, 0, 251, 0, 0 };
	static const uint64_t near_alone[] = { 0, 453, 159, 0, 0 };
	static const uint64_t none[] = { 0, 159, 0, 0 };
	/* Called by code without anything, above which there is nothing but
	 * that; or something else. */
	static const uint64_t first[] = { 0, 451, 0, 0, 451, 0 };
	static const uint64_t other[] = { 0, 451, 0, 0, 159, 0 };
	/* The frame pointer is that of a caller elsewhere. */
	static const uint64_t pointer[] = { 0, 157, 0, 251, AT + 800, 159, 0,
		0 };
	uint64_t many[300];
	struct unwind_frame f[100];
	enum unwind_end end;
	size_t i, n;

	(void)state;
	assert_int_equal(unwind_words(450, 0, v, COUNT_OF(v), f, 8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[0].cfa, AT + 64);
	assert_int_equal(f[1].pc, 157);
	assert_int_equal(f[1].sp, AT + 64);
	assert_int_equal(f[1].watched, 0);
	assert_int_equal(f[2].pc, 251);
	assert_int_equal(unwind_words(450, 0, near, COUNT_OF(near), f, 8,
	    &end), 4);
	assert_int_equal(f[1].pc, 453);
	assert_int_equal(f[2].pc, 157);
	assert_int_equal(unwind_words(450, 0, near_alone, COUNT_OF(near_alone),
	    f, 8, &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	assert_int_equal(unwind_words(450, 0, none, COUNT_OF(none), f, 8,
	    &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	assert_int_equal(unwind_words(450, AT + 32, pointer,
	    COUNT_OF(pointer), f, 8, &end), 3);
	assert_int_equal(f[1].pc, 157);
	assert_int_equal(f[2].pc, 251);
	assert_int_equal(unwind_words(150, 0, first, COUNT_OF(first), f, 8,
	    &end), 2);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[1].cfa, f[1].sp);
	assert_int_equal(unwind_words(150, 0, other, COUNT_OF(other), f, 8,
	    &end), 2);
	assert_int_equal(end, UNWIND_BROKEN);
	/* Such frames upon each other without end. */
	for (i = 0; i < COUNT_OF(many); i++)
		many[i] = i % 3 == 0 ? 157 : i % 3 == 1 ? 0 : 453;
	n = unwind_words(450, 0, many, COUNT_OF(many), f, COUNT_OF(f), &end);
	assert_int_equal(n, 65);
	assert_int_equal(end, UNWIND_BROKEN);
	/* If that is all there is, it is taken. */
	assert_int_equal(unwind_words(450, AT + 16, pointer + 2,
	    COUNT_OF(pointer) - 2, f, 8, &end), 2);
	assert_int_equal(f[1].pc, 159);
}

#else

static void
code_without_anything_is_passed_by_a_search(void **state)
{
	/* Its caller, at word 1, has its record at word 4, and was called by
	 * something that does not lead to 450. */
	static const uint64_t v[] = { 0, 857, 0, 0, AT + 300, 259, 0, 0, 0, 0,
		0, 0 };
	const struct unwind_code code = { rule_of, code_bytes, is_behind_call,
		NULL, REGS_FP, lent_to, leads_to };
	const struct unwind_stack s = { (const uint8_t *)v, AT, sizeof(v) };
	struct regs g = { .pc = 450 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	assert_int_equal(unwind_words(450, AT + 32, v, COUNT_OF(v), f, 8,
	    &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[1].pc, 857);
	assert_int_equal(f[2].pc, 259);
	/* The return address is still in its register. */
	regs_set(&g, REGS_SP, AT + 16);
	regs_set(&g, REGS_FP, AT + 32);
	regs_set(&g, REGS_LINK, 857);
	assert_int_equal(unwind(&code, &s, &g, f, 8, &end), 3);
	assert_int_equal(f[1].pc, 857);
	assert_int_equal(f[2].pc, 259);
}

#endif

static void
code_without_rules_is_passed_by_its_end(void **state)
{
#if defined(__x86_64__)
	static const uint64_t v[] = { 0, AT + 48, 7, 451, 0, 0, 0, 251, 0 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	/* Its caller is passed by the frame pointer that was restored. */
	assert_int_equal(unwind_words(460, 0, v, COUNT_OF(v), f, 8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[0].cfa, AT + 32);
	assert_int_equal(f[1].pc, 451);
	assert_int_equal(f[2].pc, 251);
	assert_int_equal(unwind_words(460, 0, v, 2, f, 8, &end), 1);
	assert_int_equal(end, UNWIND_CUT);
	assert_int_equal(unwind_words(470, 0, v, COUNT_OF(v), f, 8, &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
#else
	(void)state;
#endif
}

/* A call of a jump at 490: its frame is empty, and the caller's as it was. */
static void
jumps_of_linkers_are_passed_as_calls(void **state)
{
	static const uint64_t v[] = { 151, 0, 251, 0, 0, 0 };
	const struct unwind_code code = { rule_of, code_bytes, is_behind_call,
		NULL, REGS_FP, lent_to, leads_to };
	/* Where calls do not push, the caller's frame begins here. */
	size_t skip = 1;
	struct regs g = { .pc = 490 };
	struct unwind_stack s = { (const uint8_t *)v, AT, sizeof(v) };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	regs_set(&g, REGS_SP, AT);
	/* Where others would take it for the caller's. */
	regs_set(&g, REGS_FP, AT + 8);
#if defined(REGS_LINK)
	regs_set(&g, REGS_LINK, 151);
	skip = 0;
	s.bytes = (const uint8_t *)(v + 1);
	s.n -= 8;
#endif
	assert_int_equal(unwind(&code, &s, &g, f, 8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[0].cfa, AT + skip * 8);
	assert_int_equal(f[1].pc, 151);
	assert_int_equal(f[1].sp, AT + skip * 8);
	assert_int_equal(f[1].cfa, AT + skip * 8 + 16);
	assert_int_equal(f[2].pc, 251);
	/* A caller is no jump: its call has returned. */
	g.pc = 150;
	s = (struct unwind_stack){ (const uint8_t *)(const uint64_t[]){
		0, 491, 151, 0, 251 }, AT, 40 };
	assert_int_equal(unwind(&code, &s, &g, f, 8, &end), 2);
	assert_int_equal(end, UNWIND_BROKEN);
}

/* After a step by the frame pointer, which may lie anywhere in a frame. */
static void
frames_are_found_by_their_pointer_where_it_is_all(void **state)
{
	/* 850 has its frame from word 2 to 10, and the pointer at 4. */
	uint64_t v[] = { 0, 0, 0, 0, AT + 300, 151, 0, 0, 0, 0, 0, 251, 0 };
	const struct unwind_code code = { rule_of, code_bytes, is_behind_call,
		NULL, REGS_FP, lent_to, leads_to };
	const struct unwind_stack s = { (const uint8_t *)v, AT, sizeof(v) };
	struct regs g = { .pc = 850 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	g.r[REGS_SP] = AT;
	regs_set(&g, REGS_FP, AT + 32);
	assert_int_equal(unwind(&code, &s, &g, f, 8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[0].cfa, AT + 80);
	assert_int_equal(f[1].pc, 151);
	assert_int_equal(f[1].sp, AT + 80);
	assert_int_equal(f[1].watched, AT + 300);
	assert_int_equal(f[2].pc, 251);
	/* A rule that does not say where the pointer is; none at all. */
	g.pc = 150;
	assert_int_equal(unwind(&code, &s, &g, f, 8, &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	g.pc = 850;
	g.known = 0;
	assert_int_equal(unwind(&code, &s, &g, f, 8, &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	/* The first function needs neither. */
	g.pc = 250;
	assert_int_equal(unwind(&code, &s, &g, f, 8, &end), 1);
	assert_int_equal(end, UNWIND_ROOT);
}

/* The handler returns to code of the kernel at 480, which has no rule. */
static void
what_a_signal_interrupted_is_found_without_a_rule(void **state)
{
	/* Where in what the kernel puts there some registers are. */
#if defined(__aarch64__)
	enum { FP = 39 + 29, SP = 39 + 31, PC = 39 + 32 };
#else
	enum { FP = 5 + 10, SP = 5 + 15, PC = 5 + 16 };
#endif
	uint64_t v[2 + 80] = { 0, 480 };
	uint64_t *const put = v + 2;
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	put[FP] = 77;
	put[SP] = AT + 75 * 8;
	put[PC] = 200;
	assert_int_equal(unwind_words(150, 0, v, COUNT_OF(v), f, 8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_int_equal(f[1].pc, 480);
	assert_int_equal(f[2].lookup, 200);
	assert_int_equal(f[2].sp, AT + 75 * 8);
	assert_int_equal(f[2].watched, 77);
	/* It is above what was copied; it leads inwards. */
	assert_int_equal(unwind_words(150, 0, v, 2 + PC, f, 8, &end), 2);
	assert_int_equal(end, UNWIND_CUT);
	put[SP] = AT;
	assert_int_equal(unwind_words(150, 0, v, COUNT_OF(v), f, 8, &end), 2);
	assert_int_equal(end, UNWIND_BROKEN);
}

static void
code_without_rules_is_passed_by_a_frame_that_is_lent(void **state)
{
	struct unwind_rule lent = { .ra = RA, .cfa_reg = REGS_SP,
		.cfa_offset = 32, .n_saved = 1, .saved = &ra_on_top };
	uint64_t v[] = { 0, 0, 0, 151, 0, 251, 0, 0, AT + 40, 251, 0, 0, 0 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	assert_int_equal(unwind_lent(450, 0, &lent, v, COUNT_OF(v), f, 8,
	    &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_true(f[0].is_lent && !f[1].is_lent && !f[2].is_lent);
	assert_int_equal(f[0].cfa, AT + 32);
	assert_int_equal(f[1].pc, 151);
	/* Code that has a rule does not need it. */
	v[1] = 251;
	assert_int_equal(unwind_lent(150, 0, &lent, v, COUNT_OF(v), f, 8,
	    &end), 2);
	assert_false(f[0].is_lent);
	/* Others are not lent it. */
	assert_int_equal(unwind_lent(750, 0, &lent, v, COUNT_OF(v), f, 8,
	    &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	/* Too short to tell. */
	assert_int_equal(unwind_lent(450, 0, &lent, v, 3, f, 8, &end), 1);
	assert_int_equal(end, UNWIND_CUT);
	/* Not behind a call; of code without rules; none. */
	v[3] = 152;
	assert_int_equal(unwind_lent(450, 0, &lent, v, COUNT_OF(v), f, 8,
	    &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	v[3] = 451;
	assert_int_equal(unwind_lent(450, 0, &lent, v, COUNT_OF(v), f, 8,
	    &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	v[3] = 0;
	assert_int_equal(unwind_lent(450, 0, &lent, v, COUNT_OF(v), f, 8,
	    &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
	/* The stack pointer was moved: its frame pointer tells, if it has
	 * one. */
	v[3] = AT + 96;
	v[4] = 151;
	v[10] = 251;
	lent.n_saved = 2;
	lent.saved = both_within;
	assert_int_equal(unwind_lent(450, AT + 24, &lent, v, COUNT_OF(v), f,
	    8, &end), 3);
	assert_int_equal(end, UNWIND_ROOT);
	assert_true(f[0].is_lent);
	assert_int_equal(f[0].cfa, AT + 72);
	assert_int_equal(f[1].pc, 151);
	assert_int_equal(f[1].watched, AT + 96);
	lent.n_saved = 1;
	lent.saved = &ra_on_top;
	v[3] = 0;
	/* Then the frame pointer is still there. */
	assert_int_equal(unwind_lent(450, AT + 64, &lent, v, COUNT_OF(v), f,
	    8, &end), 2);
	assert_int_equal(end, UNWIND_ROOT);
	assert_false(f[0].is_lent);
}

static void
stacks_end_and_are_bounded(void **state)
{
	static const uint64_t stays[] = { 551, 551, 551, 551 };
	static const uint64_t long_one[] = { 0, 151, 0, 151, 0, 151, 0, 151 };
	static const uint64_t far[] = { 0, 651, 0, 0 };
	struct unwind_frame f[8];
	enum unwind_end end;

	(void)state;
	/* On top a function may have no frame, but only there. */
	assert_int_equal(unwind_words(150, 0, stays, 4, f, 8, &end), 2);
	assert_int_equal(end, UNWIND_BROKEN);
	assert_int_equal(f[1].cfa, 0);
	assert_int_equal(unwind_words(150, 0, long_one, 8, f, 3, &end), 3);
	assert_int_equal(end, UNWIND_CUT);
	assert_int_equal(unwind_words(150, 0, long_one, 8, f, 8, &end), 5);
	assert_int_equal(end, UNWIND_CUT);
	assert_int_equal(unwind_words(150, 0, far, 4, f, 8, &end), 2);
	assert_int_equal(end, UNWIND_CUT);
	assert_int_equal(unwind_words(150, 0, NULL, 0, f, 8, &end), 1);
	assert_int_equal(end, UNWIND_CUT);
}

/* --- machine code --------------------------------------------------------- */

static void
calls_are_known_by_what_stands_before(void **state)
{
	/* call rel; call *%rax; call *%r12; call *(%rax); call *8(%rax);
	 * call *(%rax,%rcx,8); call *0x100(%rbx); call *x(%rip);
	 * call *8(%rsp); call *0x100(%rsp,...); call *table(,%rax,8) */
	static const uint8_t call[][CALLSITE_BYTES] = {
		{ 0, 0, 0, 0xe8, 1, 2, 3, 4 },
		{ 0, 0, 0, 0, 0, 0, 0xff, 0xd0 },
		{ 0, 0, 0, 0, 0, 0x41, 0xff, 0xd4 },
		{ 0, 0, 0, 0, 0, 0, 0xff, 0x10 },
		{ 0, 0, 0, 0, 0, 0xff, 0x50, 0x08 },
		{ 0, 0, 0, 0, 0, 0xff, 0x14, 0xc8 },
		{ 0, 0, 0xff, 0x93, 0, 1, 0, 0 },
		{ 0, 0, 0xff, 0x15, 1, 2, 3, 4 },
		{ 0, 0, 0, 0, 0xff, 0x54, 0x24, 8 },
		{ 0, 0xff, 0x94, 0x24, 0, 1, 0, 0 },
		{ 0, 0xff, 0x14, 0xc5, 1, 2, 3, 4 },
	};
	/* jmp *%rax; push; inc; the end of a longer one; a jump; nothing */
	static const uint8_t other[][CALLSITE_BYTES] = {
		{ 0, 0, 0, 0, 0, 0, 0xff, 0xe0 },
		{ 0, 0, 0, 0, 0, 0, 0xff, 0xf0 },
		{ 0, 0, 0, 0, 0, 0, 0xff, 0xc0 },
		{ 0, 0, 0, 0, 0, 0, 0xff, 0x15 },
		{ 0, 0, 0, 0, 0, 0, 0xff, 0x50 },
		{ 0, 0, 0, 0, 0, 0xff, 0xd0, 0x90 },
		{ 0, 0, 0, 0xe9, 1, 2, 3, 4 },
		{ 0 },
	};
	/* bl; blr x3; blraa x1, x2; blraaz x8 */
	static const uint32_t arm[] = { 0x94001234, 0x97ffffff, 0xd63f0060,
		0xd73f0822, 0xd63f091f };
	/* b; br x3; ret; nop */
	static const uint32_t arm_other[] = { 0x14001234, 0xd61f0060,
		0xd65f03c0, 0xd503201f };
	uint8_t b[CALLSITE_BYTES] = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(call); i++)
		assert_int_equal(callsite_x86_64(call[i]), 1);
	for (i = 0; i < COUNT_OF(other); i++)
		assert_int_equal(callsite_x86_64(other[i]), 0);
	for (i = 0; i < COUNT_OF(arm); i++) {
		memcpy(b + 4, &arm[i], 4);
		assert_int_equal(callsite_aarch64(b), 1);
	}
	for (i = 0; i < COUNT_OF(arm_other); i++) {
		memcpy(b + 4, &arm_other[i], 4);
		assert_int_equal(callsite_aarch64(b), 0);
	}
}

static void
calls_lead_where_they_say(void **state)
{
	/* To 0x100; by the word at 0x300; by a register; far away. */
	static const uint8_t direct[] = { 0x90, 0xe8, 0xe0, 0, 0, 0 };
	static const uint8_t by_word[] = { 0xff, 0x15, 0xe0, 0x02, 0, 0 };
	static const uint8_t by_register[] = { 0x90, 0x90, 0x90, 0x90, 0xff,
		0xd0 };
	static const uint8_t far[] = { 0x90, 0xe8, 0, 0, 0, 0x40 };
	/* At 0x100: endbr64; jmp *0x300 */
	static const uint8_t jump[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25,
		0xf6, 0x01, 0, 0 };
	uint8_t bytes[1024] = { 0 }, *const call = bytes + 0x20 - 6;
	const uint64_t ret = AT + 0x20;
	struct fakemem m;
	uint64_t to = 0;

	(void)state;
	fakemem_init(&m, AT, bytes, sizeof(bytes));
	fakemem_put(&m, 0x300, 0x1234, 8);
	memcpy(call, direct, sizeof(direct));
	assert_int_equal(target_x86_64(&m.mem, ret, &to), 1);
	assert_int_equal(to, AT + 0x100);
	memcpy(bytes + 0x100, jump, sizeof(jump));
	assert_int_equal(target_x86_64(&m.mem, ret, &to), 1);
	assert_int_equal(to, 0x1234);
	memcpy(call, by_word, sizeof(by_word));
	to = 0;
	assert_int_equal(target_x86_64(&m.mem, ret, &to), 1);
	assert_int_equal(to, 0x1234);
	memcpy(call, by_register, sizeof(by_register));
	assert_int_equal(target_x86_64(&m.mem, ret, &to), 0);
	memcpy(call, far, sizeof(far));
	assert_int_equal(target_x86_64(&m.mem, ret, &to), 1);
	assert_int_equal(to, ret + 0x40000000);
	/* The call, or the word, cannot be read. */
	assert_int_equal(target_x86_64(&m.mem, AT + 5, &to), 0);
	memcpy(call, by_word, sizeof(by_word));
	call[3] = 0x7f;
	assert_int_equal(target_x86_64(&m.mem, ret, &to), 0);
}

/* The same for aarch64: bl 0x100; blr x8; bl far away; and at 0x100 adrp x16,
 * the next page; ldr x17, [x16, #16]; add; br x17. */
static void
calls_of_aarch64_lead_where_they_say(void **state)
{
	static const uint32_t jump[] = { 0xb0000010, 0xf9400a11, 0x91004210,
		0xd61f0220 };
	uint8_t bytes[8192] = { 0 };
	const uint64_t ret = AT + 0x20;
	struct fakemem m;
	uint64_t to = 0;

	(void)state;
	fakemem_init(&m, AT, bytes, sizeof(bytes));
	fakemem_put(&m, 4096 + 16, 0x1234, 8);
	fakemem_put(&m, 0x1c, 0x94000000 | (0x100 - 0x1c) / 4, 4);
	assert_int_equal(target_aarch64(&m.mem, ret, &to), 1);
	assert_int_equal(to, AT + 0x100);
	memcpy(bytes + 0x100, jump, sizeof(jump));
	assert_int_equal(target_aarch64(&m.mem, ret, &to), 1);
	assert_int_equal(to, 0x1234);
	/* br x17 alone: nobody knows. */
	memcpy(bytes + 0x100, jump + 3, sizeof(jump[3]));
	assert_int_equal(target_aarch64(&m.mem, ret, &to), 0);
	fakemem_put(&m, 0x1c, 0xd63f0100, 4);
	assert_int_equal(target_aarch64(&m.mem, ret, &to), 0);
	fakemem_put(&m, 0x1c, 0x96000000, 4);
	assert_int_equal(target_aarch64(&m.mem, ret, &to), 1);
	assert_int_equal(to, ret - 4 - ((uint64_t)1 << 27));
	assert_int_equal(target_aarch64(&m.mem, AT + 3, &to), 0);
}

static void
jumps_of_linkers_are_known(void **state)
{
	/* jmp *n(%rip); the same with endbr64 and bnd */
	static const uint8_t jump[][STUB_BYTES] = {
		{ 0xff, 0x25, 1, 2, 3, 4 },
		{ 0xf2, 0xff, 0x25, 1, 2, 3, 4 },
		{ 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 1, 2, 3, 4 },
		{ 0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 1, 2, 3, 4 },
	};
	static const size_t length[] = { 6, 7, 10, 11 };
	/* push; a jump to what a register says; a call; nothing */
	static const uint8_t other[][STUB_BYTES] = {
		{ 0x68, 1, 0, 0, 0, 0xff, 0x25, 1, 2, 3, 4 },
		{ 0xff, 0x27 },
		{ 0xff, 0x15, 1, 2, 3, 4 },
		{ 0 },
	};
	/* bti c; adrp x16; ldr x17, [x16, #8]; add x16, x16, #8; br x17 */
	static const uint32_t arm[] = { 0xd503245f, 0xb0002e10, 0xf9400611,
		0x91002210, 0xd61f0220, 0 };
	/* adrp x16; add x16, x16, #0x10; br x16 */
	static const uint32_t veneer[] = { 0x90001d70, 0x91004210, 0xd61f0200,
		0, 0, 0 };
	/* stp x16, x30, [sp, #-16]!; ldr x17, [x16]; br x17 */
	static const uint32_t first[] = { 0xa9bf7bf0, 0xf9400211, 0xd61f0220,
		0, 0, 0 };
	/* adrp x0; br x17 */
	static const uint32_t page[] = { 0x90001d60, 0xd61f0220, 0, 0, 0, 0 };
	/* Parts of a jump, and no end. */
	static const uint32_t parts[] = { 0xd503201f, 0xd503201f, 0xd503201f,
		0xd503201f, 0xd503201f, 0xd503201f };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(jump); i++)
		assert_int_equal(stub_x86_64(jump[i], STUB_BYTES), length[i]);
	for (i = 0; i < COUNT_OF(other); i++)
		assert_int_equal(stub_x86_64(other[i], STUB_BYTES), 0);
	assert_int_equal(stub_x86_64(jump[0], 5), 0);
	assert_int_equal(stub_x86_64(jump[0], 0), 0);
	for (i = 0; i < 5; i++)
		assert_int_equal(stub_aarch64((const uint8_t *)(arm + i),
		    STUB_BYTES - 4 * i), 20 - 4 * i);
	assert_int_equal(stub_aarch64((const uint8_t *)(arm + 5), 4), 0);
	assert_int_equal(stub_aarch64((const uint8_t *)veneer, STUB_BYTES), 12);
	assert_int_equal(stub_aarch64((const uint8_t *)first, STUB_BYTES), 0);
	assert_int_equal(stub_aarch64((const uint8_t *)page, STUB_BYTES), 0);
	assert_int_equal(stub_aarch64((const uint8_t *)parts, STUB_BYTES), 0);
}

static void
signatures_are_no_part_of_addresses(void **state)
{
	(void)state;
	assert_int_equal(regs_address_aarch64(0x002a7f1234567890),
	    0x7f1234567890);
	assert_int_equal(regs_address_aarch64(0xffff7f1234567890),
	    0x7f1234567890);
	assert_int_equal(regs_address_aarch64(0x7f1234567890),
	    0x7f1234567890);
#if defined(__x86_64__)
	assert_int_equal(regs_address(0xffff7f1234567890),
	    0xffff7f1234567890);
#endif
}

/* --- code made at run time ------------------------------------------------ */

static size_t
take(struct perfmap *m, const char *text)
{
	size_t used;

	assert_int_equal(perfmap_take(m, text, strlen(text), &used), BOB_OK);
	return used;
}

static void
assert_named(struct perfmap *m, uint64_t at, const char *name)
{
	const struct perfmap_entry *e = perfmap_find(m, at);

	if (name == NULL) {
		assert_null(e);
		return;
	}
	assert_non_null(e);
	assert_int_equal(e->n_name, strlen(name));
	assert_memory_equal(e->name, name, e->n_name);
}

static void
names_of_code_are_found_by_address(void **state)
{
	struct perfmap m;

	perfmap_init(&m, *state);
	assert_int_equal(take(&m, "1000 10 a b\n0x2000 0x20 py::f:/x.py\n"
	    "3000 8 unfini"), 36);
	assert_named(&m, 0xfff, NULL);
	assert_named(&m, 0x1000, "a b");
	assert_named(&m, 0x100f, "a b");
	assert_named(&m, 0x1010, NULL);
	assert_named(&m, 0x201f, "py::f:/x.py");
	assert_named(&m, 0x3000, NULL);
	/* What is told later is newer. */
	(void)take(&m, "1008 100 later\n1000 4 again\n");
	assert_named(&m, 0x1000, "again");
	assert_named(&m, 0x1004, "a b");
	assert_named(&m, 0x1008, "later");
	perfmap_done(&m);
}

static void
odd_lines_of_code_are_passed_over(void **state)
{
	char name[2 * PERFMAP_MAX_NAME + 32] = "5000 1 ";
	struct perfmap m;

	perfmap_init(&m, *state);
	(void)take(&m, "\n \n10\n10 \n10 10\n10 10 \nx 1 a\n10 x a\n"
	    "11112222333344445 1 a\n10 0 a\nffffffffffffffff 2 a\n"
	    "0x 1 a\n-1 1 a\n");
	assert_int_equal(m.n, 0);
	memset(name + 7, 'n', sizeof(name) - 9);
	name[sizeof(name) - 2] = '\n';
	name[sizeof(name) - 1] = '\0';
	(void)take(&m, name);
	assert_int_equal(perfmap_find(&m, 0x5000)->n_name, PERFMAP_MAX_NAME);
	perfmap_done(&m);
}

/* --- merging -------------------------------------------------------------- */

struct rig {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct merge merge;
	struct merge_native native[16];
	struct merge_piece piece[16];
	size_t n_native, n_piece;
	bob_stack top;
};

static int
rig_setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));

	r->ctx = bob_ctx_new();
	r->dict = bob_dict_new(r->ctx);
	r->merge.ctx = r->ctx;
	*state = r;
	return 0;
}

static int
rig_teardown(void **state)
{
	struct rig *r = *state;

	free(r->merge.out);
	bob_dict_free(r->dict);
	bob_ctx_free(r->ctx);
	free(r);
	return 0;
}

static bob_fid
frame_of(struct rig *r, char c)
{
	struct bob_frame f = { .lang = c >= '0' && c <= '9' ? BOB_LANG_PHP
	                                                    : BOB_LANG_NATIVE };

	f.name = bob_str_put(r->dict, &c, 1);
	return bob_frame_put(r->dict, &f);
}

/* Frames of C, of 16 bytes each. */
static void
set_native(struct rig *r, const char *words)
{
	for (r->n_native = 0; *words != '\0'; words++, r->n_native++)
		r->native[r->n_native] = (struct merge_native){
			.sp = AT + 16 * r->n_native,
			.cfa = AT + 16 * r->n_native + 16,
			.frame = frame_of(r, *words),
			.kind = *words == 'L' ? MERGE_LOOP : *words == 'X'
			        ? MERGE_CALL : MERGE_PLAIN };
}

static struct merge_piece *
add_piece(struct rig *r, const char *frames, uint32_t flags, uint64_t mark)
{
	struct merge_piece *p = &r->piece[r->n_piece++];

	*p = (struct merge_piece){ .from = r->top, .flags = flags,
		.mark = mark };
	for (; *frames != '\0'; frames++)
		r->top = bob_stack_push(r->dict, r->top,
		    frame_of(r, *frames));
	p->to = r->top;
	return p;
}

static const char *
merged(struct rig *r, int is_whole, int want)
{
	static char text[64];
	size_t i;
	int got = merge_stacks(&r->merge, r->dict, r->native, r->n_native,
	    r->piece, r->n_piece, is_whole);

	assert_int_equal(got, want);
	if (want == 0)
		assert_int_equal(merge_leaf(&r->merge, r->dict, r->native,
		    r->n_native, r->piece, r->n_piece, is_whole), BOB_OK);
	for (i = 0; i < r->merge.n_out; i++)
		text[i] = *bob_str_get(r->dict, bob_frame_get(r->dict,
		    r->merge.out[i])->name).p;
	text[i] = '\0';
	r->n_piece = 0;
	r->top = 0;
	return text;
}

static void
loops_give_way_to_what_they_run(void **state)
{
	struct rig *r = *state;

	set_native(r, "aLbcLde");
	(void)add_piece(r, "123", 0, 0);
	(void)add_piece(r, "45", 0, 0);
	assert_string_equal(merged(r, 1, 1), "a54bc321de");
	/* The top is in the loop itself, and a piece is hidden. */
	set_native(r, "LbLe");
	(void)add_piece(r, "1", 0, 0);
	(void)add_piece(r, "", 0, 0);
	assert_string_equal(merged(r, 1, 1), "b1e");
}

static void
counts_that_differ_are_not_merged(void **state)
{
	struct rig *r = *state;

	set_native(r, "aLbLc");
	(void)add_piece(r, "12", 0, 0);
	assert_string_equal(merged(r, 1, 0), "a21");
	set_native(r, "aLc");
	(void)add_piece(r, "1", 0, 0);
	(void)add_piece(r, "2", 0, 0);
	assert_string_equal(merged(r, 1, 0), "a21");
	/* No loop was seen: the C stack ended before, or it has no name. */
	set_native(r, "abc");
	(void)add_piece(r, "12", 0, 0);
	assert_string_equal(merged(r, 0, 0), "abc21");
	set_native(r, "abc");
	(void)add_piece(r, "12", 0, 0);
	assert_string_equal(merged(r, 1, 0), "21");
	/* As many, but the C stack goes on where it was not followed. */
	set_native(r, "aLb");
	(void)add_piece(r, "1", 0, 0);
	assert_string_equal(merged(r, 0, 0), "a1");
}

static void
marks_tell_which_loop_is_whose(void **state)
{
	struct rig *r = *state;

	/* The loop of frame 3 has no name, and that of frame 1 has only just
	 * begun. */
	set_native(r, "aLbcLd");
	(void)add_piece(r, "1", 0, AT + 4 * 16 + 15);
	(void)add_piece(r, "2", 0, AT + 3 * 16);
	assert_string_equal(merged(r, 1, 1), "aLb21d");
	/* What is further out than the copy is put below. */
	set_native(r, "aLb");
	(void)add_piece(r, "12", 0, AT + 4096);
	(void)add_piece(r, "3", 0, AT + 16);
	assert_string_equal(merged(r, 0, 1), "a3b21");
	set_native(r, "aLb");
	(void)add_piece(r, "12", 0, AT + 4096);
	(void)add_piece(r, "3", 0, AT + 16);
	assert_string_equal(merged(r, 1, 0), "a321");
	/* A loop on another C stack. */
	set_native(r, "aLXb");
	(void)add_piece(r, "12", MERGE_APART, 0);
	(void)add_piece(r, "3", MERGE_BY_CALL, AT + 16);
	assert_string_equal(merged(r, 1, 1), "a3Xb21");
	/* The call that entered it is above the copy, or nowhere. */
	set_native(r, "aL");
	(void)add_piece(r, "3", MERGE_BY_CALL, AT + 16);
	assert_string_equal(merged(r, 0, 1), "a3");
	set_native(r, "aLb");
	(void)add_piece(r, "3", MERGE_BY_CALL, AT + 16);
	assert_string_equal(merged(r, 1, 0), "a3");
	/* None of the marks was met. */
	set_native(r, "ab");
	(void)add_piece(r, "1", 0, AT + 4096);
	assert_string_equal(merged(r, 0, 0), "ab1");
}

static void
calls_without_a_loop_stand_above_what_calls(void **state)
{
	struct rig *r = *state;

	/* C calls an internal function, 3, which calls a callback, 4. */
	set_native(r, "aLXbXcLd");
	(void)add_piece(r, "12", 0, 0);
	(void)add_piece(r, "3", MERGE_NO_LOOP, 0);
	(void)add_piece(r, "4", MERGE_BY_CALL, 0);
	assert_string_equal(merged(r, 1, 1), "a4Xb3Xc21d");
	/* A callback that nobody called. */
	set_native(r, "aLbLd");
	(void)add_piece(r, "1", 0, 0);
	(void)add_piece(r, "4", MERGE_BY_CALL, 0);
	assert_string_equal(merged(r, 1, 0), "a41");
	/* An internal function without its call. */
	set_native(r, "abLd");
	(void)add_piece(r, "1", 0, 0);
	(void)add_piece(r, "3", MERGE_NO_LOOP, 0);
	assert_string_equal(merged(r, 1, 0), "ab31");
	/* A call that has not begun yet. */
	set_native(r, "XaLd");
	(void)add_piece(r, "1", 0, 0);
	assert_string_equal(merged(r, 1, 1), "Xa1d");
}

static int
merge_once(void *user)
{
	struct rig *r = user;
	struct merge m = { .ctx = r->ctx };
	int s = merge_stacks(&m, r->dict, r->native, r->n_native, r->piece,
	    r->n_piece, 1);

	if (s >= 0)
		s = merge_leaf(&m, r->dict, r->native, r->n_native, r->piece,
		    r->n_piece, 1);
	free(m.out);
	return s;
}

static int
take_once(void *user)
{
	struct perfmap m;
	size_t used;
	int s;

	perfmap_init(&m, user);
	s = perfmap_take(&m, "1 1 a\n2 1 b\n", 12, &used);
	perfmap_done(&m);
	return s;
}

static void
out_of_memory_is_told(void **state)
{
	struct rig *r = *state;

	set_native(r, "aLbcLd");
	(void)add_piece(r, "12", 0, 0);
	(void)add_piece(r, "34", 0, 0);
	fault_each(merge_once, r);
	fault_each(take_once, r->ctx);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_have_the_values_of_the_standard),
		cmocka_unit_test(bad_expressions_are_refused),
		cmocka_unit_test(stacks_are_followed_to_where_threads_begin),
		cmocka_unit_test(
		    what_was_interrupted_is_looked_up_where_it_stood),
		cmocka_unit_test(
		    code_without_rules_is_passed_by_frame_pointers),
		cmocka_unit_test(the_first_function_has_no_frame_pointer),
		cmocka_unit_test(code_without_anything_is_passed_by_a_search),
		cmocka_unit_test(code_without_rules_is_passed_by_its_end),
		cmocka_unit_test(jumps_of_linkers_are_passed_as_calls),
		cmocka_unit_test(
		    frames_are_found_by_their_pointer_where_it_is_all),
		cmocka_unit_test(
		    what_a_signal_interrupted_is_found_without_a_rule),
		cmocka_unit_test(
		    code_without_rules_is_passed_by_a_frame_that_is_lent),
		cmocka_unit_test(calls_are_known_by_what_stands_before),
		cmocka_unit_test(calls_lead_where_they_say),
		cmocka_unit_test(calls_of_aarch64_lead_where_they_say),
		cmocka_unit_test(jumps_of_linkers_are_known),
		cmocka_unit_test(signatures_are_no_part_of_addresses),
		cmocka_unit_test(stacks_end_and_are_bounded),
		cmocka_unit_test_setup_teardown(
		    names_of_code_are_found_by_address, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    odd_lines_of_code_are_passed_over, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    loops_give_way_to_what_they_run, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(
		    counts_that_differ_are_not_merged, rig_setup,
		    rig_teardown),
		cmocka_unit_test_setup_teardown(
		    marks_tell_which_loop_is_whose, rig_setup, rig_teardown),
		cmocka_unit_test_setup_teardown(
		    calls_without_a_loop_stand_above_what_calls, rig_setup,
		    rig_teardown),
		cmocka_unit_test_setup_teardown(out_of_memory_is_told,
		    rig_setup, rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
