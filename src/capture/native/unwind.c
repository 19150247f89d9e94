/* Step by step; see the header. */
#include "capture/native/unwind.h"

#include <errno.h>
#include <string.h>

#include "capture/native/epilogue.h"
#include "capture/native/sigframe.h"
#include "capture/native/stub.h"
#include "capture/proc/mem.h"

/* How far the return address of code without tables is looked for, how many are
 * tried, and how often in one stack: each of them is read from the process. */
#define SEARCH 16384
#define MAX_TRIED 64
#define MAX_SEARCHES 32

/* regs.r[REGS_SP] is never above the stack pointer; when it is not among those
 * that are known, it may be below. */
struct walk {
	const struct unwind_code *code;
	const struct unwind_stack *stack;
	struct regs regs;
	uint64_t cfa;
	int has_called; /* pc is where a call returns to */
	int is_ruled;   /* code with a rule was passed */
	int n_searches;
};

/* -ERANGE: above what was copied. */
static int
load(void *user, uint64_t at, uint64_t *ret)
{
	const struct unwind_stack *s = user;

	if (at < s->at)
		return -EFAULT;
	if (s->n < sizeof(*ret) || at - s->at > s->n - sizeof(*ret))
		return at - s->at < (uint64_t)1 << 30 ? -ERANGE : -EFAULT;
	*ret = mem_u64(s->bytes, (size_t)(at - s->at));
	return 0;
}

static const struct unwind_saved *
find_saved(const struct unwind_rule *rule, unsigned reg)
{
	size_t i;

	for (i = 0; i < rule->n_saved; i++)
		if (rule->saved[i].reg == reg)
			return &rule->saved[i];
	return NULL;
}

/* Of a function whose stack pointer is not known, but whose frame pointer is:
 * that is one when the return address was saved right behind it. */
static int
find_cfa_by_pointer(struct walk *w, const struct unwind_rule *rule)
{
	const struct unwind_saved *fp = find_saved(rule, REGS_FP);
	const struct unwind_saved *ra = find_saved(rule, rule->ra);

	if (!regs_has(&w->regs, REGS_FP) || fp == NULL || ra == NULL ||
	    fp->how != SAVED_AT_CFA || ra->how != SAVED_AT_CFA ||
	    ra->offset - fp->offset != 8)
		return -EINVAL;
	w->cfa = w->regs.r[REGS_FP] - (uint64_t)fp->offset;
	return 0;
}

static int
find_cfa(struct walk *w, const struct unwind_rule *rule)
{
	struct expr_env env = { &w->regs, load,
		(void *)(uintptr_t)w->stack, 0 };

	if (rule->n_cfa > 0)
		return expr_eval(rule->cfa, rule->n_cfa, &env, &w->cfa);
	if (rule->cfa_reg == REGS_SP && !regs_has(&w->regs, REGS_SP))
		return find_cfa_by_pointer(w, rule);
	if (!regs_has(&w->regs, rule->cfa_reg))
		return -EINVAL;
	w->cfa = w->regs.r[rule->cfa_reg] + (uint64_t)rule->cfa_offset;
	return 0;
}

/* One register of the caller. 1: it is lost. */
static int
restore(const struct walk *w, const struct unwind_saved *s, uint64_t *ret)
{
	struct expr_env env = { &w->regs, load, (void *)(uintptr_t)w->stack,
		w->cfa };
	uint64_t at = w->cfa + (uint64_t)s->offset;
	int r = 0;

	switch ((enum unwind_how)s->how) {
	case SAVED_AT_CFA:
		return load(env.user, at, ret);
	case SAVED_CFA:
		*ret = at;
		return 0;
	case SAVED_AT_EXPR:
	case SAVED_EXPR:
		r = expr_eval(s->ops, s->n_ops, &env, ret);
		if (r == 0 && s->how == SAVED_AT_EXPR)
			r = load(env.user, *ret, ret);
		return r;
	case SAVED_IN_REG:
		if (s->offset < 0 || !regs_has(&w->regs, (unsigned)s->offset))
			return 1;
		*ret = w->regs.r[s->offset];
		return 0;
	case SAVED_NOWHERE:
		break;
	}
	return 1;
}

/* The registers of the caller. 0; 1: there is none; -errno. A register that
 * cannot be read is lost, but the return address is needed. */
