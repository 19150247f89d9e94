/*
 * Copies and unwinds C stacks, and caches the rules of code addresses; see
 * native.h. Names are in naming.c, the steps of unwinding in unwind/unwind.c.
 */
#include "capture/native/native.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/native/naming.h"
#include "capture/native/unwind/callsite.h"
#include "capture/native/unwind/cfi.h"
#include "capture/native/unwind/target.h"
#include "capture/proc/pause.h"
#include "capture/proc/status.h"
#include "core/clock.h"
#include "core/mem.h"

/* A stack is read in parts, so that the mapped parts are read even if the rest
 * is not mapped. */
#define PART ((size_t)32 << 10)

/* How long attaching waits for files. Those of an interpreter take some tens of
 * milliseconds. */
#define AHEAD_NS ((uint64_t)1000 * 1000 * 1000)

/* A call to at most so many bytes before an address is taken for a call to the
 * function around it. */
#define NEAR 4096

/* Limit of a C frame of a loop; today's have some hundred bytes. */
#define MAX_LOOP 4096

/* Limit of adjacent frames without tables that are searched for a saved
 * register. */
#define MAX_BARE 65536

/* --- places in code ------------------------------------------------------ */

static void
forget_places(struct native *n)
{
	ptrmap_clear(&n->place_of);
	n->n_place = 0;
	arena_reset(&n->rules);
}

struct native_place *
native_place(struct native *n, uint64_t pc)
{
	uint64_t key = pc != 0 ? pc : 1; /* 0 is no key */
	uint32_t i = ptrmap_get(&n->place_of, key);
	struct native_place *pl;

	if (i != PTRMAP_NONE)
		return &n->place[i];
	if (MEM_GROW(n->p->ctx, n, place, n->n_place + 1) < 0 ||
	    ptrmap_put(n->p->ctx, &n->place_of, key,
	        (uint32_t)n->n_place) < 0) {
		n->failed = -ENOMEM;
		return NULL;
	}
	pl = &n->place[n->n_place++];
	memset(pl, 0, sizeof(*pl));
	pl->pc = pc;
	return pl;
}

/* Returns the module around an address, or NULL. Clears *is_known if its file
 * is still being read. */
static struct module *
find_module(struct native *n, struct space_area *a, uint64_t pc, uint64_t *at,
    uint8_t *is_known)
{
	int before = n->space.is_loading;
	struct module *m;

	n->space.is_loading = 0;
	m = space_module(&n->space, a, pc, at, &n->failed);
	if (n->space.is_loading)
		*is_known = 0;
	n->space.is_loading |= before;
	return m;
}

static const struct unwind_rule *
rule_of(void *user, uint64_t pc)
{
	struct native *n = user;
	struct native_place *pl = native_place(n, pc);
	struct space_area *a;
	struct module *m = NULL;
	uint64_t at;

	if (pl == NULL || pl->has_rule)
		return pl != NULL ? pl->rule : NULL;
	pl->has_rule = 1;
	a = space_find(&n->space, pc);
	n->has_missed |= a == NULL;
	if (a != NULL && a->is_code)
		m = find_module(n, a, pc, &at, &pl->has_rule);
	if (m != NULL && m->tables.cfi != NULL &&
	    cfi_rule(n->p->ctx, &n->rules, m->eu, m->tables.cfi, at,
	        &pl->rule) < 0)
		n->failed = -ENOMEM;
	return pl->rule;
}

/* --- the frame that is lent ---------------------------------------------- */

/* The rule of the lender is taken at N_ASKED addresses of it, of which N_ALIKE
 * must have the same one: the others are in its prologue, its epilogue, or
 * where it pushes arguments. */
#define N_ASKED 16
#define N_ALIKE 12

static int
is_same_rule(const struct unwind_rule *a, const struct unwind_rule *b)
{
	return a->n_cfa == 0 && b->n_cfa == 0 && a->cfa_reg == b->cfa_reg &&
	    a->cfa_offset == b->cfa_offset && a->ra == b->ra &&
	    a->n_saved == b->n_saved && !a->is_signal && !b->is_signal;
}

