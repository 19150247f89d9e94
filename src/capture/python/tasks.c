/* Tasks, their names, and their stacks; see tasks.h. */
#include "capture/python/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/elf/elf.h"
#include "capture/python/object.h"
#include "capture/python/text.h"
#include "core/mem.h"

#define SECTION ".AsyncioDebug"
#define LOOK_US 100000

void
py_tasks_init(struct py_tasks *t, struct process *p,
    const struct py_site *site, struct py_codes *codes)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	t->site = site;
	t->codes = codes;
	py_coros_init(&t->coros, codes);
}

void
py_tasks_done(struct py_tasks *t)
{
	py_coros_done(&t->coros);
	ptrmap_free(&t->parents);
	free(t->fid);
	free(t->task);
}

/* --- the table ----------------------------------------------------------- */

enum { SIZE, NAME, AWAITED_BY, IS_TASK, IS_SET, CORO, NODE, INTERP_SIZE,
	INTERP_HEAD, THREAD_SIZE, THREAD_LOOP, THREAD_TASK, THREAD_HEAD,
	N_WORDS };

static int
fits(uint64_t at, uint64_t n, uint64_t size)
{
	return at <= size && size - at >= n;
}

const char *
py_task_table_read(const uint8_t *table, struct py_task_offsets *ret)
{
	uint64_t w[N_WORDS], size, thread;
	size_t i;

	for (i = 0; i < N_WORDS; i++)
		w[i] = mem_u64(table, 8 * i);
	size = w[SIZE];
	thread = w[THREAD_SIZE];
	if (size > TASKS_MAX_SIZE || thread > (64u << 20) ||
	    !fits(w[NAME], 8, size) || !fits(w[AWAITED_BY], 8, size) ||
	    !fits(w[IS_TASK], 1, size) || !fits(w[IS_SET], 1, size) ||
	    !fits(w[CORO], 8, size) || !fits(w[NODE], 16, size) ||
	    !fits(w[THREAD_TASK], 8, thread) ||
	    !fits(w[THREAD_HEAD], 16, thread) ||
	    w[THREAD_TASK] > PY_MAX_THREAD - 8)
		return "an offset lies outside of its structure";
	*ret = (struct py_task_offsets){ .size = (uint32_t)size,
		.name = (uint32_t)w[NAME],
		.awaited_by = (uint32_t)w[AWAITED_BY],
		.is_task = (uint32_t)w[IS_TASK],
		.is_set = (uint32_t)w[IS_SET], .coro = (uint32_t)w[CORO],
		.node = (uint32_t)w[NODE], .ts_task = (uint32_t)w[THREAD_TASK],
		.ts_head = (uint32_t)w[THREAD_HEAD] };
	return NULL;
}

/* An address in memory of the table, when the file has one; else 0. */
static uint64_t
table_in(struct process *p, const struct map_file *f)
{
	const struct elf_section *s;
	uint64_t at = 0;
	struct elf elf;

	if (elf_open_mapped(p->ctx, &elf, p->pid, f) == BOB_OK) {
		s = elf_section(&elf, SECTION);
		if (s != NULL)
			at = elf_bias(&elf, f->start, f->first_offset) +
			    s->addr;
	}
	elf_done(&elf);
	return at;
}

/* A module of its own, or a part of the interpreter. */
static int
may_have_tasks(const struct map_file *f)
{
	return strncmp(maps_base_name(f->path), "_asyncio", 8) == 0 ||
	    py_is_module(f);
}

uint64_t
py_tasks_find(struct process *p)
{
	struct maps maps;
	uint64_t at = 0;
	size_t i;

	if (maps_read(p->ctx, &maps, p->pid) == BOB_OK)
		for (i = 0; at == 0 && i < maps.n_file; i++)
			if (may_have_tasks(&maps.file[i]))
				at = table_in(p, &maps.file[i]);
	maps_done(&maps);
	return at;
}

static void
look(struct py_tasks *t)
{
	uint64_t at = t->site->task_table != 0 ? t->site->task_table
	                                       : py_tasks_find(t->p);
	uint8_t table[PY_TASK_TABLE];

	if (at == 0 || mem_read(&t->p->mem, at, table, sizeof(table)) < 0)
		return;
	t->is_found = py_task_table_read(table, &t->o) == NULL;
	t->is_refused = !t->is_found;
}