static int
step_by_rule(struct walk *w, const struct unwind_rule *rule)
{
	const struct unwind_saved *ra = find_saved(rule, rule->ra);
	struct regs next = w->regs;
	uint64_t v;
	size_t i;
	int r, failed = 0;

	r = find_cfa(w, rule);
	if (r == -EINVAL && ra != NULL && ra->how == SAVED_NOWHERE) {
		w->cfa = w->regs.r[REGS_SP];
		return 1;
	}
	if (r < 0)
		return r;
	regs_set(&next, REGS_SP, w->cfa);
	for (i = 0; i < rule->n_saved; i++) {
		const struct unwind_saved *s = &rule->saved[i];

		if (s->reg >= REGS_N)
			continue;
		r = restore(w, s, &v);
		if (r == 0)
			regs_set(&next, s->reg, v);
		else
			regs_drop(&next, s->reg);
		if (s->reg == rule->ra)
			failed = r;
	}
	if (failed != 0)
		return failed;
	if (!regs_has(&next, rule->ra))
		return -EINVAL;
	next.pc = regs_address(next.r[rule->ra]);
	w->regs = next;
	return next.pc == 0;
}

/* From the kernel's code behind a handler to what was interrupted. */
static int
step_by_signal(struct walk *w)
{
	struct regs next = w->regs;
	uint8_t b[SIGFRAME_CODE];
	int r = w->code->bytes(w->code->user, w->regs.pc, b, sizeof(b));

	if (r == 0)
		r = sigframe_run(b, &next, load, (void *)(uintptr_t)w->stack);
	if (r < 0)
		return r;
	w->regs = next;
	w->cfa = next.r[REGS_SP];
	return 0;
}

/* On to who called, if that is right behind a call. */
static int
go_to_caller(struct walk *w, const struct regs *next)
{
	if (!w->code->is_behind_call(w->code->user, next->pc))
		return -EINVAL;
	w->regs = *next;
	w->cfa = next->r[REGS_SP];
	return 0;
}

static int
step_by_end(struct walk *w)
{
	struct regs next = w->regs;
	uint8_t b[EPILOGUE_MAX];
	int r = w->code->bytes(w->code->user, w->regs.pc, b, sizeof(b));

	if (r == 0)
		r = epilogue_run(b, sizeof(b), &next, load,
		    (void *)(uintptr_t)w->stack);
	return r < 0 ? r : go_to_caller(w, &next);
}

/* Back from a call whose function has done nothing yet. */
static int
undo_call(const struct walk *w, struct regs *g)
{
#if defined(REGS_LINK)
	(void)w;
	if (!regs_has(g, REGS_LINK))
		return -EINVAL;
	g->pc = regs_address(g->r[REGS_LINK]);
	return 0;
#else
	int r = load((void *)(uintptr_t)w->stack, g->r[REGS_SP], &g->pc);

	if (r == 0)
		g->r[REGS_SP] += 8;
	return r;
#endif
}

/* From code of the linker's that jumps elsewhere, to what has called it. */
static int
step_by_stub(struct walk *w)
{
	struct regs next = w->regs;
	uint8_t b[STUB_BYTES];
	int r = w->code->bytes(w->code->user, w->regs.pc, b, sizeof(b));

	if (r < 0)
		return r;
	if (stub_is_jump(b, sizeof(b)) == 0)
		return -EINVAL;
	r = undo_call(w, &next);
	return r < 0 ? r : go_to_caller(w, &next);
}

/* Nothing says that this code runs on that frame, so what is found must be
 * right behind a call of a function that has a rule of its own. */
static int
try_lent(struct walk *w, const struct unwind_rule *lent)
{
	const struct unwind_code *code = w->code;
	int r = step_by_rule(w, lent);

	if (r < 0)
		return r;
	return r == 0 && code->is_behind_call(code->user, w->regs.pc) &&
	    code->rule(code->user, w->regs.pc - 1) != NULL ? 0 : -EINVAL;
}

/* Such code may have moved the stack pointer, and what is where the rule points
 * then can be left over from an earlier call. A frame pointer it leaves alone:
 * where all functions have one, that comes first. */
static int
step_by_lent(struct walk *w)
{
	const struct unwind_code *code = w->code;
	const struct unwind_rule *lent = code->lent(code->user, w->regs.pc);
	int by_pointer = !REGS_RECORD_IS_LAST, i, r = -EINVAL, failed = 0;

	for (i = 0; i < 2 && r < 0 && lent != NULL; i++) {
		struct walk next = *w;

		if (by_pointer)
			regs_drop(&next.regs, REGS_SP);
		r = try_lent(&next, lent);
		if (r == 0)
			*w = next;
		else if (!by_pointer)
			failed = r;
		by_pointer = !by_pointer;
	}
	return r < 0 && failed < 0 ? failed : r;
}

