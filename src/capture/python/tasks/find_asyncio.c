/* From 3.14 on the table of _asyncio, up to 3.13 its module and our layouts. */
#include "capture/python/tasks/find_asyncio.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/elf/elf.h"
#include "capture/load.h"
#include "capture/python/layout/bounds.h"
#include "capture/python/objects/object.h"

#define SECTION ".AsyncioDebug"

/* --- from 3.14 on -------------------------------------------------------- */

enum { SIZE, NAME, AWAITED_BY, IS_TASK, IS_SET, CORO, NODE, INTERP_SIZE,
	INTERP_HEAD, THREAD_SIZE, THREAD_LOOP, THREAD_TASK, THREAD_HEAD,
	N_WORDS };

static const char *const word_names[N_WORDS] = { "asyncio_task_object.size",
	"asyncio_task_object.task_name",
	"asyncio_task_object.task_awaited_by",
	"asyncio_task_object.task_is_task",
	"asyncio_task_object.task_awaited_by_is_set",
	"asyncio_task_object.task_coro", "asyncio_task_object.task_node",
	"asyncio_interpreter_state.size",
	"asyncio_interpreter_state.asyncio_tasks_head",
	"asyncio_thread_state.size",
	"asyncio_thread_state.asyncio_running_loop",
	"asyncio_thread_state.asyncio_running_task",
	"asyncio_thread_state.asyncio_tasks_head" };

int
py_task_table_read(const uint8_t *table, unsigned minor,
    struct py_task_offsets *ret, struct py_fault *why)
{
	uint32_t w[N_WORDS];
	struct py_task_offsets o;
	size_t i;

	for (i = 0; i < N_WORDS; i++) {
		uint64_t v = mem_u64(table, 8 * i);

		if (v > PY_MAX_OFFSET)
			return py_fault(why, "offset %s is %" PRIu64
			    ", larger than any", word_names[i], v);
		w[i] = (uint32_t)v;
	}
	o = (struct py_task_offsets){ .size = w[SIZE], .name = w[NAME],
		.awaited_by = w[AWAITED_BY], .is_task = w[IS_TASK],
		.is_set = w[IS_SET], .coro = w[CORO], .node = w[NODE],
		.ts_task = w[THREAD_TASK], .ts_head = w[THREAD_HEAD] };
	if (py_bounds_check_tasks(&o, minor, why) < 0)
		return -EINVAL;
	*ret = o;
	return 0;
}

struct py_table_look {
	struct load load;
	struct bob_ctx *ctx;
	int pid;
	struct quota quota, spent;
	uint64_t at; /* address of the table; 0: not found */
};

/* The address of the table of a mapped file. 0 if it has none. */
static uint64_t
table_in(struct py_table_look *l, const struct map_file *f)
{
	const struct elf_section *s;
	uint64_t at = 0;
	struct elf elf;

	if (elf_open_mapped(l->ctx, &elf, l->pid, f, &l->quota) == BOB_OK) {
		s = elf_section(&elf, SECTION);
		if (s != NULL)
			at = elf_bias(&elf, f->start, f->first_offset) +
			    s->addr;
	}
	elf_done(&elf);
	return at;
}

/* _asyncio is a module of its own, or part of the interpreter. */
static int
may_have_tasks(const struct map_file *f)
{
	return strncmp(maps_base_name(f->path), "_asyncio", 8) == 0 ||
	    py_is_module(f);
}

static void
look_into_files(struct load *load)
{
	struct py_table_look *l = (struct py_table_look *)load;
	struct quota before = l->quota;
	struct maps maps;
	size_t i;

	if (maps_read(l->ctx, &maps, l->pid) == BOB_OK)
		for (i = 0; l->at == 0 && i < maps.n_file &&
		    !load_is_dropped(load); i++) {
			if (may_have_tasks(&maps.file[i]))
				l->at = table_in(l, &maps.file[i]);
			(void)atomic_fetch_add(&load->n_steps, 1);
		}
	maps_done(&maps);
	l->spent = quota_spent(&before, &l->quota);
}

static void
free_look(struct load *load)
{
	struct py_table_look *l = (struct py_table_look *)load;

	bob_ctx_free(l->ctx);
	free(l);
}

void
py_table_look_drop(struct py_table_look *l)
{
	if (l != NULL)
		load_drop(&l->load);
}

/* Starts a search. NULL if memory is out or no thread can be started. */
static struct py_table_look *
start_look(struct process *p)
{
	struct py_table_look *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->load.run = look_into_files;
	l->load.free = free_look;
	l->pid = p->pid;
	l->quota = p->quota;
	l->ctx = bob_ctx_new();
	if (l->ctx != NULL && load_begin(&l->load, p->n_silent) == 0)
		return l;
	free_look(&l->load);
	return NULL;
}

int
py_task_table_find(struct process *p, struct py_table_look **look,
    uint64_t *ret)
{
	struct py_table_look *l = *look;

	*ret = 0;
	if (l == NULL)
		*look = l = start_look(p);
	if (l == NULL)
		return 1;
	while (load_may_wait() && p->n_silent == 0 && !load_is_done(&l->load) &&
	    load_wait(&l->load, atomic_load(&l->load.n_steps), UINT64_MAX))
		;
	if (load_is_done(&l->load)) {
		*ret = l->at;
		quota_charge(&p->quota, &l->spent);
	} else if (load_is_silent(&l->load)) {
		quota_charge_file(&p->quota);
		p->n_silent++;
	} else {
		return 0;
	}
	py_table_look_drop(l);
	*look = NULL;
	return 1;
}