int
py_tasks_are_known(struct py_tasks *t)
{
	if (t->is_found || t->is_refused)
		return t->is_found;
	if (t->p->time_us >= t->t_look) {
		t->t_look = t->p->time_us + LOOK_US;
		look(t);
	}
	return t->is_found;
}

/* --- one task ------------------------------------------------------------ */

static int
read_task(struct py_tasks *t, uint64_t at, struct py_task *ret)
{
	uint8_t b[TASKS_MAX_SIZE];
	int r = t->n_steps++ >= TASKS_MAX_STEPS || at % 8 != 0 ||
	    !mem_is_user(at, sizeof(b)) ? -EFAULT
	    : mem_read(&t->p->mem, at, b, t->o.size);

	if (r < 0)
		return r;
	*ret = (struct py_task){ .at = at, .coro = mem_u64(b, t->o.coro),
		.name = mem_u64(b, t->o.name),
		.awaited_by = mem_u64(b, t->o.awaited_by),
		.next = mem_u64(b, t->o.node),
		.is_task = mem_u8(b, t->o.is_task) == 1,
		.is_set = mem_u8(b, t->o.is_set) != 0 };
	return 0;
}

/* A future is shorter than a task, and may be the last thing on its page. */
static int
read_future(struct py_tasks *t, uint64_t at, struct py_task *ret)
{
	uint8_t b[TASKS_MAX_SIZE];
	uint32_t n = t->o.awaited_by + 8;

	if (n < t->o.is_task + 1)
		n = t->o.is_task + 1;
	if (n < t->o.is_set + 1)
		n = t->o.is_set + 1;
	if (t->n_steps++ >= TASKS_MAX_STEPS || at % 8 != 0 ||
	    !mem_is_user(at, sizeof(b)) ||
	    mem_read(&t->p->mem, at, b, n) < 0)
		return -EFAULT;
	*ret = (struct py_task){ .at = at,
		.awaited_by = mem_u64(b, t->o.awaited_by),
		.is_task = mem_u8(b, t->o.is_task) == 1,
		.is_set = mem_u8(b, t->o.is_set) != 0 };
	return 0;
}

/* Futures between a task and those that await it, as gather has one. */
#define MAX_FUTURES 16

static void find_parents(struct py_tasks *t, struct py_task *of,
    const struct py_task *future, unsigned depth);

static void
take_awaiter(struct py_tasks *t, struct py_task *of, uint64_t at,
    unsigned depth)
{
	struct py_task f;

	if (of->n_parents >= TASKS_MAX_AWAITERS ||
	    read_future(t, at, &f) < 0)
		return;
	if (!f.is_task) {
		find_parents(t, of, &f, depth + 1);
		return;
	}
	of->n_parents++;
	if (of->parent == 0 || at < of->parent)
		of->parent = at;
}

/* PySetObject, where py_at puts it: mask, used are in front of the table. */
enum { SET_USED = 24, SET_MASK = 32, SET_TABLE = 40 };

static void
take_set(struct py_tasks *t, struct py_task *of, uint64_t at, unsigned depth)
{
	const struct py_offsets *o = &t->site->o;
	uint8_t b[24], entry[16 * 8];
	uint64_t mask, table, i, k, n;

	if (mem_read(&t->p->mem, at + py_at(o, SET_USED), b, sizeof(b)) < 0)
		return;
	mask = mem_u64(b, SET_MASK - SET_USED);
	table = mem_u64(b, SET_TABLE - SET_USED);
	if (mask >= 4 * TASKS_MAX_AWAITERS)
		return;
	for (i = 0; i <= mask; i += n) {
		n = mask + 1 - i < 8 ? mask + 1 - i : 8;
		if (mem_read(&t->p->mem, table + 16 * i, entry,
		        (size_t)n * 16) < 0)
			return;
		for (k = 0; k < n; k++)
			if (mem_u64(entry, (size_t)k * 16) != 0 &&
			    mem_u64(entry, (size_t)k * 16 + 8) != UINT64_MAX)
				take_awaiter(t, of,
				    mem_u64(entry, (size_t)k * 16), depth);
	}
}

