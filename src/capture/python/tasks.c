/* Tasks, their names, and their stacks; see tasks.h. */
#include "capture/python/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/object.h"
#include "capture/python/text.h"
#include "core/mem.h"

#define LOOK_US 100000

#define NOWHERE SIZE_MAX

void
py_tasks_init(struct py_tasks *t, struct process *p,
    const struct py_site *site, struct py_codes *codes)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	t->site = site;
	t->codes = codes;
	py_task_reader_init(&t->read, p->ctx, &p->mem, &site->o);
	py_coros_init(&t->coros, codes);
}

void
py_tasks_done(struct py_tasks *t)
{
	py_table_look_drop(t->look);
	py_task_reader_done(&t->read);
	py_coros_done(&t->coros);
	ptrmap_free(&t->parents);
	ptrmap_free(&t->by_at);
	free(t->list.v);
	free(t->fid);
	free(t->task);
}

/* --- where they are ------------------------------------------------------ */

static int
has_table(const struct py_tasks *t)
{
	return t->site->o.minor >= PY_FIRST_TASK_TABLE;
}

static void
look_for_table(struct py_tasks *t)
{
	uint64_t at = t->site->task_table;
	uint8_t table[PY_TASK_TABLE];

	if (at == 0 && !py_task_table_find(t->p, &t->look, &at))
		return;
	if (at == 0 || mem_read(&t->p->mem, at, table, sizeof(table)) < 0)
		return;
	t->is_found = py_task_table_read(table, t->site->o.minor, &t->read.to,
	    &t->why) == 0;
	t->is_refused = !t->is_found;
}

/* Which interpreter, of those that are known or are to be. */
static unsigned
interp_index(struct py_tasks *t, uint64_t interp)
{
	unsigned i;

	for (i = 0; i < t->n_interp && t->interp[i].a.interp != interp; i++)
		;
	if (i < t->n_interp)
		return i;
	i = t->n_interp < TASKS_MAX_INTERPS ? t->n_interp++ : 0;
	memset(&t->interp[i], 0, sizeof(t->interp[i]));
	t->interp[i].a.interp = interp;
	return i;
}

static void
look_for_module(struct py_tasks *t, unsigned i)
{
	struct py_asyncio a;
	struct py_task_offsets to;
	int r = py_asyncio_find(&t->p->mem, &t->site->o,
	    t->interp[i].a.interp, &a, &to, &t->why);

	t->is_refused = r == -ENOTSUP;
	if (r < 0)
		return;
	t->interp[i].a = a;
	t->interp[i].is_found = 1;
	t->read.to = to;
}

/* True when it is time for another look. */
static int
is_time(const struct py_tasks *t, uint64_t *when)
{
	if (t->p->time_us < *when)
		return 0;
	*when = t->p->time_us + LOOK_US;
	return 1;
}

int
py_tasks_are_known(struct py_tasks *t, const struct py_thread *h)
{
	unsigned i;

	if (t->is_refused)
		return 0;
	if (has_table(t)) {
		if (!t->is_found &&
		    (t->look != NULL || is_time(t, &t->t_look)))
			look_for_table(t);
		return t->is_found;
	}
	i = interp_index(t, h->interp);
	if (!t->interp[i].is_found && is_time(t, &t->interp[i].t_look))
		look_for_module(t, i);
	t->read.asyncio = t->interp[i].a;
	return t->is_found = t->interp[i].is_found;
}

int
py_tasks_can_be_read(struct py_tasks *t)
{
	uint64_t interp;

	if (has_table(t))
		look_for_table(t);
	else if (mem_read_u64(&t->p->mem, t->site->runtime +
	             t->site->o.rt_interpreters, &interp) == 0)
		look_for_module(t, interp_index(t, interp));
	return !t->is_refused;
}

void
py_tasks_begin(struct py_tasks *t)
{
	unsigned i;

	for (i = 0; i < t->n_interp; i++)
		t->interp[i].is_told = 0;
}

/* --- names --------------------------------------------------------------- */

/* PyLongObject from 3.12 on, where py_at puts it */
enum { LONG_TAG = 16, LONG_DIGITS = 24, LONG_SIZE = 32 };
#define DIGIT_BITS 30
#define MAX_HEAD 16 /* that py_at adds */