/* Whether an address that no call has left is where somebody put it who began
 * a thread: a place in code, below which there is no frame. */
static int
is_begin(const struct walk *w, uint64_t fp, uint64_t pc)
{
	uint8_t b;

	return fp == 0 && w->code->bytes(w->code->user, pc, &b, 1) == 0;
}

/* The frame pointer points at the caller's, and behind that is the return
 * address. The first function has 0 there; others may, if the program has other
 * use for the register, and one without a frame of its own has its caller's.
 * `is_strict`: there must be a caller, and the call be one to this file unless
 * nobody knows. 0; 1: there is no caller; -errno. */
static int
step_by_pointer(struct walk *w, int is_strict)
{
	uint64_t fp, next, pc;
	int r;

	if (!regs_has(&w->regs, REGS_FP))
		return -EINVAL;
	fp = w->regs.r[REGS_FP];
	if (fp == 0 && w->has_called && !is_strict) {
		w->cfa = w->regs.r[REGS_SP];
		return 1;
	}
	if (fp < w->regs.r[REGS_SP] || fp % 8 != 0)
		return -EINVAL;
	r = load((void *)(uintptr_t)w->stack, fp, &next);
	if (r == 0)
		r = load((void *)(uintptr_t)w->stack, fp + 8, &pc);
	if (r < 0)
		return r;
	pc = regs_address(pc);
	w->cfa = fp + 16;
	if (!w->code->is_behind_call(w->code->user, pc))
		return !is_strict && is_begin(w, next, pc) ? 1 : -EINVAL;
	if (is_strict && w->code->leads_to(w->code->user, pc,
	        w->regs.pc) == 0)
		return -EINVAL;
	/* What it saved besides is not known. */
	w->regs.known = 0;
	regs_set(&w->regs, REGS_FP, next);
	regs_set(&w->regs, REGS_SP, w->cfa);
	if (!REGS_RECORD_IS_LAST)
		regs_drop(&w->regs, REGS_SP);
	w->regs.pc = pc;
	return 0;
}

/* The registers behind a call whose return address is there. What its function
 * has saved of them is not known; nor, where that does not end its frame, where
 * the stack pointer was, but the frame pointer has mostly stayed. */
static void
come_back(struct walk *w, uint64_t at, uint64_t pc)
{
	w->regs.known &= REGS_RECORD_IS_LAST ? 0 : (uint64_t)1 << REGS_FP;
	w->regs.pc = pc;
	w->cfa = at + 8;
	regs_set(&w->regs, REGS_SP, w->cfa);
	if (!REGS_RECORD_IS_LAST)
		regs_drop(&w->regs, REGS_SP);
}

/* Whether the rule for a return address leads on to another. */
static int
goes_on(const struct walk *w, uint64_t at, uint64_t pc,
    const struct unwind_rule *rule)
{
	struct walk next = *w;

	come_back(&next, at, pc);
	return step_by_rule(&next, rule) == 0 &&
	    next.code->is_behind_call(next.code->user, next.regs.pc);
}

struct search {
	uint64_t at, pc; /* where a return address is, and what */
	uint64_t near_at, near_pc; /* the one to the function that runs, or 0 */
	int n_tried;
	int is_alone;    /* nothing with a rule was met */
};

/* 1: this is it; 0. */
static int
try_found(const struct walk *w, struct search *s)
{
	const struct unwind_code *code = w->code;
	const struct unwind_rule *rule;
	int leads;

	if (!code->is_behind_call(code->user, s->pc))
		return 0;
	s->n_tried++;
	leads = code->leads_to(code->user, s->pc, w->regs.pc);
	rule = code->rule(code->user, s->pc - 1);
	if (rule != NULL && leads > 0 && goes_on(w, s->at, s->pc, rule))
		return 1;
	s->is_alone &= rule == NULL;
	if (rule == NULL && leads == 2 && s->near_at == 0) {
		s->near_at = s->at;
		s->near_pc = s->pc;
	}
	return 0;
}

/* Where calls leave the return address in a register, it may still be there.
 * One that this function's own last call has left leads elsewhere. */
