/*
 * The stacks of tasks, made from the chains of their coroutines.
 *
 * A task stands on the stack of the task that awaits it. Each task is read once
 * in a sample: t->task remembers it, and the stack that was made of it.
 */
#include "capture/python/tasks/task_sampler_inside.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/python/tasks/awaiters.h"
#include "core/mem.h"

/* Pushes the frame of a coroutine, if there is room for the t->n_top frames
 * that come on top of it. */
static bob_stack
push_coroutine(struct py_tasks *t, bob_stack stack, bob_fid fid)
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

bob_stack
py_tasks_push_mark(struct py_tasks *t, bob_stack stack, bob_str name,
    uint32_t n_by)
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
	/* Marks are few, so max_depth does not count them. */
	if (fid == BOB_NO_ID ||
	    bob_stack_get(t->p->dict, stack).depth >= BOB_MAX_CAPTURE_DEPTH)
		return fid == BOB_NO_ID ? BOB_NO_ID : stack;
	return bob_stack_push(t->p->dict, stack, fid);
}

/* Reads the coroutines of a task, a second time if they move meanwhile. 0 or
 * -errno. */
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

/* --- tasks of one sample ------------------------------------------------- */

void
py_tasks_forget(struct py_tasks *t)
{
	t->n_task = 0;
	t->n_top = 0;
	ptrmap_clear(&t->by_at);
	py_coros_begin(&t->coros);
	py_task_reader_begin(&t->read);
}

int
py_tasks_add(struct py_tasks *t, const struct py_task *task)
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

int
py_tasks_find(struct py_tasks *t, uint64_t at, size_t *ret)
{
	uint32_t i = at == 0 ? PTRMAP_NONE : ptrmap_get(&t->by_at, at);
	struct py_task task;

	*ret = i == PTRMAP_NONE ? PY_TASK_NOWHERE : i;
	if (i != PTRMAP_NONE || at == 0 || t->n_task >= 2 * TASKS_MAX ||
	    py_task_read(&t->read, at, &task) < 0)
		return BOB_OK;
	*ret = t->n_task;
	return py_tasks_add(t, &task);
}

int
py_tasks_find_awaiter(struct py_tasks *t, size_t i)
{
	struct py_task_memo *m = &t->task[i];

	if (m->has_by)
		return BOB_OK;
	m->has_by = 1;
	return py_task_awaiter(&t->read, &m->task, &m->by) < 0 ? BOB_FATAL
	                                                       : BOB_OK;
}

/* Makes the stack of task i on that of `below`, which awaits it; NULL if nobody
 * does. BOB_OK or FATAL. */
static int
make_task_stack(struct py_tasks *t, size_t i, const struct py_task_memo *below)
{
	struct py_task_memo *m = &t->task[i];
	size_t k;

	m->name = py_tasks_name(t, &m->task);
	m->stack = py_tasks_push_mark(t, below != NULL ? below->stack : 0,
	    m->name, m->by.n);
	m->why = read_coroutines(t, &m->task);
	m->is_made = 1;
	m->n_chain = below != NULL ? (uint16_t)(below->n_chain + 1) : 1;
	if (m->why == -ENOMEM)
		return BOB_FATAL;
	m->is_running = m->why == 0 && t->coros.is_running;
	m->request = below != NULL ? below->request : 0;
	if (m->why == 0 && t->coros.root_frame != 0 &&
	    py_tasks_is_server(t, t->coros.root_code) &&
	    py_tasks_find_request(t, &m->task, t->coros.root_frame,
	        &m->request) < 0)
		return BOB_FATAL;
	for (k = 0; m->why == 0 && k < t->coros.n_fid; k++)
		m->stack = push_coroutine(t, m->stack, t->coros.fid[k]);
	if (below != NULL && below->why == -EAGAIN)
		m->why = -EAGAIN;
	return m->stack == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

int
py_tasks_make_stack(struct py_tasks *t, size_t i)
{
	size_t chain[TASKS_MAX_CHAIN], n = 0, above;
	struct py_task_memo *below = NULL;

	while (i != PY_TASK_NOWHERE && n < TASKS_MAX_CHAIN &&
	    !t->task[i].is_begun) {
		t->task[i].is_begun = 1;
		chain[n++] = i;
		if (py_tasks_find_awaiter(t, i) < 0 ||
		    py_tasks_find(t, t->task[i].by.task, &i) < 0)
			return BOB_FATAL;
	}
	/* Stand on a stack that was made before. Else the chain ends here: it
	 * is a circle, or long enough. */
	if (i != PY_TASK_NOWHERE && t->task[i].is_made &&
	    t->task[i].n_chain + n <= TASKS_MAX_CHAIN)
		below = &t->task[i];
	while (n-- > 0) {
		above = chain[n];
		assert(above < t->n_task);
		if (make_task_stack(t, above, below) < 0)
			return BOB_FATAL;
		below = &t->task[above];
	}
	return BOB_OK;
}