/* "Task-7": as long as nobody has asked for it, the name is the number. */
static int
put_number(const struct py_offsets *o, const uint8_t *b, char *buf)
{
	uint64_t n = mem_u64(b, py_at(o, LONG_TAG)) >> 3, v = 0;

	if (n > 2)
		return -EINVAL;
	if (n > 0)
		v = mem_u32(b, py_at(o, LONG_DIGITS));
	if (n > 1)
		v |= (uint64_t)mem_u32(b, py_at(o, LONG_DIGITS) + 4) <<
		    DIGIT_BITS;
	return snprintf(buf, PY_MAX_TEXT, "Task-%llu", (unsigned long long)v);
}

/* The types of numbers and strings are never freed. */
static int
is_number(struct py_tasks *t, uint64_t type)
{
	char name[8];

	if (type == 0)
		return 0;
	if (type == t->int_type || type == t->str_type)
		return type == t->int_type;
	if (py_type_name(&t->p->mem, &t->site->o, type, name,
	        sizeof(name)) < 0)
		return 0;
	if (strcmp(name, "int") == 0)
		t->int_type = type;
	else if (strcmp(name, "str") == 0)
		t->str_type = type;
	return type == t->int_type;
}

/* A number or a string. */
static int
read_name(struct py_tasks *t, uint64_t at, char *buf)
{
	const struct py_offsets *o = &t->site->o;
	uint8_t b[LONG_SIZE + MAX_HEAD];
	size_t n = py_at(o, LONG_SIZE);
	int r = n > sizeof(b) ? -EINVAL : mem_read(&t->p->mem, at, b, n);

	if (r < 0)
		return r;
	return is_number(t, mem_u64(b, o->ob_type)) ? put_number(o, b, buf)
	    : py_text_read(&t->p->mem, o, at, buf);
}

/* Up to 3.7 a task has none: that of its coroutine. */
static bob_str
name_of(struct py_tasks *t, const struct py_task *task)
{
	char buf[PY_MAX_TEXT];
	int n;

	if (t->read.to.name == PY_NONE)
		n = py_coros_name(&t->coros, task->coro, buf);
	else
		n = read_name(t, task->name, buf);
	if (n < 0)
		n = snprintf(buf, sizeof(buf), "<unnamed>");
	return bob_str_put(t->p->dict, buf, (size_t)n);
}

static bob_annot
name_annot(struct py_tasks *t, bob_str name)
{
	struct bob_pair pair = { bob_str_put(t->p->dict, "task.name", 9),
		name };

	if (pair.key == BOB_NO_ID || name == BOB_NO_ID)
		return BOB_NO_ID;
	return bob_annot_put(t->p->dict, &pair, 1);
}

/* --- stacks -------------------------------------------------------------- */

/* A coroutine's frame on a stack, if there is room for what comes on top. */
static bob_stack
push(struct py_tasks *t, bob_stack stack, bob_fid fid)
{
	if (stack == BOB_NO_ID)
		return BOB_NO_ID;
	if (bob_stack_get(t->p->dict, stack).depth + t->n_top >=
	    t->p->max_depth) {
		t->is_cut = 1;
		return stack;
	}
	return bob_stack_push(t->p->dict, stack, fid);
}

/* The frame that stands for a task: there are few, so that each is told. */
static bob_stack
push_mark(struct py_tasks *t, bob_stack stack, bob_str name, uint32_t n_by)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON,
		.flags = BOB_FRAME_NO_LINE, .name = name };
	char buf[PY_MAX_TEXT + 32];
	bob_fid fid;
	int n;

	if (name != BOB_NO_ID && n_by > 1) {
		struct bob_bytes s = bob_str_get(t->p->dict, name);

		n = snprintf(buf, sizeof(buf), "%.*s (%u parents)", (int)s.n,
		    s.p, n_by);
		f.name = bob_str_put(t->p->dict, buf, (size_t)n);
	}
	f.file = bob_str_put(t->p->dict, "<task>", 6);
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID || stack == BOB_NO_ID)
		return BOB_NO_ID;
	fid = bob_frame_put(t->p->dict, &f);
	if (fid == BOB_NO_ID ||
	    bob_stack_get(t->p->dict, stack).depth >= BOB_MAX_LIVE_DEPTH)
		return fid == BOB_NO_ID ? BOB_NO_ID : stack;
	return bob_stack_push(t->p->dict, stack, fid);
}