static const struct unwind_rule *
usual_rule(struct native *n, struct module *m, const struct symbol *s)
{
	const struct unwind_rule *v[N_ASKED];
	size_t i, k, n_alike, n_rule = 0;

	for (i = 0; i < N_ASKED; i++) {
		if (cfi_rule(n->p->ctx, &n->rules, m->eu, m->tables.cfi,
		        s->at + s->size / (N_ASKED + 1) * (i + 1),
		        &v[n_rule]) < 0)
			n->failed = -ENOMEM;
		n_rule += v[n_rule] != NULL;
	}
	for (i = 0; i < n_rule; i++) {
		for (k = n_alike = 0; k < n_rule; k++)
			n_alike += (size_t)is_same_rule(v[i], v[k]);
		if (n_alike >= N_ALIKE)
			return v[i];
	}
	return NULL;
}

/* Sets n->lent: the rule that most addresses of the lender have. The lender is
 * in the file of the interpreter. */
static void
find_lent(struct native *n)
{
	uint8_t is_known = 1;
	int before = n->space.is_loading;
	uint64_t at;
	size_t i;

	n->lent = NULL;
	for (i = 0; n->words->lender != NULL && n->p->module != NULL &&
	    i < n->space.n_area && n->lent == NULL; i++) {
		struct space_area *a = &n->space.area[i];
		struct module *m = a->module < 0 ? NULL
		    : &n->space.module[a->module];

		if (m == NULL || strcmp(m->path, n->p->module) != 0)
			continue;
		m = find_module(n, a, a->start, &at, &is_known);
		if (m != NULL && m->tables.cfi != NULL && m->lender != NULL)
			n->lent = usual_rule(n, m, m->lender);
	}
	n->is_lent_known = is_known;
	/* lent_to() sets it if a stack needs the rule. */
	n->space.is_loading = before;
}

/* Returns the lender's rule for an address in code of the JIT. PHP's JIT code
 * is in shared memory, which is mapped as a file that is no ELF file. Code of
 * other JITs is in private memory and has frames of its own. */
static const struct unwind_rule *
lent_to(void *user, uint64_t pc)
{
	struct native *n = user;
	struct space_area *a = n->lent != NULL || !n->is_lent_known
	    ? space_find(&n->space, pc) : NULL;
	struct module *m = NULL;
	uint64_t at;

	if (a != NULL && a->is_code)
		m = space_module(&n->space, a, pc, &at, &n->failed);
	if (m == NULL || m->is_elf)
		return NULL;
	n->space.is_loading |= !n->is_lent_known;
	return n->lent;
}

static int
is_behind_call(void *user, uint64_t pc)
{
	struct native *n = user;
	struct space_area *a = pc > 8 ? space_find(&n->space, pc - 1) : NULL;
	uint8_t b[CALLSITE_BYTES];

	n->has_missed |= a == NULL;
	return a != NULL && a->is_code &&
	    mem_read(&n->p->mem, pc - sizeof(b), b, sizeof(b)) == 0 &&
	    callsite_is_call(b);
}

static int
leads_to(void *user, uint64_t ret, uint64_t pc)
{
	struct native *n = user;
	struct space_area *a = space_find(&n->space, pc), *b;
	uint64_t to;

	if (a == NULL || a->module < 0 ||
	    !target_of_call(&n->p->mem, ret, &to))
		return -1;
	b = space_find(&n->space, to);
	if (b == NULL || b->module != a->module)
		return 0;
	return pc - to < NEAR ? 2 : 1;
}

static int
code_bytes(void *user, uint64_t pc, uint8_t *to, size_t n)
{
	struct native *s = user;

	return mem_read(&s->p->mem, pc, to, n);
}

/* --- a stack ------------------------------------------------------------- */

static size_t
stack_size(struct native *n, uint64_t sp)
{
	const struct space_area *a = space_find(&n->space, sp);

	n->has_missed = a == NULL;
	if (a == NULL || a->end - sp > NATIVE_MAX_STACK)
		return NATIVE_MAX_STACK;
	return (size_t)(a->end - sp);
}

