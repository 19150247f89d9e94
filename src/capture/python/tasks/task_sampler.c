/* Sets up the sampling of tasks, and looks for asyncio until it is imported. */
#include "capture/python/tasks/task_sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/tasks/task_sampler_inside.h"

/* How often asyncio is looked for, in microseconds. */
#define LOOK_US 100000

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
	py_uvicorn_init(&t->uvicorn, p, &site->o);
	t->with_requests = (p->flags & (BOB_ATTACH_REQUEST |
	    BOB_ATTACH_QUERY)) != 0;
}

void
py_tasks_done(struct py_tasks *t)
{
	py_table_look_drop(t->look);
	py_task_reader_done(&t->read);
	py_coros_done(&t->coros);
	py_uvicorn_done(&t->uvicorn);
	ptrmap_free(&t->parents);
	ptrmap_free(&t->by_at);
	free(t->list.v);
	free(t->fid);
	free(t->task);
}

/* --- finding asyncio ----------------------------------------------------- */

/* From 3.14 on. */
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

unsigned
py_tasks_interp_index(struct py_tasks *t, uint64_t interp)
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

/* Up to 3.13, in interpreter i. */
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

/* Returns 1 when it is time to look again, and sets the time after that. */
static int
is_time_to_look(const struct py_tasks *t, uint64_t *when)
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
	if (py_tasks_has_table(t)) {
		if (!t->is_found &&
		    (t->look != NULL || is_time_to_look(t, &t->t_look)))
			look_for_table(t);
		return t->is_found;
	}
	i = py_tasks_interp_index(t, h->interp);
	if (!t->interp[i].is_found && is_time_to_look(t, &t->interp[i].t_look))
		look_for_module(t, i);
	t->read.asyncio = t->interp[i].a;
	return t->is_found = t->interp[i].is_found;
}

int
py_tasks_can_be_read(struct py_tasks *t)
{
	uint64_t interp;

	if (py_tasks_has_table(t))
		look_for_table(t);
	else if (mem_read_u64(&t->p->mem, t->site->runtime +
	             t->site->o.rt_interpreters, &interp) == 0)
		look_for_module(t, py_tasks_interp_index(t, interp));
	return !t->is_refused;
}

/* --- samples ------------------------------------------------------------- */

void
py_tasks_begin(struct py_tasks *t)
{
	unsigned i;

	for (i = 0; i < t->n_interp; i++)
		t->interp[i].is_told = 0;
}

int
py_tasks_follow(struct py_tasks *t, const struct py_thread *h)
{
	int r;

	py_tasks_forget(t);
	r = py_tasks_take_running(t, h);
	if (r == BOB_OK && t->p->mode == BOB_MODE_WALL &&
	    (t->p->flags & BOB_ATTACH_ALL_TASKS) != 0)
		r = py_tasks_take_waiting(t, h);
	return r;
}