/* Reads the coroutines of a task: twice, when they move. 0 or -errno. */
static int
read_coroutines(struct py_tasks *t, const struct py_task *task)
{
	uint64_t coro = task->coro;
	struct py_task again;
	int r, i;

	for (i = 0; i < 2; i++) {
		r = py_task_steps(&t->read, 1);
		if (r == 0)
			r = py_coros_read(&t->coros, coro);
		if (r == 0)
			r = py_task_steps(&t->read,
			    (uint32_t)t->coros.n_fid);
		if (r != -EAGAIN || py_task_read(&t->read, task->at,
		        &again) < 0)
			break;
		coro = again.coro;
		(void)py_coros_look_ahead(&t->coros, NULL, 0);
	}
	return r;
}

/* --- what is known in a sample ------------------------------------------- */

static void
forget_tasks(struct py_tasks *t)
{
	t->n_task = 0;
	t->n_top = 0;
	ptrmap_clear(&t->by_at);
	py_coros_begin(&t->coros);
	py_task_reader_begin(&t->read);
}

/* BOB_OK or FATAL. */
static int
add_task(struct py_tasks *t, const struct py_task *task)
{
	struct py_task_memo *m;

	if (MEM_GROW(t->p->ctx, t, task, t->n_task + 1) < 0 ||
	    ptrmap_put(t->p->ctx, &t->by_at, task->at,
	        (uint32_t)t->n_task) < 0)
		return BOB_FATAL;
	m = &t->task[t->n_task++];
	memset(m, 0, sizeof(*m));
	m->task = *task;
	return BOB_OK;
}

/* Where a task is, which may not be one of those that were listed. BOB_OK and
 * *ret, NOWHERE when it cannot be read; or FATAL. */
static int
find_task(struct py_tasks *t, uint64_t at, size_t *ret)
{
	uint32_t i = at == 0 ? PTRMAP_NONE : ptrmap_get(&t->by_at, at);
	struct py_task task;

	*ret = i == PTRMAP_NONE ? NOWHERE : i;
	if (i != PTRMAP_NONE || at == 0 || t->n_task >= 2 * TASKS_MAX ||
	    py_task_read(&t->read, at, &task) < 0)
		return BOB_OK;
	*ret = t->n_task;
	return add_task(t, &task);
}

/* Who awaits a task. BOB_OK or FATAL. */
static int
find_awaiter(struct py_tasks *t, size_t i)
{
	struct py_task_memo *m = &t->task[i];

	if (m->has_by)
		return BOB_OK;
	m->has_by = 1;
	return py_task_awaiter(&t->read, &m->task, &m->by) < 0 ? BOB_FATAL
	                                                       : BOB_OK;
}

/* The stack of a task on that of the one that awaits it, if any does. BOB_OK
 * or FATAL. */
