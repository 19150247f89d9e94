/*
 * Up to 3.13: who awaits a task, by the callbacks of its future (awaiters.h).
 *
 * A callback is recognized by its type; a function of asyncio also by its name
 * and that of its module.
 */
#include <errno.h>
#include <string.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"
#include "capture/python/tasks/awaiters.h"

/* Callbacks of one future, and variables of a function, that are read. */
#define MAX_CALLBACKS 4096u
#define MAX_CELLS 32u

/* Base classes that are followed. */
#define MAX_BASES 16u

/* Bytes that are read of an object. */
#define MAX_OBJECT 160u

/* Reading an attribute counts as reading this many objects. */
#define GROUP_STEPS 16u

/* Offsets for py_at(). */
enum {
	TUPLE_SIZE = 16, TUPLE_ITEMS = 24,
	BUILTIN_SELF = 24,
	WAKEUP_TASK = 16,
	METHOD_FUNCTION = 16, METHOD_SELF = 24,
	PARTIAL_FUNCTION = 16, PARTIAL_ARGUMENTS = 24
};

/* PyFunctionObject: up to 3.9, and from 3.10 on. */
static const struct {
	uint16_t closure, module, name;
} functions[2] = { { 48, 88, 104 }, { 72, 104, 40 } };

/* --- types --------------------------------------------------------------- */

static const struct {
	const char *name;
	enum py_task_type type;
} types[] = {
	{ "TaskWakeupMethWrapper", PY_TASK_WAKEUP },
	{ "builtin_function_or_method", PY_TASK_BUILTIN },
	{ "function", PY_TASK_FUNCTION },
	{ "method", PY_TASK_METHOD },
	{ "functools.partial", PY_TASK_PARTIAL },
};

static enum py_task_type
type_by_name(struct py_task_reader *t, uint64_t type)
{
	char name[32];
	size_t i;

	if (py_type_name(t->mem, t->o, type, name, sizeof(name)) == 0)
		for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			if (strcmp(name, types[i].name) == 0)
				return types[i].type;
	return PY_TASK_OTHER;
}

/* Future and Task of asyncio, and classes derived from them. */
static enum py_task_type
type_by_base(struct py_task_reader *t, uint64_t type)
{
	unsigned i;

	for (i = 0; type != 0 && i < MAX_BASES; i++) {
		if (type == t->asyncio.task_type)
			return PY_TASK_TASK;
		if (type == t->asyncio.future_type)
			return PY_TASK_FUTURE;
		if (type % 8 != 0 || mem_read_u64(t->mem,
		        type + py_at(t->o, PY_TYPE_BASE), &type) < 0)
			break;
	}
	return PY_TASK_OTHER;
}

enum py_task_type
py_task_type(struct py_task_reader *t, uint64_t type)
{
	enum py_task_type found;
	unsigned i;

	for (i = 0; i < t->n_type; i++)
		if (t->type[i].at == type)
			return (enum py_task_type)t->type[i].kind;
	if (type % 8 != 0 || !mem_is_user(type, PY_TYPE_BASE))
		return PY_TASK_OTHER;
	found = type_by_base(t, type);
	if (found == PY_TASK_OTHER)
		found = type_by_name(t, type);
	if (t->n_type < TASK_MAX_TYPES) {
		t->type[t->n_type].at = type;
		t->type[t->n_type++].kind = (int)found;
	}
	return found;
}

/* --- objects ------------------------------------------------------------- */

struct object {
	uint64_t at;
	enum py_task_type type;
	size_t n;
	uint8_t bytes[MAX_OBJECT];
};

static int
read_callback(struct py_task_reader *t, uint64_t at, struct object *ret)
{
	long n;
	int r = py_task_steps(t, 1);

	if (r < 0)
		return r;
	if (at % 8 != 0 || !mem_is_user(at, sizeof(ret->bytes)))
		return -EFAULT;
	n = mem_read_some(t->mem, at, ret->bytes, sizeof(ret->bytes));
	if (n < (long)py_at(t->o, METHOD_SELF) + 8)
		return -EFAULT;
	ret->at = at;
	ret->n = (size_t)n;
	ret->type = py_task_type(t, mem_u64(ret->bytes, t->o->ob_type));
	return 0;
}

