/* Reading tasks, and who awaits them from 3.14 on; see task.h. */
#include "capture/python/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/python/object.h"
#include "core/mem.h"

void
py_task_reader_init(struct py_task_reader *t, struct bob_ctx *ctx,
    struct mem *mem, const struct py_offsets *o)
{
	memset(t, 0, sizeof(*t));
	t->ctx = ctx;
	t->mem = mem;
	t->o = o;
}

void
py_task_reader_done(struct py_task_reader *t)
{
	ptrmap_free(&t->functions);
	ptrmap_free(&t->known);
	free(t->awaiter);
}

void
py_task_reader_begin(struct py_task_reader *t)
{
	t->n_steps = 0;
	t->is_out_of_memory = 0;
	t->n_type = 0;
	t->n_awaiter = 0;
	ptrmap_clear(&t->functions);
	ptrmap_clear(&t->known);
}

int
py_task_steps(struct py_task_reader *t, uint32_t n)
{
	if (n > TASKS_MAX_STEPS - t->n_steps)
		return -EAGAIN;
	t->n_steps += n;
	return 0;
}

/* --- one object ---------------------------------------------------------- */

static int
has_table(const struct py_task_reader *t)
{
	return t->o->minor >= PY_FIRST_TASK_TABLE;
}

/* The part that a future has, too. 0, or -EINVAL when it is none. */
static int
parse_future(struct py_task_reader *t, uint64_t at, const uint8_t *b,
    struct py_task *ret)
{
	const struct py_task_offsets *to = &t->to;
	enum py_task_type type;

	*ret = (struct py_task){ .at = at };
	if (has_table(t)) {
		ret->awaited_by = mem_u64(b, to->awaited_by);
		ret->is_task = mem_u8(b, to->is_task) == 1;
		ret->is_set = mem_u8(b, to->is_set) != 0;
		ret->is_pending = 1;
		return 0;
	}
	type = py_task_type(t, mem_u64(b, t->o->ob_type));
	if (type != PY_TASK_FUTURE && type != PY_TASK_TASK)
		return -EINVAL;
	ret->is_task = type == PY_TASK_TASK;
	ret->callback0 = mem_u64(b, to->callback0);
	ret->callbacks = mem_u64(b, to->callbacks);
	ret->is_pending = mem_u32(b, to->state) == 0;
	return 0;
}

/* A future is shorter than a task, and may be the last thing on its page. */
static uint32_t
future_size(const struct py_task_reader *t)
{
	const struct py_task_offsets *to = &t->to;
	uint32_t n = to->awaited_by + 8;

	if (!has_table(t))
		return to->future_size;
	n = n < to->is_task + 1 ? to->is_task + 1 : n;
	return n < to->is_set + 1 ? to->is_set + 1 : n;
}

static int
read_bytes(struct py_task_reader *t, uint64_t at, uint8_t *b, uint32_t n)
{
	int r = py_task_steps(t, 1);

	if (r < 0)
		return r;
	if (at % 8 != 0 || !mem_is_user(at, TASKS_MAX_SIZE))
		return -EFAULT;
	return mem_read(t->mem, at, b, n);
}

int
py_task_parse(struct py_task_reader *t, uint64_t at, const uint8_t *b,
    struct py_task *ret)
{
	const struct py_task_offsets *to = &t->to;
	int r = parse_future(t, at, b, ret);

	if (r < 0)
		return r;
	ret->coro = mem_u64(b, to->coro);
	ret->name = to->name == PY_NONE ? 0 : mem_u64(b, to->name);
	if (has_table(t)) {
		ret->next = mem_u64(b, to->node);
		return 0;
	}
	ret->waiter = mem_u64(b, to->waiter);
	return ret->is_task ? 0 : -EINVAL;
}

int
py_task_read(struct py_task_reader *t, uint64_t at, struct py_task *ret)
{
	uint8_t b[TASKS_MAX_SIZE];
	int r = read_bytes(t, at, b, t->to.size);

	return r < 0 ? r : py_task_parse(t, at, b, ret);
}

int
py_future_read(struct py_task_reader *t, uint64_t at, struct py_task *ret)
{
	uint8_t b[TASKS_MAX_SIZE];
	int r = read_bytes(t, at, b, future_size(t));

	return r < 0 ? r : parse_future(t, at, b, ret);
}

/* --- what is known ------------------------------------------------------- */

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

static struct py_awaiter by_links(struct py_task_reader *t,
    const struct py_task *future, unsigned depth);

/* A task that awaits, or a future that others await in turn. */
static struct py_awaiter
by_link(struct py_task_reader *t, uint64_t at, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	struct py_task f;

	if (at == 0 || py_awaiter_known(t, at, &found) ||
	    py_future_read(t, at, &f) < 0)
		return found;
	if (f.is_task)
		found = (struct py_awaiter){ at, 1 };
	else
		found = by_links(t, &f, depth + 1);
	py_awaiter_keep(t, at, found);
	return found;
}

/* PySetObject, where py_at puts it: mask, used are in front of the table. */
enum { SET_USED = 24, SET_MASK = 32, SET_TABLE = 40 };

static struct py_awaiter
by_set(struct py_task_reader *t, uint64_t at, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	uint8_t b[24], entry[16 * 8];
	uint64_t mask, table, i, k, n;

	if (mem_read(t->mem, at + py_at(t->o, SET_USED), b, sizeof(b)) < 0)
		return found;
	mask = mem_u64(b, SET_MASK - SET_USED);
	table = mem_u64(b, SET_TABLE - SET_USED);
	if (mask >= 4 * TASKS_MAX_AWAITERS)
		return found;
	for (i = 0; i <= mask; i += n) {
		n = mask + 1 - i < 8 ? mask + 1 - i : 8;
		if (mem_read(t->mem, table + 16 * i, entry,
		        (size_t)n * 16) < 0)
			break;
		for (k = 0; k < n; k++)
			if (mem_u64(entry, (size_t)k * 16 + 8) != UINT64_MAX)
				py_awaiter_add(&found, by_link(t,
				    mem_u64(entry, (size_t)k * 16), depth));
	}
	return found;
}

static struct py_awaiter
by_links(struct py_task_reader *t, const struct py_task *future,
    unsigned depth)
{
	if (depth >= TASKS_MAX_FUTURES)
		return (struct py_awaiter){ 0, 0 };
	return future->is_set ? by_set(t, future->awaited_by, depth)
	                      : by_link(t, future->awaited_by, depth);
}

int
py_task_awaiter(struct py_task_reader *t, const struct py_task *task,
    struct py_awaiter *ret)
{
	*ret = has_table(t) ? by_links(t, task, 0)
	                    : py_awaiter_by_callbacks(t, task, 0);
	return t->is_out_of_memory ? -ENOMEM : 0;
}
