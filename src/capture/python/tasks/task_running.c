/* The task that a thread runs, and the stack below it. */
#include "capture/python/tasks/task_sampler_inside.h"

#include "core/mem.h"

/* Reads which task each loop runs now; up to 3.13. Returns how many. */
static size_t
read_current(struct py_tasks *t, struct py_loop_task *ret)
{
	int n = py_task_list_current(&t->read, ret);
	unsigned i;

	if (n >= 0)
		return (size_t)n;
	/* The interpreter may have ended. */
	i = py_tasks_interp_index(t, t->read.asyncio.interp);
	t->interp[i].is_found = 0;
	return 0;
}

void
py_tasks_prepare(struct py_tasks *t, struct py_thread *h)
{
	t->has_after = 0;
	if (!py_tasks_has_table(t))
		t->n_before = read_current(t, t->before);
	else if (h->copy->n_thread < t->read.to.ts_task + 8u)
		h->copy->n_thread = t->read.to.ts_task + 8u;
}

/* The tasks right before and right after the stack was copied. */
static void
find_current(struct py_tasks *t, const struct py_thread *h)
{
	if (py_tasks_has_table(t)) {
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

/* Returns 1 if one of n loops runs a task. */
static int
is_among(const struct py_loop_task *v, size_t n, uint64_t task)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].task == task)
			return 1;
	return 0;
}

int
py_tasks_is_current(const struct py_tasks *t, uint64_t task)
{
	return is_among(t->before, t->n_before, task) ||
	    is_among(t->after, t->n_after, task);
}

/* Returns 1 if a loop is known to be that of this thread. From 3.14 on a thread
 * has no other. */
static int
is_loop_of(const struct py_tasks *t, const struct py_thread *h, uint64_t loop)
{
	unsigned i;

	for (i = 0; i < t->n_owner; i++)
		if (t->owner[i].loop == loop)
			return t->owner[i].thread == h->at;
	return py_tasks_has_table(t);
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

/* Which frame of the last stack, from the outermost on, is that of the
 * coroutine of the task at an address. -1 if there is none. */
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

long
py_tasks_find_running(struct py_tasks *t, const struct py_thread *h,
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
		*has_any |= is_loop_of(t, h, c->loop);
		depth = find_on_stack(t, h, c->task, ret);
		if (depth < 0)
			continue;
		if (!py_tasks_has_table(t))
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

	py_tasks_forget(t);
	return py_tasks_find_running(t, h, &task, &has_any) >= 0 || !has_any;
}

int
py_tasks_take_running(struct py_tasks *t, const struct py_thread *h)
{
	struct py_task_memo *m;
	struct py_task task;
	size_t i, parent;
	int has_any;
	long depth = py_tasks_find_running(t, h, &task, &has_any);

	t->running.is_any = depth >= 0;
	t->running.request = 0;
	t->is_cut = 0;
	if (depth < 0)
		return BOB_OK;
	t->running.below = depth > 0 ? h->walk.memo[depth - 1].stack : 0;
	t->n_top = bob_stack_get(t->p->dict, h->walk.stack).depth -
	    bob_stack_get(t->p->dict, t->running.below).depth;
	i = t->n_task;
	if (py_tasks_add(t, &task) < 0 || py_tasks_find_awaiter(t, i) < 0)
		return BOB_FATAL;
	/* It is not part of the stack of a task that awaits it. */
	t->task[i].is_begun = 1;
	if (py_tasks_find(t, t->task[i].by.task, &parent) < 0 ||
	    (parent != PY_TASK_NOWHERE && py_tasks_make_stack(t, parent) < 0))
		return BOB_FATAL;
	if (parent != PY_TASK_NOWHERE && parent != i)
		t->running.request = t->task[parent].request;
	if (py_tasks_is_server(t, h->walk.memo[depth].index) &&
	    py_tasks_find_request(t, &task, h->walk.memo[depth].at,
	        &t->running.request) < 0)
		return BOB_FATAL;
	m = &t->task[i];
	m->name = py_tasks_name(t, &task);
	t->running.base = py_tasks_push_mark(t,
	    parent != PY_TASK_NOWHERE && parent != i ? t->task[parent].stack
	                                             : 0,
	    m->name, m->by.n);
	t->running.annot = py_tasks_name_annot(t, m->name);
	return t->running.base == BOB_NO_ID || t->running.annot == BOB_NO_ID
	    ? BOB_FATAL : BOB_OK;
}

/*
 * Collects frames of `stack` into t->fid, innermost first, until all frames of
 * `own` above `below` have been met. `stack` has the frames of `own`, and may
 * have native frames between them. Returns 1; 0 if `stack` does not have all of
 * them; or BOB_FATAL.
 */
static int
collect_own_frames(struct py_tasks *t, bob_stack stack, bob_stack own,
    bob_stack below)
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
	r = collect_own_frames(t, *stack, h->walk.stack, t->running.below);
	if (r < 0)
		return BOB_FATAL;
	*annot = t->running.annot;
	if (r == 0)
		return BOB_OK;
	/* If not all fit, the innermost ones do. */
	n = BOB_MAX_CAPTURE_DEPTH - bob_stack_get(t->p->dict, s).depth;
	for (n = t->n_fid < n ? t->n_fid : n; s != BOB_NO_ID && n > 0; n--)
		s = bob_stack_push(t->p->dict, s, t->fid[n - 1]);
	*stack = s;
	return s == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}
