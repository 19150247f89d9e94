/* Tasks that wait, each as a run of its own. */
#include "capture/python/tasks/task_sampler_inside.h"

#include <errno.h>

/* Lists all tasks, and notes which of them await another: they are part of the
 * stack of that one. BOB_OK or FATAL. */
static int
list_tasks(struct py_tasks *t, const struct py_thread *h)
{
	size_t i, k;
	uint32_t at;

	if (py_task_list_read(&t->list, &t->read, h->at) < 0)
		return BOB_FATAL;
	ptrmap_clear(&t->parents);
	for (i = 0; i < t->list.n; i++) {
		at = ptrmap_get(&t->by_at, t->list.v[i].at);
		k = at != PTRMAP_NONE ? at : t->n_task;
		if (at == PTRMAP_NONE && py_tasks_add(t, &t->list.v[i]) < 0)
			return BOB_FATAL;
		if (py_tasks_find_awaiter(t, k) < 0 ||
		    (t->task[k].by.task != 0 &&
		        ptrmap_put(t->p->ctx, &t->parents,
		            t->task[k].by.task, 1) < 0))
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* Each task has a track, because times are counted since the last sample of a
 * track. */
static bob_tid
task_track(struct py_tasks *t, const struct py_thread *h, bob_str name)
{
	struct bob_track track = { .pid = (uint64_t)t->p->pid,
		.interp = h->interp_id, .name = name,
		.flags = BOB_TRACK_PID | BOB_TRACK_INTERP };

	return bob_track_put(t->p->dict, &track);
}

/* Adds a run for task i, if its stack could be read. BOB_OK or FATAL. */
static int
add_waiting_run(struct py_tasks *t, const struct py_thread *h, size_t i)
{
	const struct py_task_memo *m;
	struct bob_run *run;

	if (py_tasks_make_stack(t, i) < 0)
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
	run->track = task_track(t, h, m->name);
	run->annot = py_tasks_name_annot(t, m->name);
	if (run->annot != BOB_NO_ID && m->request != 0)
		run->annot = py_uvicorn_annotate(&t->uvicorn, m->request,
		    run->annot);
	run->flags = BOB_RUN_STATUS; /* not on a CPU, without the GIL */
	if (run->track == BOB_NO_ID || run->annot == BOB_NO_ID)
		return BOB_FATAL;
	return BOB_OK;
}

/* If a stack was cut, it was made with room for the frames of the running task.
 * Those stacks are made again, with all the room. */
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

/* Returns 1 if a task neither runs nor is part of the stack of another. */
static int
is_to_sample(const struct py_tasks *t, uint64_t at)
{
	return !py_tasks_is_current(t, at) &&
	    ptrmap_get(&t->parents, at) == PTRMAP_NONE;
}

/* Reads the coroutines of the next tasks of the list, from `from` on, with few
 * reads. Returns how many tasks that were; *ret: BOB_OK or FATAL. */
static size_t
read_tasks_ahead(struct py_tasks *t, size_t from, int *ret)
{
	uint64_t coro[CORO_AHEAD];
	size_t n = 0, i;

	for (i = from; i < t->list.n && n < CORO_AHEAD; i++)
		if (is_to_sample(t, t->list.v[i].at))
			coro[n++] = t->list.v[i].coro;
	*ret = py_coros_look_ahead(&t->coros, coro, n) < 0 ? BOB_FATAL
	                                                   : BOB_OK;
	return i - from;
}

int
py_tasks_take_waiting(struct py_tasks *t, const struct py_thread *h)
{
	unsigned interp;
	size_t i, k, n;
	int r;

	if (!py_tasks_has_table(t)) {
		interp = py_tasks_interp_index(t, h->interp);
		if (t->interp[interp].is_told)
			return BOB_OK;
		t->interp[interp].is_told = 1;
	}
	forget_cut(t);
	if (list_tasks(t, h) < 0)
		return BOB_FATAL;
	for (i = 0; i < t->list.n; i += n) {
		n = read_tasks_ahead(t, i, &r);
		for (k = i; r == BOB_OK && k < i + n; k++)
			if (is_to_sample(t, t->list.v[k].at))
				r = add_waiting_run(t, h, ptrmap_get(&t->by_at,
				    t->list.v[k].at));
		if (r < 0)
			return BOB_FATAL;
	}
	return py_coros_look_ahead(&t->coros, NULL, 0) < 0 ? BOB_FATAL
	                                                   : BOB_OK;
}
