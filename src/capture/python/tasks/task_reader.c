/* Reads tasks and futures in the layouts of all versions. */
#include "capture/python/tasks/task_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* The part that a task and a future have in common. 0; -EINVAL if it is
 * neither. */
static int
parse_future(struct py_task_reader *t, uint64_t at, const uint8_t *b,
    struct py_task *ret)
{
	const struct py_task_offsets *to = &t->to;
	enum py_task_type type;

	*ret = (struct py_task){ .at = at };
	if (py_task_has_table(t)) {
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

/* How much is read of a future. It is shorter than a task, and may be the last
 * object on a page. */
static uint32_t
future_size(const struct py_task_reader *t)
{
	const struct py_task_offsets *to = &t->to;
	uint32_t n = to->awaited_by + 8;

	if (!py_task_has_table(t))
		return to->future_size;
	n = n < to->is_task + 1 ? to->is_task + 1 : n;
	return n < to->is_set + 1 ? to->is_set + 1 : n;
}

static int
read_object_bytes(struct py_task_reader *t, uint64_t at, uint8_t *b, uint32_t n)
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
	if (py_task_has_table(t)) {
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
	int r = read_object_bytes(t, at, b, t->to.size);

	return r < 0 ? r : py_task_parse(t, at, b, ret);
}

int
py_future_read(struct py_task_reader *t, uint64_t at, struct py_task *ret)
{
	uint8_t b[TASKS_MAX_SIZE];
	int r = read_object_bytes(t, at, b, future_size(t));

	return r < 0 ? r : parse_future(t, at, b, ret);
}
