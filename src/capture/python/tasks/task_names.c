/* Names of tasks: a string or, in newer versions, an int until a program asks
 * for the name. */
#include "capture/python/tasks/task_sampler_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"

/* Bytes of an int of two digits, as a number of tasks is. */
#define LONG_SIZE 32
#define DIGIT_BITS 30

/* What py_at() adds, at most. */
#define MAX_HEAD 16

/* "Task-7": the name is only the number until a program asks for the name. */
static int
format_number(const struct py_offsets *o, const uint8_t *b, char *buf)
{
	uint64_t n = mem_u64(b, py_at(o, PY_LONG_TAG)) >> 3, v = 0;

	if (n > 2)
		return -EINVAL;
	if (n > 0)
		v = mem_u32(b, py_at(o, PY_LONG_DIGITS));
	if (n > 1)
		v |= (uint64_t)mem_u32(b, py_at(o, PY_LONG_DIGITS) + 4) <<
		    DIGIT_BITS;
	return snprintf(buf, PY_MAX_TEXT, "Task-%llu", (unsigned long long)v);
}

/* Returns 1 if a type is int. int and str are never freed, so their addresses
 * are remembered. */
static int
is_int(struct py_tasks *t, uint64_t type)
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

/* Returns the length of the name, or -errno. */
static int
read_task_name(struct py_tasks *t, uint64_t at, char *buf)
{
	const struct py_offsets *o = &t->site->o;
	uint8_t b[LONG_SIZE + MAX_HEAD];
	size_t n = py_at(o, LONG_SIZE);
	int r = n > sizeof(b) ? -EINVAL : mem_read(&t->p->mem, at, b, n);

	if (r < 0)
		return r;
	return is_int(t, mem_u64(b, o->ob_type)) ? format_number(o, b, buf)
	    : py_text_read(&t->p->mem, o, at, buf);
}

bob_str
py_tasks_name(struct py_tasks *t, const struct py_task *task)
{
	char buf[PY_MAX_TEXT];
	int n;

	if (t->read.to.name == PY_NONE)
		n = py_coros_name(&t->coros, task->coro, buf);
	else
		n = read_task_name(t, task->name, buf);
	if (n < 0)
		n = snprintf(buf, sizeof(buf), "<unnamed>");
	return bob_str_put(t->p->dict, buf, (size_t)n);
}

bob_annot
py_tasks_name_annot(struct py_tasks *t, bob_str name)
{
	struct bob_pair pair = { bob_str_put(t->p->dict, "task.name", 9),
		name };

	if (pair.key == BOB_NO_ID || name == BOB_NO_ID)
		return BOB_NO_ID;
	return bob_annot_put(t->p->dict, &pair, 1);
}

uint64_t
py_tasks_name_hash(struct py_tasks *t, const struct py_task *task)
{
	char buf[PY_MAX_TEXT];
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	int n = t->read.to.name != PY_NONE
	    ? read_task_name(t, task->name, buf) : 0;
	int i;

	for (i = 0; i < n; i++)
		hash = (hash ^ (uint8_t)buf[i]) * UINT64_C(0x100000001b3);
	return n > 0 ? hash : 0;
}
