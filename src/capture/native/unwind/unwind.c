/*
 * The steps of unwinding, each from a frame to its caller; see unwind.h. A step
 * that fails leaves the registers unchanged. It returns 0; 1 if there is no
 * caller; -ERANGE if memory above the copy is needed; another -errno if it does
 * not apply.
 */
#include "capture/native/unwind/unwind.h"

#include <errno.h>
#include <string.h>

#include "capture/native/unwind/epilogue.h"
#include "capture/native/unwind/sigframe.h"
#include "capture/native/unwind/stub.h"
#include "capture/proc/mem.h"

/* Limits of searches for a return address: bytes of one, return addresses that
 * are tried in one, and searches of one stack. Each try reads code from the
 * process. */
#define SEARCH 16384
#define MAX_TRIED 64
#define MAX_SEARCHES 32

/* Invariant: regs.r[REGS_SP] is never above the real stack pointer. If the
 * register is not known (regs_has), it may be below. */
struct walk {
	const struct unwind_code *code;
	const struct unwind_stack *stack;
	struct regs regs;
	uint64_t cfa;
	int has_called; /* pc is a return address */
	int is_ruled;   /* an inner frame had a rule */
	int n_searches;
};

/* Reads a word of the copy. Returns 0; -ERANGE above it; -EFAULT. */
static int
load_word(void *user, uint64_t at, uint64_t *ret)
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

/* Sets the CFA from the frame pointer, if the stack pointer is not known. The
 * register is a frame pointer if the rule saves the return address right behind
 * it. */
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
	struct expr_env env = { &w->regs, load_word,
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

/* Sets *ret to a register of the caller. Returns 0; 1 if it is lost; -errno. */
static int
restore_reg(const struct walk *w, const struct unwind_saved *s, uint64_t *ret)
{
	struct expr_env env = { &w->regs, load_word,
		(void *)(uintptr_t)w->stack, w->cfa };
	uint64_t at = w->cfa + (uint64_t)s->offset;
	int r = 0;

	switch ((enum unwind_how)s->how) {
	case SAVED_AT_CFA:
		return load_word(env.user, at, ret);
	case SAVED_CFA:
		*ret = at;
		return 0;
	case SAVED_AT_EXPR:
	case SAVED_EXPR:
		r = expr_eval(s->ops, s->n_ops, &env, ret);
		if (r == 0 && s->how == SAVED_AT_EXPR)
			r = load_word(env.user, *ret, ret);
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

/* Steps by a rule. A register that cannot be read is lost, but without a return
 * address the step fails. */
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
		r = restore_reg(w, s, &v);
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

/* Steps from the sigreturn trampoline to the interrupted code. */
static int
step_by_signal(struct walk *w)
{
	struct regs next = w->regs;
	uint8_t b[SIGFRAME_CODE];
	int r = w->code->bytes(w->code->user, w->regs.pc, b, sizeof(b));

	if (r == 0)
		r = sigframe_run(b, &next, load_word,
		    (void *)(uintptr_t)w->stack);
	if (r < 0)
		return r;
	w->regs = next;
	w->cfa = next.r[REGS_SP];
	return 0;
}

/* Takes the caller's registers, if its program counter is behind a call. */
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
		r = epilogue_run(b, sizeof(b), &next, load_word,
		    (void *)(uintptr_t)w->stack);
	return r < 0 ? r : go_to_caller(w, &next);
}

/* Undoes a call whose function has done nothing yet. Returns 0, or -errno. */
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
	int r = load_word((void *)(uintptr_t)w->stack, g->r[REGS_SP], &g->pc);

	if (r == 0)
		g->r[REGS_SP] += 8;
	return r;
#endif
}

/* Steps from a linker stub to its caller. */
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

/* Steps by the lent rule. That the code runs on that frame is only a guess, so
 * the caller must be behind a call, in a function with a rule of its own. */
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

/* Steps by the lent rule, if there is one. Code of a JIT may have moved the
 * stack pointer; then the rule points to words that an earlier call has left
 * there. It does not change the frame pointer, which is tried first where all
 * functions have one. */
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

/* True for the first frame of a thread: the next frame pointer is 0 and the
 * return address, although not behind a call, is in code. */
static int
is_begin(const struct walk *w, uint64_t fp, uint64_t pc)
{
	uint8_t b;

	return fp == 0 && w->code->bytes(w->code->user, pc, &b, 1) == 0;
}

/* Steps by the frame pointer: it points to that of the caller, with the return
 * address behind it. A frame pointer of 0 marks the first function, but other
 * code may use the register for something else, and a function that sets up no
 * frame has its caller's frame pointer. `is_strict`: there must be a caller,
 * and its call must not lead to another file. */
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
	r = load_word((void *)(uintptr_t)w->stack, fp, &next);
	if (r == 0)
		r = load_word((void *)(uintptr_t)w->stack, fp + 8, &pc);
	if (r < 0)
		return r;
	pc = regs_address(pc);
	w->cfa = fp + 16;
	if (!w->code->is_behind_call(w->code->user, pc))
		return !is_strict && is_begin(w, next, pc) ? 1 : -EINVAL;
	if (is_strict && w->code->leads_to(w->code->user, pc,
	        w->regs.pc) == 0)
		return -EINVAL;
	/* Other registers that it saved are not known. */
	w->regs.known = 0;
	regs_set(&w->regs, REGS_FP, next);
	regs_set(&w->regs, REGS_SP, w->cfa);
	if (!REGS_RECORD_IS_LAST)
		regs_drop(&w->regs, REGS_SP);
	w->regs.pc = pc;
	return 0;
}