static int
make_one(struct py_tasks *t, size_t i, const struct py_task_memo *below)
{
	struct py_task_memo *m = &t->task[i];
	size_t k;

	m->name = name_of(t, &m->task);
	m->stack = push_mark(t, below != NULL ? below->stack : 0, m->name,
	    m->by.n);
	m->why = read_coroutines(t, &m->task);
	m->is_made = 1;
	m->n_chain = below != NULL ? (uint16_t)(below->n_chain + 1) : 1;
	if (m->why == -ENOMEM)
		return BOB_FATAL;
	m->is_running = m->why == 0 && t->coros.is_running;
	for (k = 0; m->why == 0 && k < t->coros.n_fid; k++)
		m->stack = push(t, m->stack, t->coros.fid[k]);
	if (below != NULL && below->why == -EAGAIN)
		m->why = -EAGAIN;
	return m->stack == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* The stack of a task, and of all that it needs. BOB_OK or FATAL. */
static int
make_stack(struct py_tasks *t, size_t i)
{
	size_t chain[TASKS_MAX_CHAIN], n = 0, above;
	struct py_task_memo *below = NULL;

	while (i != NOWHERE && n < TASKS_MAX_CHAIN && !t->task[i].is_begun) {
		t->task[i].is_begun = 1;
		chain[n++] = i;
		if (find_awaiter(t, i) < 0 ||
		    find_task(t, t->task[i].by.task, &i) < 0)
			return BOB_FATAL;
	}
	/* One that is known; else it is a circle, or long enough. */
	if (i != NOWHERE && t->task[i].is_made &&
	    t->task[i].n_chain + n <= TASKS_MAX_CHAIN)
		below = &t->task[i];
	while (n-- > 0) {
		above = chain[n];
		if (make_one(t, above, below) < 0)
			return BOB_FATAL;
		below = &t->task[above];
	}
	return BOB_OK;
}

/* --- the one that runs --------------------------------------------------- */

/* Which tasks loops run at the moment. */
static size_t
read_current(struct py_tasks *t, struct py_loop_task *ret)
{
	int n = py_task_list_current(&t->read, ret);

	if (n >= 0)
		return (size_t)n;
	/* The interpreter may have ended. */
	t->interp[interp_index(t, t->read.asyncio.interp)].is_found = 0;
	return 0;
}

void
py_tasks_prepare(struct py_tasks *t, struct py_thread *h)
{
	t->has_after = 0;
	if (!has_table(t))
		t->n_before = read_current(t, t->before);
	else if (h->copy->n_thread < t->read.to.ts_task + 8u)
		h->copy->n_thread = t->read.to.ts_task + 8u;
}

/* The task of a thread before and after its stack was copied. */
static void
find_current(struct py_tasks *t, const struct py_thread *h)
{
	if (has_table(t)) {
		t->before[0] = (struct py_loop_task){ 0, py_copy_thread_u64(
		    h->copy, 0, t->read.to.ts_task) };
		t->after[0] = (struct py_loop_task){ 0, py_copy_thread_u64(
		    h->copy, 1, t->read.to.ts_task) };
		t->n_before = t->before[0].task != 0;
		t->n_after = t->after[0].task != 0;
	} else if (!t->has_after) {
		t->n_after = read_current(t, t->after);
		t->has_after = 1;
	}
}

static int
is_among(const struct py_loop_task *v, size_t n, uint64_t task)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].task == task)
			return 1;
	return 0;
}

/* Whether a loop is known to be that of another thread, or of none. */
static int
is_own(const struct py_tasks *t, const struct py_thread *h, uint64_t loop)
{
	unsigned i;

	for (i = 0; i < t->n_owner; i++)
		if (t->owner[i].loop == loop)
			return t->owner[i].thread == h->at;
	return has_table(t);
}

static void
learn_owner(struct py_tasks *t, const struct py_thread *h, uint64_t loop)
{
	unsigned i;

	for (i = 0; i < t->n_owner && t->owner[i].loop != loop; i++)
		;
	if (i == t->n_owner)
		i = t->n_owner < TASKS_MAX_LOOPS ? t->n_owner++ : 0;
	t->owner[i].loop = loop;
	t->owner[i].thread = h->at;
}

/* Which frame of the last stack, from the outermost on, is that of a task's
 * coroutine; -1: none. */
static long
find_on_stack(struct py_tasks *t, const struct py_thread *h, uint64_t at,
    struct py_task *ret)
{
	const struct py_walk *w = &h->walk;
	uint64_t frame;
	size_t i;

	if (py_task_read(&t->read, at, ret) < 0)
		return -1;
	frame = py_coros_frame(&t->coros, ret->coro);
	for (i = w->n_memo; frame != 0 && i-- > 0;)
		if (w->memo[i].at == frame)
			return (long)i;
	return -1;
}

/* The same for a task that the thread ran right before or right after. */
static long
find_running(struct py_tasks *t, const struct py_thread *h,
    struct py_task *ret, int *has_any)
{
	size_t i;
	long depth;

	*has_any = 0;
	find_current(t, h);
	for (i = 0; i < t->n_before + t->n_after; i++) {
		const struct py_loop_task *c = i < t->n_before
		    ? &t->before[i] : &t->after[i - t->n_before];

		if (i >= t->n_before && is_among(t->before, t->n_before,
		        c->task))
			continue;
		*has_any |= is_own(t, h, c->loop);
		depth = find_on_stack(t, h, c->task, ret);
		if (depth < 0)
			continue;
		if (!has_table(t))
			learn_owner(t, h, c->loop);
		return depth;
	}
	return -1;
}