/* The tasks that await `future`, as parents of `of`. */
static void
find_parents(struct py_tasks *t, struct py_task *of,
    const struct py_task *future, unsigned depth)
{
	if (future->awaited_by == 0 || depth >= MAX_FUTURES)
		return;
	if (future->is_set)
		take_set(t, of, future->awaited_by, depth);
	else
		take_awaiter(t, of, future->awaited_by, depth);
}

/* PyLongObject, where py_at puts it */
enum { LONG_TAG = 16, LONG_DIGITS = 24 };
#define DIGIT_BITS 30

/* "Task-7": as long as nobody has asked for it, the name is the number. */
static int
read_number(struct py_tasks *t, uint64_t at, char *buf)
{
	const struct py_offsets *o = &t->site->o;
	uint8_t b[16];
	uint64_t tag, v = 0;

	if (mem_read(&t->p->mem, at + py_at(o, LONG_TAG), b, sizeof(b)) < 0)
		return -EFAULT;
	tag = mem_u64(b, 0);
	if (tag >> 3 > 2)
		return -EINVAL;
	if (tag >> 3 > 0)
		v = mem_u32(b, LONG_DIGITS - LONG_TAG);
	if (tag >> 3 > 1)
		v |= (uint64_t)mem_u32(b, LONG_DIGITS - LONG_TAG + 4) <<
		    DIGIT_BITS;
	return snprintf(buf, PY_MAX_TEXT, "Task-%llu", (unsigned long long)v);
}

/* The type of numbers, by what it is called. */
static int
is_number(struct py_tasks *t, uint64_t at)
{
	char name[16];

	return py_type_name(&t->p->mem, &t->site->o, at, name,
	    sizeof(name)) == 0 && strcmp(name, "int") == 0;
}

static bob_str
name_of(struct py_tasks *t, const struct py_task *task)
{
	char buf[PY_MAX_TEXT];
	int n = is_number(t, task->name)
	    ? read_number(t, task->name, buf)
	    : py_text_read(&t->p->mem, &t->site->o, task->name, buf);

	if (n < 0)
		n = snprintf(buf, sizeof(buf), "<unnamed>");
	return bob_str_put(t->p->dict, buf, (size_t)n);
}

/* --- stacks -------------------------------------------------------------- */

/* The frame that stands for a task, on a stack. */
static bob_stack
push_mark(struct py_tasks *t, bob_stack stack, const struct py_task *task,
    bob_str name)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON,
		.flags = BOB_FRAME_NO_LINE, .name = name };
	struct bob_bytes s = bob_str_get(t->p->dict, name);
	char buf[PY_MAX_TEXT + 32];
	bob_fid fid;

	if (name != BOB_NO_ID && task->n_parents > 1) {
		int n = snprintf(buf, sizeof(buf), "%.*s (%u parents)",
		    (int)s.n, s.p, task->n_parents);

		f.name = bob_str_put(t->p->dict, buf, (size_t)n);
	}
	f.file = bob_str_put(t->p->dict, "<task>", 6);
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID || stack == BOB_NO_ID)
		return BOB_NO_ID;
	fid = bob_frame_put(t->p->dict, &f);
	return fid == BOB_NO_ID ? BOB_NO_ID
	                        : bob_stack_push(t->p->dict, stack, fid);
}

/*
 * The coroutines of a task that waits, as long as there is room for them and
 * for what comes on top. BOB_NO_ID when memory is out; as it was when they
 * cannot be read, which *why tells.
 */
static bob_stack
push_coroutines(struct py_tasks *t, bob_stack stack, uint64_t coro, int *why)
{
	size_t i, room = t->p->max_depth;
	int r = t->n_steps >= TASKS_MAX_STEPS ? -EAGAIN
	                                      : py_coros_read(&t->coros, coro);

	if (r == -ENOMEM)
		return BOB_NO_ID;
	if (r < 0) {
		*why = r;
		return stack;
	}
	t->n_steps += (uint32_t)t->coros.n_fid;
	for (i = 0; i < t->coros.n_fid && stack != BOB_NO_ID; i++)
		if (bob_stack_get(t->p->dict, stack).depth + t->n_fid < room)
			stack = bob_stack_push(t->p->dict, stack,
			    t->coros.fid[i]);
	return stack;
}