int
native_take(struct native *n, int tid)
{
	struct mem_span v[NATIVE_MAX_STACK / PART + 1];
	uint64_t sp;
	size_t want, done = 0, k = 0, part;
	long got;
	int r = regs_take(&n->regs, tid);

	n->n_bytes = 0;
	n->n_frame = 0;
	if (r < 0)
		return r;
	sp = n->regs.r[REGS_SP];
	if (!mem_is_user(sp, NATIVE_MAX_STACK))
		return 0;
	want = stack_size(n, sp);
	/* Parts end where pages do. */
	while (done < want) {
		part = PART - (size_t)((sp + done) % PART);
		if (part > want - done)
			part = want - done;
		v[k++] = (struct mem_span){ sp + done, n->bytes + done, part };
		done += part;
	}
	got = mem_gather(&n->p->mem, v, k);
	if (got < 0)
		return got == -EFAULT ? 0 : (int)got;
	n->n_bytes = (size_t)got;
	return 0;
}

int
native_word(const struct native *n, uint64_t at, uint64_t *ret)
{
	uint64_t sp = n->regs.r[REGS_SP];

	if (at < sp || n->n_bytes < sizeof(*ret) ||
	    at - sp > n->n_bytes - sizeof(*ret))
		return -EFAULT;
	*ret = mem_u64(n->bytes, (size_t)(at - sp));
	return 0;
}

static void
unwind_once(struct native *n)
{
	const struct unwind_code code = { rule_of, code_bytes, is_behind_call,
		n, n->words->reg, lent_to, leads_to };
	const struct unwind_stack stack = { n->bytes,
		n->regs.r[REGS_SP], n->n_bytes };

	if (n->n_place > NATIVE_MAX_PLACES ||
	    n->generation != n->space.generation) {
		forget_places(n);
		n->is_lent_known = 0;
	}
	if (!n->is_lent_known)
		find_lent(n);
	n->generation = n->space.generation;
	n->n_frame = unwind(&code, &stack, &n->regs, n->frame,
	    UNWIND_MAX_FRAMES, &n->end);
}

/* Unwinds with the files that are read. Returns BOB_OK or FATAL. If
 * space.is_loading is set, a file was missing and the frames are not valid. */
static int
unwind_by_files(struct native *n)
{
	int r = space_look(&n->space, n->p->time_us, n->has_missed);

	if (r == -ENOMEM)
		return BOB_FATAL;
	n->has_missed = 0;
	n->failed = 0;
	n->space.is_loading = 0;
	unwind_once(n);
	/* A library may have been loaded since: read the mappings again. */
	if (n->has_missed && n->end == UNWIND_BROKEN) {
		uint32_t before = n->space.generation;

		r = space_look(&n->space, n->p->time_us, 1);
		if (r == -ENOMEM)
			return BOB_FATAL;
		if (n->space.generation != before)
			unwind_once(n);
	}
	return n->failed != 0 ? BOB_FATAL : BOB_OK;
}

int
native_unwind(struct native *n)
{
	int r;

	space_poll(&n->space);
	do {
		r = unwind_by_files(n);
		if (r == BOB_OK && !n->space.is_loading)
			r = naming_frames(n);
		if (r < 0)
			return BOB_FATAL;
		space_poll(&n->space);
	} while (n->space.is_loading && load_may_wait() &&
	    space_wait(&n->space, UINT64_MAX));
	if (n->space.is_loading) {
		process_lose(n->p, BOB_LOST_LOADING);
		return BOB_AGAIN;
	}
	n->p->counts.broken += n->end == UNWIND_BROKEN;
	return BOB_OK;
}

/* --- the handle ---------------------------------------------------------- */

/* Stops the main thread once, and copies its stack. Returns BOB_OK, or FAILED
 * with the reason. */
static int
try_to_stop(struct native *n)
{
	struct process *p = n->p;
	struct pause pause = { 0 };
	struct proc_status st;
	int r = pause_begin(&pause, p->pid);

	if (r == 0) {
		r = native_take(n, p->pid);
		(void)pause_end(&pause);
	}
	pause_done(&pause);
	/* A thread that does not stop in time may only be busy in the
	 * kernel. */
	if (r == 0 || r == -ETIMEDOUT)
		return BOB_OK;
	if (r == -ENOTSUP)
		return err_set(p->ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
		    BOB_NO_OFFSET, "process %d: native frames are read of "
		    "64-bit programs on x86-64 and aarch64 only", p->pid);
	if (r == -EPERM && proc_status(p->pid, &st) == 0 && st.tracer != 0)
		return err_set(p->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "process %d cannot be stopped for native frames: process "
		    "%llu traces it; end that debugger, or leave out --native",
		    p->pid, (unsigned long long)st.tracer);
	return err_sys(p->ctx, BOB_FAILED, -r, "process %d cannot be stopped "
	    "for native frames; `bobbin doctor -p %d` looks for the reason",
	    p->pid, p->pid);
}