int
py_tasks_is_true(struct py_tasks *t, const struct py_thread *h)
{
	struct py_task task;
	int has_any;

	forget_tasks(t);
	return find_running(t, h, &task, &has_any) >= 0 || !has_any;
}

/* What is below the task that runs. */
static int
take_running(struct py_tasks *t, const struct py_thread *h)
{
	struct py_task_memo *m;
	struct py_task task;
	size_t i, parent;
	int has_any;
	long depth = find_running(t, h, &task, &has_any);

	t->running.is_any = depth >= 0;
	t->is_cut = 0;
	if (depth < 0)
		return BOB_OK;
	t->running.below = depth > 0 ? h->walk.memo[depth - 1].stack : 0;
	t->n_top = bob_stack_get(t->p->dict, h->walk.stack).depth -
	    bob_stack_get(t->p->dict, t->running.below).depth;
	i = t->n_task;
	if (add_task(t, &task) < 0 || find_awaiter(t, i) < 0)
		return BOB_FATAL;
	/* It is no part of what it is awaited by. */
	t->task[i].is_begun = 1;
	if (find_task(t, t->task[i].by.task, &parent) < 0 ||
	    (parent != NOWHERE && make_stack(t, parent) < 0))
		return BOB_FATAL;
	m = &t->task[i];
	m->name = name_of(t, &task);
	t->running.base = push_mark(t, parent != NOWHERE && parent != i
	    ? t->task[parent].stack : 0, m->name, m->by.n);
	t->running.annot = name_annot(t, m->name);
	return t->running.base == BOB_NO_ID || t->running.annot == BOB_NO_ID
	    ? BOB_FATAL : BOB_OK;
}

/*
 * The frames of a stack, which may have others between, that are also those of
 * `own` above `below`, innermost first: from the one on that is the outermost
 * of these. 0: it is none of them; or BOB_FATAL.
 */
static int
collect(struct py_tasks *t, bob_stack stack, bob_stack own, bob_stack below)
{
	t->n_fid = 0;
	while (own != below && stack != 0) {
		struct bob_node node = bob_stack_get(t->p->dict, stack);
		struct bob_node next = bob_stack_get(t->p->dict, own);

		if (MEM_GROW(t->p->ctx, t, fid, t->n_fid + 1) < 0)
			return BOB_FATAL;
		t->fid[t->n_fid++] = node.frame;
		stack = node.parent;
		if (node.frame == next.frame)
			own = next.parent;
	}
	return own == below;
}

