/* From 3.14 on a ring of tasks, up to 3.13 a set of weak references. */
#include "capture/python/tasks/task_list.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "core/mem.h"

/* Objects that are read at once. */
#define MANY MEM_MAX_SPANS

/* Entries of the set. It has four for each task, or more if it had more tasks
 * before. */
#define MAX_ENTRIES (64u * TASKS_MAX)

/* --- tasks that run ------------------------------------------------------ */

int
py_task_list_current(struct py_task_reader *t,
    struct py_loop_task ret[TASKS_MAX_LOOPS])
{
	struct py_item item;
	struct py_dict d;
	unsigned n = 0;
	int r = py_dict_begin(&d, t->mem, t->o, t->asyncio.current);

	while (r >= 0 && n < TASKS_MAX_LOOPS) {
		r = py_dict_next(&d, &item);
		if (r == 0)
			break;
		if (r == 1)
			ret[n++] = (struct py_loop_task){ item.key,
				item.value };
	}
	return r < 0 ? r : (int)n;
}

/* --- all tasks ----------------------------------------------------------- */

static int
task_list_add(struct py_task_list *l, struct py_task_reader *t,
    const struct py_task *task)
{
	if (MEM_GROW(t->ctx, l, v, l->n + 1) < 0)
		return -ENOMEM;
	l->v[l->n++] = *task;
	return 0;
}

/* From 3.14 on: a ring that begins and ends in the state of the thread. */
static int
read_task_ring(struct py_task_list *l, struct py_task_reader *t,
    uint64_t thread)
{
	uint64_t head = thread + t->to.ts_head, at;
	struct py_task task;

	if (mem_read_u64(t->mem, head, &at) < 0)
		return 0;
	while (at != head && at != 0 && l->n < TASKS_MAX) {
		if (py_task_read(t, at - t->to.node, &task) < 0)
			break;
		if (task_list_add(l, t, &task) < 0)
			return -ENOMEM;
		at = task.next;
	}
	return 0;
}

/*
 * Reads `size` bytes of each of n objects, from `from` bytes behind its address
 * on, with as few calls as possible. n is at most MANY. The address of an
 * object that cannot be read becomes 0.
 */
static void
read_many(struct py_task_reader *t, uint64_t *at, size_t n, uint32_t from,
    size_t size, uint8_t *to)
{
	struct mem_span v[MANY];
	size_t i, k, done = 0;
	long got;

	assert(n <= MANY);
	for (i = 0; i < n; i++) {
		if (at[i] % 8 != 0 || !mem_is_user(at[i], TASKS_MAX_SIZE))
			at[i] = 0;
		v[i] = (struct mem_span){ .at = at[i] + from,
			.to = to + i * size, .n = size };
	}
	while (done < n) {
		if (at[done] == 0) {
			done++;
			continue;
		}
		for (k = done; k < n && at[k] != 0; k++)
			;
		got = mem_gather(t->mem, v + done, k - done);
		got = got < 0 ? 0 : got / (long)size;
		done += (size_t)got;
		if (done < k)
			at[done++] = 0;
	}
}

/* Reads the objects of n weak references, and adds those that are tasks. 0 or
 * -ENOMEM. */
static int
add_referents(struct py_task_list *l, struct py_task_reader *t,
    uint64_t *weak, size_t n)
{
	uint8_t b[MANY * TASKS_MAX_SIZE];
	struct py_task task;
	size_t i;

	if (py_task_steps(t, 2 * (uint32_t)n) < 0)
		return 0;
	read_many(t, weak, n, py_at(t->o, PY_WEAK_OBJECT), 8, b);
	for (i = 0; i < n; i++)
		/* NOLINT(-Wanalyzer-use-of-uninitialized-value): was read. */
		if (weak[i] != 0)
			weak[i] = mem_u64(b, 8 * i);
	read_many(t, weak, n, 0, t->to.size, b);
	for (i = 0; i < n && l->n < TASKS_MAX; i++)
		if (weak[i] != 0 && py_task_parse(t, weak[i],
		        b + i * t->to.size, &task) == 0 && task.is_pending &&
		    task_list_add(l, t, &task) < 0)
			return -ENOMEM;
	return 0;
}

/* Up to 3.13: the set of weak references. 0 or -ENOMEM. */
static int
read_task_set(struct py_task_list *l, struct py_task_reader *t)
{
	uint8_t head[16], entry[MANY * 16];
	uint64_t weak[MANY], mask, table, i, k, n;
	size_t n_weak;

	if (mem_read(t->mem, t->asyncio.all + py_at(t->o, PY_SET_MASK), head,
	        sizeof(head)) < 0)
		return 0;
	mask = mem_u64(head, 0);
	table = mem_u64(head, PY_SET_TABLE - PY_SET_MASK);
	if (mask >= MAX_ENTRIES)
		return 0;
	for (i = 0; i <= mask && l->n < TASKS_MAX; i += n) {
		n = mask + 1 - i < MANY ? mask + 1 - i : MANY;
		if (mem_read(t->mem, table + 16 * i, entry,
		        (size_t)n * 16) < 0)
			return 0;
		n_weak = 0;
		for (k = 0; k < n; k++)
			if (mem_u64(entry, (size_t)k * 16) != 0 &&
			    mem_u64(entry, (size_t)k * 16 + 8) != UINT64_MAX)
				weak[n_weak++] = mem_u64(entry, (size_t)k *
				    16);
		if (n_weak > 0 && add_referents(l, t, weak, n_weak) < 0)
			return -ENOMEM;
	}
	return 0;
}

int
py_task_list_read(struct py_task_list *l, struct py_task_reader *t,
    uint64_t thread)
{
	l->n = 0;
	return t->o->minor >= PY_FIRST_TASK_TABLE ? read_task_ring(l, t, thread)
	                                          : read_task_set(l, t);
}