/* Reads the files of the code on the main thread's stack, so that the first
 * samples have them. Waits for at most AHEAD_NS. Returns BOB_OK or FATAL. */
static int
read_ahead(struct native *n)
{
	uint64_t until = clock_ns() + AHEAD_NS;
	int r;

	if (n->n_bytes == 0)
		return BOB_OK;
	do {
		r = unwind_by_files(n);
		space_poll(&n->space);
	} while (r == BOB_OK && n->space.is_loading && load_may_wait() &&
	    space_wait(&n->space, until));
	/* p->module may not be set yet, so it is searched again later. */
	n->is_lent_known = 0;
	return r;
}

int
native_new(struct process *p, const struct native_words *words,
    struct native **ret)
{
	struct native *n = calloc(1, sizeof(*n));
	int r;

	if (n == NULL) {
		(void)err_nomem(p->ctx);
		return BOB_FAILED;
	}
	r = elfutils_open(p->ctx, &n->elfutils);
	if (r < 0) {
		free(n);
		return r;
	}
	n->p = p;
	n->words = words;
	n->merge.ctx = p->ctx;
	quota_process(&n->quota);
	space_init(&n->space, p->ctx, &n->elfutils, &p->mem, p->pid);
	n->space.quota = &n->quota;
	n->space.lender = words->lender;
	n->space.n_silent = &p->n_silent;
	perfmap_init(&n->perf, p->ctx);
	n->perf.quota = &n->quota;
	n->bytes = malloc(NATIVE_MAX_STACK);
	n->frame = calloc(UNWIND_MAX_FRAMES, sizeof(*n->frame));
	n->native = calloc(UNWIND_MAX_FRAMES, sizeof(*n->native));
	if (n->bytes == NULL || n->frame == NULL || n->native == NULL) {
		(void)err_nomem(p->ctx);
		native_free(n);
		return BOB_FAILED;
	}
	r = try_to_stop(n);
	if (r == BOB_OK)
		r = read_ahead(n);
	if (r < 0) {
		native_free(n);
		return BOB_FAILED;
	}
	*ret = n;
	return BOB_OK;
}

void
native_free(struct native *n)
{
	if (n == NULL)
		return;
	space_done(&n->space);
	if (n->look != NULL)
		load_drop(&n->look->load);
	perfmap_done(&n->perf);
	ptrmap_free(&n->place_of);
	arena_free(&n->rules);
	free(n->place);
	free(n->bytes);
	free(n->frame);
	free(n->native);
	free(n->pieces.v);
	free(n->merge.out);
	elfutils_close(&n->elfutils);
	free(n);
}

void
native_forget(struct native *n)
{
	size_t i;

	for (i = 0; i < n->n_place; i++)
		n->place[i].frame = 0;
}

int
native_module(const struct native *n, size_t i, struct bob_module *ret)
{
	size_t k;

	for (k = 0; n != NULL && k < n->space.n_module; k++) {
		const struct module *m = &n->space.module[k];

		if (!m->is_used || i-- > 0)
			continue;
		*ret = (struct bob_module){ m->path, m->build_id,
			m->why != NULL ? m->why : "" };
		return 1;
	}
	return 0;
}

/* --- with the interpreter's stack ---------------------------------------- */

/* True if a word of the copied stack in [at, end) is `value`. */
static int
is_between(const struct native *n, uint64_t at, uint64_t end, uint64_t value)
{
	uint64_t v;

	for (; at < end && native_word(n, at, &v) == 0; at += 8)
		if (v == value)
			return 1;
	return 0;
}

/* True if the value is somewhere in a C frame. A loop saves the register of its
 * caller, but the tables may not say where. */
static int
frame_holds(const struct native *n, const struct unwind_frame *f,
    uint64_t value)
{
	return f->cfa - f->sp <= MAX_LOOP &&
	    is_between(n, f->sp, f->cfa, value);
}