/* A task, the one that awaits it, and so on. How many. */
static size_t
read_chain(struct py_tasks *t, const struct py_task *first,
    struct py_task *chain)
{
	size_t n = 0, i;
	uint64_t at;

	chain[n++] = *first;
	for (;;) {
		struct py_task *last = &chain[n - 1];

		last->parent = 0;
		last->n_parents = 0;
		find_parents(t, last, last, 0);
		at = last->parent;
		for (i = 0; i < n && chain[i].at != at; i++)
			;
		if (at == 0 || i < n || n >= TASKS_MAX_CHAIN ||
		    read_task(t, at, &chain[n]) < 0)
			return n;
		n++;
	}
}

/* The tasks of a chain from the last to the first, which is without its
 * coroutines. */
static bob_stack
push_chain(struct py_tasks *t, const struct py_task *chain, size_t n,
    bob_str name, int *why)
{
	bob_stack stack = 0;

	while (n-- > 1 && stack != BOB_NO_ID) {
		stack = push_mark(t, stack, &chain[n], name_of(t, &chain[n]));
		if (stack != BOB_NO_ID)
			stack = push_coroutines(t, stack, chain[n].coro,
			    why);
	}
	return stack == BOB_NO_ID ? stack : push_mark(t, stack, chain, name);
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

/* --- the one that runs --------------------------------------------------- */

void
py_tasks_prepare(const struct py_tasks *t, struct py_thread *h)
{
	if (h->copy->n_thread < t->o.ts_task + 8u)
		h->copy->n_thread = t->o.ts_task + 8u;
}

/* Which frame of the last stack, from the outermost on, is that of a task that
 * the thread ran right before or right after; -1: none. */
static long
find_running(struct py_tasks *t, const struct py_thread *h,
    struct py_task *ret, int *has_any)
{
	const struct py_walk *w = &h->walk;
	uint64_t last = 0, at, frame;
	size_t i;
	int k;

	*has_any = 0;
	for (k = 0; k < 2; k++, last = at) {
		at = mem_u64(k == 0 ? h->copy->before : h->copy->after,
		    t->o.ts_task);
		if (at == 0 || at == last)
			continue;
		*has_any = 1;
		if (read_task(t, at, ret) < 0)
			continue;
		frame = py_coros_frame(&t->coros, ret->coro);
		for (i = w->n_memo; i-- > 0;)
			if (w->memo[i].at == frame)
				return (long)i;
	}
	return -1;
}

int
py_tasks_is_true(struct py_tasks *t, const struct py_thread *h)
{
	struct py_task task;
	int has_any;

	return find_running(t, h, &task, &has_any) >= 0 || !has_any;
}

/* The frames of a stack above `below`, innermost first, with room for marks. */
static int
collect(struct py_tasks *t, bob_stack stack, bob_stack below)
{
	t->n_fid = 0;
	while (stack != below && stack != 0 &&
	    t->n_fid < BOB_MAX_LIVE_DEPTH - TASKS_MAX_CHAIN) {
		struct bob_node node = bob_stack_get(t->p->dict, stack);

		if (MEM_GROW(t->p->ctx, t, fid, t->n_fid + 1) < 0)
			return BOB_FATAL;
		t->fid[t->n_fid++] = node.frame;
		stack = node.parent;
	}
	return BOB_OK;
}

int
py_tasks_put_running(struct py_tasks *t, const struct py_thread *h,
    bob_stack *stack, bob_annot *annot)
{
	struct py_task chain[TASKS_MAX_CHAIN], task;
	int has_any, why = 0;
	long depth = find_running(t, h, &task, &has_any);
	bob_stack s;
	bob_str name;

	t->n_steps = 0;
	if (depth < 0)
		return BOB_OK;
	if (collect(t, *stack, depth > 0 ? h->walk.memo[depth - 1].stack
	                                 : 0) < 0)
		return BOB_FATAL;
	name = name_of(t, &task);
	s = push_chain(t, chain, read_chain(t, &task, chain), name,
	    &why);
	while (s != BOB_NO_ID && t->n_fid > 0)
		s = bob_stack_push(t->p->dict, s, t->fid[--t->n_fid]);
	*annot = name_annot(t, name);
	if (s == BOB_NO_ID || *annot == BOB_NO_ID)
		return BOB_FATAL;
	*stack = s;
	return BOB_OK;
}

/* --- those that wait ----------------------------------------------------- */

/* All tasks of a thread: a ring that begins and ends in its state. 0, or
 * -ENOMEM. */
static int
list_tasks(struct py_tasks *t, uint64_t thread)
{
	uint64_t head = thread + t->o.ts_head, at;
	struct py_task *task;

	t->n_task = 0;
	if (mem_read_u64(&t->p->mem, head, &at) < 0)
		return 0;
	while (at != head && at != 0 && t->n_task < TASKS_MAX) {
		if (MEM_GROW(t->p->ctx, t, task, t->n_task + 1) < 0)
			return -ENOMEM;
		task = &t->task[t->n_task];
		if (read_task(t, at - t->o.node, task) < 0)
			break;
		at = task->next;
		t->n_task++;
	}
	return 0;
}

/* Which of them others are awaited by: these are part of the others' stacks. */
static int
mark_parents(struct py_tasks *t)
{
	size_t i;

	ptrmap_clear(&t->parents);
	for (i = 0; i < t->n_task; i++) {
		struct py_task *task = &t->task[i];

		find_parents(t, task, task, 0);
		if (task->parent != 0 && ptrmap_put(t->p->ctx, &t->parents,
		        task->parent, 1) < 0)
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

/* The stack of a task that waits; 0 when it cannot be read, which *why
 * tells. */
static bob_stack
waiting_stack(struct py_tasks *t, const struct py_task *task, bob_str name,
    int *why)
{
	struct py_task chain[TASKS_MAX_CHAIN];
	bob_stack s;

	*why = 0;
	t->n_fid = 0;
	s = push_chain(t, chain, read_chain(t, task, chain), name, why);
	if (s != BOB_NO_ID)
		s = push_coroutines(t, s, task->coro, why);
	return s == BOB_NO_ID || *why == 0 ? s : 0;
}

static int
put_waiting(struct py_tasks *t, const struct py_thread *h,
    const struct py_task *task)
{
	bob_str name = name_of(t, task);
	struct bob_run *run;
	bob_stack s;
	int why;

	s = waiting_stack(t, task, name, &why);
	if (s == 0 && why == -EAGAIN)
		s = waiting_stack(t, task, name, &why);
	if (s == BOB_NO_ID || name == BOB_NO_ID)
		return BOB_FATAL;
	if (s == 0) {
		if (why == -EAGAIN)
			process_lose(t->p, BOB_LOST_MOVED);
		return BOB_OK;
	}
	run = process_add_run(t->p);
	if (run == NULL)
		return BOB_FATAL;
	run->stack = s;
	run->track = track_of(t, h, name);
	run->annot = name_annot(t, name);
	run->flags = BOB_RUN_STATUS; /* on no CPU, and without the lock */
	if (run->track == BOB_NO_ID || run->annot == BOB_NO_ID)
		return BOB_FATAL;
	return BOB_OK;
}

int
py_tasks_put_waiting(struct py_tasks *t, const struct py_thread *h)
{
	uint64_t running = mem_u64(h->copy->before, t->o.ts_task);
	uint64_t after = mem_u64(h->copy->after, t->o.ts_task);
	size_t i;

	t->n_steps = 0;
	if (list_tasks(t, h->at) < 0 || mark_parents(t) < 0)
		return BOB_FATAL;
	for (i = 0; i < t->n_task; i++) {
		const struct py_task *task = &t->task[i];

		if (task->at == running || task->at == after ||
		    ptrmap_get(&t->parents, task->at) != PTRMAP_NONE)
			continue;
		if (put_waiting(t, h, task) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}