/* Sets the registers of a caller whose return address was found at `at`. Most
 * registers are not known. If the return address is not at the end of a frame
 * (REGS_RECORD_IS_LAST), neither is the stack pointer, but the frame pointer
 * has mostly not changed. */
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

/* True if the rule of a return address leads to another return address. */
static int
leads_on(const struct walk *w, uint64_t at, uint64_t pc,
    const struct unwind_rule *rule)
{
	struct walk next = *w;

	come_back(&next, at, pc);
	return step_by_rule(&next, rule) == 0 &&
	    next.code->is_behind_call(next.code->user, next.regs.pc);
}

struct search {
	uint64_t at, pc; /* address of the word that is tried, and its value */
	uint64_t near_at, near_pc; /* the first whose call leads right before
	                            * the code that runs; 0: none */
	int n_tried;
	int is_alone;    /* no return address in code with a rule was met */
};

/* Tries the word in s->pc. Returns 1 if it is the return address; else 0. */
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
	if (rule != NULL && leads > 0 && leads_on(w, s->at, s->pc, rule))
		return 1;
	s->is_alone &= rule == NULL;
	if (rule == NULL && leads == 2 && s->near_at == 0) {
		s->near_at = s->at;
		s->near_pc = s->pc;
	}
	return 0;
}

/* Tries the link register. If the function has called something, the register
 * holds the return address of that call, which is not the one searched for. */
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

/* Searches the stack for a return address. Returns 0; 1 if there is none, as
 * the thread began here; -EINVAL. */
static int
try_stack(const struct walk *w, struct search *s)
{
	uint64_t sp = (w->regs.r[REGS_SP] + 7) & ~(uint64_t)7;

	for (s->at = sp; s->at - sp < SEARCH && s->n_tried < MAX_TRIED;
	    s->at += 8) {
		if (load_word((void *)(uintptr_t)w->stack, s->at, &s->pc) < 0)
			break;
		s->pc = regs_address(s->pc);
		if (try_found(w, s))
			return 0;
	}
	return s->is_alone && s->n_tried < MAX_TRIED ? 1 : -EINVAL;
}

/*
 * Steps by a search for the return address: the first word that is behind a
 * call, in code with a rule, whose call leads to the file that runs. If a word
 * before it is behind a call that leads right before the code that runs, that
 * one is taken.
 *
 * If an inner frame had a rule, and no return address in code with a rule is
 * found, the thread began here.
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
	/* Also after -ERANGE: a register that is no frame pointer may point
	 * anywhere. */
	if (r < 0) {
		r = step_by_search(w);
		f->is_searched = r == 0;
	}
	return r < 0 ? step_by_pointer(w, 0) : r;
}

static enum unwind_end
end_by_result(int r)
{
	if (r == 1)
		return UNWIND_ROOT;
	return r == -ERANGE ? UNWIND_CUT : UNWIND_BROKEN;
}

/* True if a step has led outwards. A function that has called another has at
 * least the return address on the stack. */
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
			*ret_end = end_by_result(r);
			break;
		}
		w.has_called = !is_signal;
		w.is_ruled |= rule != NULL;
	}
	return n;
}