int
py_tasks_put_running(struct py_tasks *t, const struct py_thread *h,
    bob_stack *stack, bob_annot *annot)
{
	bob_stack s = t->running.base;
	size_t n;
	int r;

	*annot = 0;
	if (!t->running.is_any)
		return BOB_OK;
	r = collect(t, *stack, h->walk.stack, t->running.below);
	if (r < 0)
		return BOB_FATAL;
	*annot = t->running.annot;
	if (r == 0)
		return BOB_OK;
	/* The innermost that there is room for. */
	n = BOB_MAX_LIVE_DEPTH - bob_stack_get(t->p->dict, s).depth;
	for (n = t->n_fid < n ? t->n_fid : n; s != BOB_NO_ID && n > 0; n--)
		s = bob_stack_push(t->p->dict, s, t->fid[n - 1]);
	*stack = s;
	return s == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* --- those that wait ----------------------------------------------------- */

/* Lists them, and which of them others are awaited by: these are part of the
 * others' stacks. */
static int
take_list(struct py_tasks *t, const struct py_thread *h)
{
	size_t i, k;
	uint32_t at;

	if (py_task_list_read(&t->list, &t->read, h->at) < 0)
		return BOB_FATAL;
	ptrmap_clear(&t->parents);
	for (i = 0; i < t->list.n; i++) {
		at = ptrmap_get(&t->by_at, t->list.v[i].at);
		k = at != PTRMAP_NONE ? at : t->n_task;
		if (at == PTRMAP_NONE && add_task(t, &t->list.v[i]) < 0)
			return BOB_FATAL;
		if (find_awaiter(t, k) < 0 || (t->task[k].by.task != 0 &&
		        ptrmap_put(t->p->ctx, &t->parents,
		            t->task[k].by.task, 1) < 0))
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* The track of a task, as times are those since the last sample of a track. */
static bob_tid
track_of(struct py_tasks *t, const struct py_thread *h, bob_str name)
{
	struct bob_track track = { .pid = (uint64_t)t->p->pid,
		.interp = h->interp_id, .name = name,
		.flags = BOB_TRACK_PID | BOB_TRACK_INTERP };

	return bob_track_put(t->p->dict, &track);
}

static int
put_waiting(struct py_tasks *t, const struct py_thread *h, size_t i)
{
	const struct py_task_memo *m;
	struct bob_run *run;

	if (make_stack(t, i) < 0)
		return BOB_FATAL;
	m = &t->task[i];
	if (m->why == -EAGAIN)
		process_lose(t->p, BOB_LOST_MOVED);
	if (m->why != 0 || m->is_running || !m->is_made)
		return BOB_OK;
	run = process_add_run(t->p);
	if (run == NULL)
		return BOB_FATAL;
	run->stack = m->stack;
	run->track = track_of(t, h, m->name);
	run->annot = name_annot(t, m->name);
	run->flags = BOB_RUN_STATUS; /* on no CPU, and without the lock */
	if (run->track == BOB_NO_ID || run->annot == BOB_NO_ID)
		return BOB_FATAL;
	return BOB_OK;
}

/* Stacks that were made with little room are made again. */
static void
forget_cut(struct py_tasks *t)
{
	size_t i;

	t->n_top = 0;
	for (i = 0; i < t->n_task; i++) {
		t->task[i].is_made = t->task[i].is_made && !t->is_cut;
		t->task[i].is_begun = t->task[i].is_made;
	}
}

/* Neither runs, nor is part of another's stack. */
static int
is_to_tell(const struct py_tasks *t, uint64_t at)
{
	return !is_among(t->before, t->n_before, at) &&
	    !is_among(t->after, t->n_after, at) &&
	    ptrmap_get(&t->parents, at) == PTRMAP_NONE;
}

/* Reads coroutines of the next tasks of the list. How many tasks these are. */
static size_t
look_ahead(struct py_tasks *t, size_t from, int *ret)
{
	uint64_t coro[CORO_AHEAD];
	size_t n = 0, i;

	for (i = from; i < t->list.n && n < CORO_AHEAD; i++)
		if (is_to_tell(t, t->list.v[i].at))
			coro[n++] = t->list.v[i].coro;
	*ret = py_coros_look_ahead(&t->coros, coro, n) < 0 ? BOB_FATAL
	                                                   : BOB_OK;
	return i - from;
}

static int
take_waiting(struct py_tasks *t, const struct py_thread *h)
{
	unsigned interp;
	size_t i, k, n;
	int r;

	if (!has_table(t)) {
		interp = interp_index(t, h->interp);
		if (t->interp[interp].is_told)
			return BOB_OK;
		t->interp[interp].is_told = 1;
	}
	forget_cut(t);
	if (take_list(t, h) < 0)
		return BOB_FATAL;
	for (i = 0; i < t->list.n; i += n) {
		n = look_ahead(t, i, &r);
		for (k = i; r == BOB_OK && k < i + n; k++)
			if (is_to_tell(t, t->list.v[k].at))
				r = put_waiting(t, h, ptrmap_get(&t->by_at,
				    t->list.v[k].at));
		if (r < 0)
			return BOB_FATAL;
	}
	return py_coros_look_ahead(&t->coros, NULL, 0) < 0 ? BOB_FATAL
	                                                   : BOB_OK;
}

int
py_tasks_follow(struct py_tasks *t, const struct py_thread *h)
{
	int r;

	forget_tasks(t);
	r = take_running(t, h);
	if (r == BOB_OK && t->p->mode == BOB_MODE_WALL &&
	    (t->p->flags & BOB_ATTACH_ALL_TASKS) != 0)
		r = take_waiting(t, h);
	return r;
}