/* --- up to 3.13 ---------------------------------------------------------- */

/* Offsets for py_at(). The sizes of the types tell the layout: no two layouts
 * of a version have the same. 3.10.6 changed that of 3.10. */
static const struct {
	unsigned first, last; /* minor versions */
	struct py_task_offsets o;
} layouts[] = {
	{ 7, 7, { .future_size = 104, .size = 136, .callback0 = 24,
	    .callbacks = 40, .state = 72, .waiter = 104, .coro = 112,
	    .name = PY_NONE } },
	{ 8, 8, { .future_size = 104, .size = 144, .callback0 = 24,
	    .callbacks = 40, .state = 72, .waiter = 104, .coro = 112,
	    .name = 120 } },
	{ 9, 10, { .future_size = 144, .size = 184, .callback0 = 24,
	    .callbacks = 40, .state = 80, .waiter = 144, .coro = 152,
	    .name = 160 } },
	{ 10, 10, { .future_size = 152, .size = 192, .callback0 = 24,
	    .callbacks = 40, .state = 88, .waiter = 152, .coro = 160,
	    .name = 168 } },
	{ 11, 12, { .future_size = 128, .size = 176, .callback0 = 24,
	    .callbacks = 40, .state = 88, .waiter = 128, .coro = 136,
	    .name = 144 } },
	{ 13, 13, { .future_size = 104, .size = 144, .callback0 = 24,
	    .callbacks = 40, .state = 96, .waiter = 112, .coro = 120,
	    .name = 128 } },
};

static void
layout_to_offsets(const struct py_offsets *o,
    const struct py_task_offsets *from, struct py_task_offsets *to)
{
	*to = (struct py_task_offsets){ .size = py_at(o, from->size),
		.name = from->name == PY_NONE ? PY_NONE
		                              : py_at(o, from->name),
		.coro = py_at(o, from->coro),
		.future_size = py_at(o, from->future_size),
		.callback0 = py_at(o, from->callback0),
		.callbacks = py_at(o, from->callbacks),
		.state = py_at(o, from->state),
		.waiter = py_at(o, from->waiter) };
}

/* Finds the layout whose sizes the types have. 0, -ENOTSUP, or another
 * -errno. */
static int
find_task_layout(struct mem *m, const struct py_offsets *o,
    const struct py_asyncio *a, struct py_task_offsets *ret,
    struct py_fault *why)
{
	uint64_t future, task, base;
	size_t i;
	int r = mem_read_u64(m, a->future_type + py_at(o, PY_TYPE_BASIC_SIZE),
	    &future);

	if (r == 0)
		r = mem_read_u64(m, a->task_type + py_at(o, PY_TYPE_BASIC_SIZE),
		    &task);
	if (r == 0)
		r = mem_read_u64(m, a->task_type + py_at(o, PY_TYPE_BASE),
		    &base);
	if (r < 0)
		return r;
	(void)py_fault(why, "its tasks and futures have %" PRIu64 " and %"
	    PRIu64 " bytes, as in no version of 3.%u", task, future, o->minor);
	if (base != a->future_type)
		return -ENOTSUP;
	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
		if (o->minor >= layouts[i].first &&
		    o->minor <= layouts[i].last &&
		    future == py_at(o, layouts[i].o.future_size) &&
		    task == py_at(o, layouts[i].o.size)) {
			layout_to_offsets(o, &layouts[i].o, ret);
			return py_bounds_check_tasks(ret, o->minor, why) < 0
			    ? -ENOTSUP : 0;
		}
	return -ENOTSUP;
}

/* Finds the variables of the module. A WeakSet is written in Python: the set is
 * its attribute `data`. */
static int
find_objects(struct mem *m, const struct py_offsets *o, uint64_t vars,
    struct py_asyncio *ret)
{
	uint64_t weak;
	int r = py_dict_get(m, o, vars, "_current_tasks", &ret->current);

	if (r == 0)
		r = py_dict_get(m, o, vars, o->minor >= 12
		    ? "_scheduled_tasks" : "_all_tasks", &weak);
	if (r == 0)
		r = py_object_attr(m, o, weak, "data", &ret->all);
	if (r == 0)
		r = py_dict_get(m, o, vars, "Future", &ret->future_type);
	if (r == 0)
		r = py_dict_get(m, o, vars, "Task", &ret->task_type);
	return r;
}

int
py_asyncio_find(struct mem *m, const struct py_offsets *o, uint64_t interp,
    struct py_asyncio *ret, struct py_task_offsets *to, struct py_fault *why)
{
	uint64_t modules, module, vars;
	int r = mem_read_u64(m, interp + o->is_modules, &modules);

	ret->interp = interp;
	if (r == 0)
		r = py_dict_get(m, o, modules, "_asyncio", &module);
	if (r == 0)
		r = mem_read_u64(m, module + py_at(o, PY_MODULE_DICT), &vars);
	if (r == 0)
		r = find_objects(m, o, vars, ret);
	return r == 0 ? find_task_layout(m, o, ret, to, why) : r;
}