/* A word of an object. 0 if it is behind the bytes that were read. */
static uint64_t
object_word(const struct py_task_reader *t, const struct object *of,
    uint32_t at)
{
	at = py_at(t->o, at);
	return at + 8 <= of->n ? mem_u64(of->bytes, at) : 0;
}

/* Reads the items of a tuple, at most n. Returns how many. */
static size_t
read_tuple(struct py_task_reader *t, uint64_t at, uint64_t *item, size_t n)
{
	uint64_t size;

	if (at == 0 || at % 8 != 0 || mem_read_u64(t->mem,
	        at + py_at(t->o, TUPLE_SIZE), &size) < 0)
		return 0;
	n = size < n ? (size_t)size : n;
	if (n == 0 || mem_read(t->mem, at + py_at(t->o, TUPLE_ITEMS), item,
	        n * 8) < 0)
		return 0;
	return n;
}

/* --- functions ----------------------------------------------------------- */

/* How a function of asyncio leads to an awaiter: one of its variables, or its
 * first argument, is the future that it completes; or it is a method of a
 * TaskGroup. */
enum leads { NOWHERE, BY_VARIABLE, BY_ARGUMENT, BY_GROUP };

static const struct {
	const char *module, *name;
	enum leads leads;
} known[] = {
	{ "asyncio.tasks", "gather.<locals>._done_callback", BY_VARIABLE },
	{ "asyncio.tasks", "_gather.<locals>._done_callback", BY_VARIABLE },
	{ "asyncio.tasks", "shield.<locals>._done_callback", BY_VARIABLE },
	{ "asyncio.tasks", "shield.<locals>._inner_done_callback",
	    BY_VARIABLE },
	{ "asyncio.tasks", "_wait.<locals>._on_completion", BY_VARIABLE },
	{ "asyncio.tasks", "_release_waiter", BY_ARGUMENT },
	{ "asyncio.taskgroups", "TaskGroup._on_task_done", BY_GROUP },
};

static enum leads
recognize_function(struct py_task_reader *t, const struct object *f)
{
	int is_new = t->o->minor >= 10;
	uint64_t module = object_word(t, f, functions[is_new].module);
	uint64_t name = object_word(t, f, functions[is_new].name);
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (py_text_is(t->mem, t->o, name, known[i].name) &&
		    py_text_is(t->mem, t->o, module, known[i].module))
			return known[i].leads;
	return NOWHERE;
}

static enum leads
function_leads(struct py_task_reader *t, const struct object *f)
{
	uint32_t k = ptrmap_get(&t->functions, f->at);
	enum leads leads;

	if (k != PTRMAP_NONE)
		return (enum leads)k;
	leads = recognize_function(t, f);
	if (ptrmap_put(t->ctx, &t->functions, f->at, (uint32_t)leads) < 0)
		t->is_out_of_memory = 1;
	return leads;
}

static enum leads
function_leads_at(struct py_task_reader *t, uint64_t at)
{
	uint32_t k = ptrmap_get(&t->functions, at);
	struct object f;

	if (k != PTRMAP_NONE)
		return (enum leads)k;
	if (read_callback(t, at, &f) < 0 || f.type != PY_TASK_FUNCTION)
		return NOWHERE;
	return function_leads(t, &f);
}

/* --- callbacks ----------------------------------------------------------- */

/* A task that the future wakes when it is done. It must wait for that
 * future. */
static struct py_awaiter
find_by_task(struct py_task_reader *t, uint64_t at,
    const struct py_task *future)
{
	struct py_task task;

	if (py_task_read(t, at, &task) < 0 || !task.is_pending ||
	    task.waiter != future->at)
		return (struct py_awaiter){ 0, 0 };
	return (struct py_awaiter){ at, 1 };
}

static struct py_awaiter
find_by_future(struct py_task_reader *t, uint64_t at, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	struct py_task future;

	if (at == 0 || py_future_read(t, at, &future) < 0)
		return found;
	return py_awaiter_by_callbacks(t, &future, depth + 1);
}

/* All variables of a function. Functions of asyncio have one future among
 * them. */
