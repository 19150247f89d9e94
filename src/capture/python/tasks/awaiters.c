/* Who awaits a task: the common part, and from 3.14 on the links of futures. Up
 * to 3.13: awaiters_callbacks.c. */
#include "capture/python/tasks/awaiters.h"

#include <errno.h>

#include "capture/python/objects/object.h"
#include "core/mem.h"

void
py_awaiter_add(struct py_awaiter *to, struct py_awaiter more)
{
	if (more.n == 0)
		return;
	if (to->n == 0 || more.task < to->task)
		to->task = more.task;
	to->n = to->n + more.n < TASKS_MAX_AWAITERS ? to->n + more.n
	                                            : TASKS_MAX_AWAITERS;
}

int
py_awaiter_known(const struct py_task_reader *t, uint64_t at,
    struct py_awaiter *ret)
{
	uint32_t i = ptrmap_get(&t->known, at);

	if (i == PTRMAP_NONE)
		return 0;
	*ret = t->awaiter[i];
	return 1;
}

void
py_awaiter_keep(struct py_task_reader *t, uint64_t at,
    struct py_awaiter found)
{
	if (MEM_GROW(t->ctx, t, awaiter, t->n_awaiter + 1) < 0 ||
	    ptrmap_put(t->ctx, &t->known, at, (uint32_t)t->n_awaiter) < 0) {
		t->is_out_of_memory = 1;
		return;
	}
	t->awaiter[t->n_awaiter++] = found;
}

/* --- from 3.14 on -------------------------------------------------------- */

static struct py_awaiter find_by_links(struct py_task_reader *t,
    const struct py_task *future, unsigned depth);

/* What is at an address: a task that awaits, or a future that others await. */
static struct py_awaiter
find_by_link(struct py_task_reader *t, uint64_t at, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	struct py_task f;

	if (at == 0 || py_awaiter_known(t, at, &found) ||
	    py_future_read(t, at, &f) < 0)
		return found;
	if (f.is_task)
		found = (struct py_awaiter){ at, 1 };
	else
		found = find_by_links(t, &f, depth + 1);
	py_awaiter_keep(t, at, found);
	return found;
}

/* All tasks and futures of a set. */
static struct py_awaiter
find_by_set(struct py_task_reader *t, uint64_t at, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	uint8_t b[24], entry[16 * 8];
	uint64_t mask, table, i, k, n;

	if (mem_read(t->mem, at + py_at(t->o, PY_SET_USED), b, sizeof(b)) < 0)
		return found;
	mask = mem_u64(b, PY_SET_MASK - PY_SET_USED);
	table = mem_u64(b, PY_SET_TABLE - PY_SET_USED);
	if (mask >= 4 * TASKS_MAX_AWAITERS)
		return found;
	for (i = 0; i <= mask; i += n) {
		n = mask + 1 - i < 8 ? mask + 1 - i : 8;
		if (mem_read(t->mem, table + 16 * i, entry,
		        (size_t)n * 16) < 0)
			break;
		for (k = 0; k < n; k++)
			if (mem_u64(entry, (size_t)k * 16 + 8) != UINT64_MAX)
				py_awaiter_add(&found, find_by_link(t,
				    mem_u64(entry, (size_t)k * 16), depth));
	}
	return found;
}

static struct py_awaiter
find_by_links(struct py_task_reader *t, const struct py_task *future,
    unsigned depth)
{
	if (depth >= TASKS_MAX_FUTURES)
		return (struct py_awaiter){ 0, 0 };
	return future->is_set ? find_by_set(t, future->awaited_by, depth)
	                      : find_by_link(t, future->awaited_by, depth);
}

int
py_task_awaiter(struct py_task_reader *t, const struct py_task *task,
    struct py_awaiter *ret)
{
	*ret = py_task_has_table(t) ? find_by_links(t, task, 0)
	                    : py_awaiter_by_callbacks(t, task, 0);
	return t->is_out_of_memory ? -ENOMEM : 0;
}