/* True if loop i may have had the value in its register, although unwinding
 * through code without tables (between frame k and i) has lost it. Such code
 * has saved the value in its frames, or still has it in the register. */
static int
may_have_had(const struct native *n, size_t k, size_t i, uint64_t value)
{
	const struct unwind_frame *f = n->frame;
	uint32_t reg = n->words->reg;
	size_t end = i, begin;

	while (end > k && !f[end - 1].is_searched)
		end--;
	begin = end;
	while (begin > k && f[begin - 1].is_searched)
		begin--;
	if (begin == end)
		return 0;
	return (begin == 0 && regs_has(&n->regs, reg) &&
	           n->regs.r[reg] == value) ||
	    (f[end].sp - f[begin].sp <= MAX_BARE &&
	        is_between(n, f[begin].sp, f[end].sp, value));
}

uint64_t
native_find_loop(const struct native *n, uint64_t value, size_t *k)
{
	/* The loop that was found last: it may have saved the value. */
	const struct unwind_frame *inner = *k > 0 ? &n->frame[*k - 1] : NULL;
	size_t i;

	for (i = *k; i < n->n_frame; i++) {
		const struct unwind_frame *f = &n->frame[i];

		if (n->native[i].kind != MERGE_LOOP)
			continue;
		if (value != 0 && (f->watched == value ||
		    (inner != NULL && frame_holds(n, inner, value)) ||
		    (f->watched == 0 && may_have_had(n, *k, i, value)))) {
			*k = i + 1;
			return f->sp;
		}
		inner = NULL;
	}
	return 0;
}

/* Makes a stack of frames that are innermost first. Outer frames beyond
 * max_depth are cut. */
static int
push_all(struct native *n, const bob_fid *v, size_t n_v, bob_stack *ret)
{
	bob_stack stack = 0;

	if (n_v > n->p->max_depth) {
		n_v = n->p->max_depth;
		n->p->counts.cut++;
	}
	while (n_v-- > 0 && stack != BOB_NO_ID)
		stack = bob_stack_push(n->p->dict, stack, v[n_v]);
	*ret = stack;
	return stack == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

int
native_stack(struct native *n, bob_stack *ret)
{
	struct merge *m = &n->merge;
	int r = merge_leaf(m, n->p->dict, n->native, n->n_frame, NULL, 0, 0);

	return r < 0 ? r : push_all(n, m->out, m->n_out, ret);
}

/* A lent frame counts as a loop only if the pieces have marks. Without marks
 * loops are only counted, which is not enough for a lent frame. */
static int
is_borrowing_proven(const struct native *n, const struct merge_piece *piece,
    size_t n_piece)
{
	size_t i;

	for (i = 0; i < n_piece; i++)
		if (piece[i].mark != 0)
			return 1;
	for (i = 0; i < n->n_frame; i++)
		if (n->frame[i].is_lent)
			return 0;
	return 1;
}

static int
merge_pieces(struct native *n, const struct merge_piece *piece,
    size_t n_piece, bob_stack *ret)
{
	struct merge *m = &n->merge;
	int is_whole = n->end == UNWIND_ROOT, r = 0;

	if (is_borrowing_proven(n, piece, n_piece))
		r = merge_stacks(m, n->p->dict, n->native, n->n_frame, piece,
		    n_piece, is_whole);
	if (r == 0) {
		n->p->counts.unmerged++;
		r = merge_leaf(m, n->p->dict, n->native, n->n_frame, piece,
		    n_piece, is_whole);
	}
	return r < 0 ? r : push_all(n, m->out, m->n_out, ret);
}

int
native_merge(struct native *n, int is_taken, native_cut_fn *cut,
    const void *walk, bob_stack *ret)
{
	int r;

	if (n == NULL)
		return BOB_OK;
	if (!is_taken) {
		n->p->counts.unmerged++;
		return BOB_OK;
	}
	r = native_unwind(n);
	if (r != BOB_OK)
		return r;
	n->pieces.n = 0;
	if (cut(n, walk, &n->pieces) < 0)
		return BOB_FATAL;
	return merge_pieces(n, n->pieces.v, n->pieces.n, ret);
}