static int
try_link(const struct walk *w, struct search *s)
{
#if defined(REGS_LINK)
	if (w->has_called || !regs_has(&w->regs, REGS_LINK))
		return 0;
	s->at = w->regs.r[REGS_SP] - 8;
	s->pc = regs_address(w->regs.r[REGS_LINK]);
	if (try_found(w, s))
		return 1;
	s->near_at = 0;
#else
	(void)w;
	(void)s;
#endif
	return 0;
}

/* 0; 1: there is none; -errno. */
static int
try_stack(const struct walk *w, struct search *s)
{
	uint64_t sp = (w->regs.r[REGS_SP] + 7) & ~(uint64_t)7;

	for (s->at = sp; s->at - sp < SEARCH && s->n_tried < MAX_TRIED;
	    s->at += 8) {
		if (load((void *)(uintptr_t)w->stack, s->at, &s->pc) < 0)
			break;
		s->pc = regs_address(s->pc);
		if (try_found(w, s))
			return 0;
	}
	return s->is_alone && s->n_tried < MAX_TRIED ? 1 : -EINVAL;
}

/*
 * The next return address whose call leads out of code with a rule to the file
 * that runs; before that, there may be one whose call leads right to the
 * function that runs.
 *
 * When some with a rule was called from here, and nothing else with a rule is
 * above, there is none: this is where a thread began.
 */
static int
step_by_search(struct walk *w)
{
	struct search s = { .is_alone = w->is_ruled };
	int r;

	if (w->n_searches++ >= MAX_SEARCHES)
		return -EINVAL;
	w->cfa = w->regs.r[REGS_SP];
	r = try_link(w, &s) ? 0 : try_stack(w, &s);
	if (r == 0 && s.near_at != 0)
		come_back(w, s.near_at, s.near_pc);
	else if (r == 0)
		come_back(w, s.at, s.pc);
	return r;
}

static int
step_without_rule(struct walk *w, struct unwind_frame *f, int *is_signal)
{
	int r = step_by_signal(w);

	*is_signal = r == 0;
	if (r < 0 && r != -ERANGE && !w->has_called)
		r = step_by_stub(w);
	if (r < 0 && r != -ERANGE)
		r = step_by_end(w);
	if (r < 0 && r != -ERANGE) {
		r = step_by_lent(w);
		f->is_lent = r == 0;
	}
	if (r == 0 || r == -ERANGE)
		return r;
	r = step_by_pointer(w, 1);
	/* A register with any number may point above the copy. */
	if (r < 0) {
		r = step_by_search(w);
		f->is_searched = r == 0;
	}
	return r < 0 ? step_by_pointer(w, 0) : r;
}

static enum unwind_end
end_of(int r)
{
	if (r == 1)
		return UNWIND_ROOT;
	return r == -ERANGE ? UNWIND_CUT : UNWIND_BROKEN;
}

/* Whether a step has led outwards. A function may have nothing on the stack,
 * but only one that calls nothing. */
static int
is_outwards(const struct walk *w, const struct unwind_frame *f)
{
	uint64_t sp = w->regs.r[REGS_SP];

	return w->cfa >= f->sp && (w->has_called ? sp > f->sp : sp >= f->sp);
}

size_t
unwind(const struct unwind_code *code, const struct unwind_stack *s,
    const struct regs *regs, struct unwind_frame *v, size_t cap,
    enum unwind_end *ret_end)
{
	struct walk w = { .code = code, .stack = s, .regs = *regs };
	size_t n = 0;
	int r = 0, is_signal;

	*ret_end = UNWIND_CUT;
	while (n < cap) {
		const struct unwind_rule *rule;
		struct unwind_frame *f = &v[n++];

		*f = (struct unwind_frame){ .pc = w.regs.pc,
			.lookup = w.regs.pc - (uint64_t)w.has_called,
			.sp = w.regs.r[REGS_SP] };
		if (regs_has(&w.regs, code->watched))
			f->watched = w.regs.r[code->watched];
		rule = code->rule(code->user, f->lookup);
		is_signal = rule != NULL && rule->is_signal;
		r = rule != NULL ? step_by_rule(&w, rule)
		    : step_without_rule(&w, f, &is_signal);
		if (r == 0 && !is_outwards(&w, f))
			r = -EINVAL;
		if (r >= 0)
			f->cfa = w.cfa;
		if (r != 0) {
			*ret_end = end_of(r);
			break;
		}
		w.has_called = !is_signal;
		w.is_ruled |= rule != NULL;
	}
	return n;
}