static struct py_awaiter
find_by_variables(struct py_task_reader *t, const struct object *f,
    unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	uint64_t cell[MAX_CELLS], value;
	size_t i, n = read_tuple(t, object_word(t, f, functions[t->o->minor >=
	        10].closure), cell, MAX_CELLS);

	for (i = 0; i < n; i++)
		if (mem_read_u64(t->mem, cell[i] + py_at(t->o, PY_CELL_VALUE),
		        &value) == 0)
			py_awaiter_add(&found, find_by_future(t, value, depth));
	return found;
}

/* The task that opened a TaskGroup. */
static struct py_awaiter
find_by_group(struct py_task_reader *t, uint64_t group)
{
	struct py_awaiter found = { 0, 0 };
	struct py_task task;
	uint64_t at;

	if (py_awaiter_known(t, group, &found) ||
	    py_task_steps(t, GROUP_STEPS) < 0)
		return found;
	if (py_object_attr(t->mem, t->o, group, "_parent_task", &at) == 0 &&
	    py_task_read(t, at, &task) == 0 && task.is_pending)
		found = (struct py_awaiter){ at, 1 };
	py_awaiter_keep(t, group, found);
	return found;
}

static struct py_awaiter
find_by_object(struct py_task_reader *t, const struct object *c,
    const struct py_task *future, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	uint64_t at;

	switch (c->type) {
	case PY_TASK_WAKEUP:
		return find_by_task(t, object_word(t, c, WAKEUP_TASK), future);
	case PY_TASK_BUILTIN:
		return find_by_task(t, object_word(t, c, BUILTIN_SELF), future);
	case PY_TASK_FUNCTION:
		if (function_leads(t, c) == BY_VARIABLE) {
			found = find_by_variables(t, c, depth);
			py_awaiter_keep(t, c->at, found);
		}
		return found;
	case PY_TASK_METHOD:
		at = object_word(t, c, METHOD_FUNCTION);
		if (function_leads_at(t, at) == BY_GROUP)
			return find_by_group(t, object_word(t, c, METHOD_SELF));
		return found;
	case PY_TASK_PARTIAL:
		at = object_word(t, c, PARTIAL_FUNCTION);
		if (function_leads_at(t, at) != BY_ARGUMENT)
			return found;
		at = object_word(t, c, PARTIAL_ARGUMENTS);
		if (read_tuple(t, at, &at, 1) == 1)
			return find_by_future(t, at, depth);
		return found;
	default:
		return found;
	}
}

static struct py_awaiter
find_by_callback(struct py_task_reader *t, uint64_t at,
    const struct py_task *future, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };
	struct object c;

	if (at == 0 || py_awaiter_known(t, at, &found) ||
	    read_callback(t, at, &c) < 0)
		return found;
	return find_by_object(t, &c, future, depth);
}

/* All callbacks but the first: a list of tuples. */
static void
add_list(struct py_task_reader *t, const struct py_task *future,
    unsigned depth, struct py_awaiter *ret)
{
	uint64_t tuple, callback, i, n;
	uint8_t b[16];

	if (future->callbacks % 8 != 0 || mem_read(t->mem, future->callbacks +
	        py_at(t->o, PY_LIST_SIZE), b, sizeof(b)) < 0)
		return;
	n = mem_u64(b, 0) < MAX_CALLBACKS ? mem_u64(b, 0) : MAX_CALLBACKS;
	for (i = 0; i < n && py_task_steps(t, 1) == 0; i++)
		if (mem_read_u64(t->mem, mem_u64(b, 8) + 8 * i, &tuple) == 0 &&
		    read_tuple(t, tuple, &callback, 1) == 1)
			py_awaiter_add(ret, find_by_callback(t, callback,
			    future, depth));
}

struct py_awaiter
py_awaiter_by_callbacks(struct py_task_reader *t,
    const struct py_task *future, unsigned depth)
{
	struct py_awaiter found = { 0, 0 };

	if (depth >= TASKS_MAX_FUTURES || !future->is_pending)
		return found;
	found = find_by_callback(t, future->callback0, future, depth);
	if (future->callbacks != 0)
		add_list(t, future, depth, &found);
	return found;
}
