/* Reads mappings, keeps the modules that stay, and has new ones read; see
 * space.h. */
#include "capture/native/modules/space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/proc/maps.h"
#include "core/clock.h"
#include "core/mem.h"

#define LOOK_US 1000000
/* After an address that was in no mapping. */
#define MISSED_US 20000

#define VDSO "[vdso]"

void
space_init(struct space *s, struct bob_ctx *ctx, const struct elfutils *eu,
    struct mem *mem, int pid)
{
	memset(s, 0, sizeof(*s));
	s->eu = eu;
	s->ctx = ctx;
	s->mem = mem;
	s->pid = pid;
}

static void
drop_modules(struct module *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		module_done(&v[i]);
	free(v);
}

void
space_done(struct space *s)
{
	if (s->loading != NULL)
		load_drop(&s->loading->load);
	drop_modules(s->module, s->n_module);
	ptrmap_free(&s->module_of);
	free(s->area);
	memset(s, 0, sizeof(*s));
}

/* While mappings are read: modules move from the old list to the next one. */
struct reading {
	struct space *old;
	struct space next;
};

static int
is_module(const struct module *m, const struct map_line *l, const char *path,
    size_t n)
{
	if (m->path == NULL || strncmp(m->path, path, n) != 0 ||
	    m->path[n] != '\0')
		return 0;
	return m->inode == l->inode && m->dev == l->dev &&
	    (l->inode != 0 || m->key == l->start);
}

/* Returns the module under a key, or NULL. */
static struct module *
get_module(struct space *s, uint64_t key)
{
	uint32_t i = ptrmap_get(&s->module_of, key);

	return i != PTRMAP_NONE ? &s->module[i] : NULL;
}

static int
name_module(struct space *s, struct module *m, const struct map_line *l,
    size_t n)
{
	m->path = malloc(n + 1);
	if (m->path == NULL) {
		(void)err_nomem(s->ctx);
		return -1;
	}
	memcpy(m->path, l->path, n);
	m->path[n] = '\0';
	m->dev = l->dev;
	m->inode = l->inode;
	m->key = l->inode == 0 ? l->start : 0;
	return 0;
}

/* Returns the index of the module of a mapping with code; -1 if there is none;
 * -2 if memory is out. */
static int32_t
find_module(struct reading *rd, const struct map_line *l)
{
	struct space *s = &rd->next;
	uint64_t key = maps_file_key(l->dev, l->inode,
	    l->inode == 0 ? l->start : 0);
	size_t n = strlen(l->path);
	struct module *m, *old;

	if (l->inode == 0 && strcmp(l->path, VDSO) != 0)
		return -1;
	(void)maps_is_deleted(l->path, &n);
	/* One file may have two names, and two files the same key. */
	m = get_module(s, key);
	if (m != NULL)
		return m->inode == l->inode && m->dev == l->dev
		    ? (int32_t)(m - s->module) : -1;
	if (s->n_module == SPACE_MAX_MODULES)
		return -1;
	if (MEM_GROW(s->ctx, s, module, s->n_module + 1) < 0 ||
	    ptrmap_put(s->ctx, &s->module_of, key, (uint32_t)s->n_module) < 0)
		return -2;
	m = &s->module[s->n_module];
	memset(m, 0, sizeof(*m));
	old = get_module(rd->old, key);
	if (old != NULL && is_module(old, l, l->path, n)) {
		*m = *old;
		memset(old, 0, sizeof(*old));
	} else if (name_module(s, m, l, n) < 0) {
		return -2;
	}
	return (int32_t)s->n_module++;
}

/* Shared memory counts as code, too: while opcache's JIT writes there, none of
 * it is executable. */
static int
is_code(const struct map_line *l)
{
	return l->is_exec || maps_is_shared_memory(l);
}

static int
add_area(void *user, const struct map_line *l)
{
	struct reading *rd = user;
	struct space *s = &rd->next;
	int32_t module = is_code(l) ? find_module(rd, l) : -1;

	if (module == -2 || MEM_GROW(s->ctx, s, area, s->n_area + 1) < 0)
		return BOB_FATAL;
	if (s->n_area == SPACE_MAX_AREAS)
		return BOB_OK;
	s->area[s->n_area++] = (struct space_area){ .start = l->start,
		.end = l->end, .offset = l->offset, .module = module,
		.is_code = (uint8_t)is_code(l) };
	return BOB_OK;
}

/* True if both have the same mappings of code. */
static int
is_same_code(const struct space *a, const struct space *b)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < a->n_area && !a->area[i].is_code)
			i++;
		while (k < b->n_area && !b->area[k].is_code)
			k++;
		if (i == a->n_area || k == b->n_area)
			return i == a->n_area && k == b->n_area;
		if (a->area[i].start != b->area[k].start ||
		    a->area[i].end != b->area[k].end ||
		    a->area[i].offset != b->area[k].offset ||
		    a->area[i].module != b->area[k].module)
			return 0;
	}
}

static size_t
count_asked(const struct space *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_module; i++)
		n += (size_t)s->module[i].is_asked;
	return n;
}

static void
begin_reading(struct reading *rd)
{
	const struct space *s = rd->old;

	space_init(&rd->next, s->ctx, s->eu, s->mem, s->pid);
	rd->next.quota = s->quota;
	rd->next.lender = s->lender;
	rd->next.n_silent = s->n_silent;
	rd->next.t_refused = s->t_refused;
	rd->next.is_loading = s->is_loading;
}

int
space_look(struct space *s, uint64_t now_us, int missed)
{
	struct reading rd = { .old = s };
	size_t i, n_old = s->n_module;
	int r, same;

	if (s->t_read != 0 && now_us + 1 - s->t_read <
	        (missed ? MISSED_US : LOOK_US))
		return 0;
	begin_reading(&rd);
	r = maps_each(s->ctx, s->pid, add_area, &rd);
	if (r < 0 || rd.next.n_area == 0) {
		/* Modules that had moved are read again. */
		space_done(&rd.next);
		s->t_read = now_us + 1;
		s->generation++;
		s->n_area = 0;
		s->n_asked = count_asked(s);
		return r == BOB_FATAL ? -ENOMEM
		    : r < 0 && s->ctx->error.sys != 0 ? -s->ctx->error.sys
		                                      : -ESRCH;
	}
	same = rd.next.n_module == n_old && is_same_code(s, &rd.next);
	for (i = 0; same && i < n_old; i++)
		same = s->module[i].path == NULL;
	rd.next.t_read = now_us + 1;
	rd.next.generation = s->generation + !same;
	rd.next.loading = s->loading;
	rd.next.n_asked = count_asked(&rd.next);
	s->loading = NULL;
	space_done(s);
	*s = rd.next;
	return 0;
}

struct space_area *
space_find(struct space *s, uint64_t at)
{
	size_t lo = 0, hi = s->n_area;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->area[mid].end <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n_area && s->area[lo].start <= at ? &s->area[lo] : NULL;
}

/* --- modules that are read ----------------------------------------------- */

#define SILENT "its file does not answer"

/* Returns the module that was read in a thread; NULL if it is no longer
 * mapped. */
static struct module *
module_of(struct space *s, const struct module *of)
{
	struct module *m = get_module(s, maps_file_key(of->dev, of->inode, 0));

	return m != NULL && !m->is_open && m->inode == of->inode &&
	    m->dev == of->dev && strcmp(m->path, of->path) == 0 ? m : NULL;
}

/* The module counts as read from here on; why: it has no symbols. */
static void
settle_module(struct space *s, struct module *m, const char *why)
{
	s->n_asked -= (size_t)m->is_asked;
	m->is_asked = 0;
	m->is_open = 1;
	m->why = why;
}

static void
take_ready(struct space *s)
{
	struct loading_item *it;
	struct module *m;

	while ((it = loading_take(s->loading)) != NULL) {
		quota_charge(s->quota, &it->spent);
		m = module_of(s, &it->m);
		if (m == NULL) {
			/* Its memory is freed with the item. */
			s->quota->kept += it->spent.kept;
			continue;
		}
		settle_module(s, m, NULL);
		free(m->path);
		*m = it->m;
		memset(&it->m, 0, sizeof(it->m));
		module_adopt(s->ctx, m, s->eu);
	}
}

/* Gives up the file that does not answer. Its thread frees everything if it
 * ever returns. */
static void
give_up_file(struct space *s)
{
	const struct loading_item *it = loading_at(s->loading);
	struct module *m = it != NULL ? module_of(s, &it->m) : NULL;

	if (m != NULL)
		settle_module(s, m, SILENT);
	quota_charge_file(s->quota);
	(*s->n_silent)++;
	load_drop(&s->loading->load);
	s->loading = NULL;
}

/* No thread could be started, with -errno r. If that lasts, the modules count
 * as read without symbols. */
static void
refuse_modules(struct space *s, int r)
{
	uint64_t t = clock_ns();
	size_t i;

	if (s->t_refused == 0)
		s->t_refused = t;
	if (r == -EAGAIN && t - s->t_refused < LOAD_SILENT_NS)
		return;
	s->t_refused = 0;
	for (i = 0; i < s->n_module; i++)
		if (s->module[i].is_asked)
			settle_module(s, &s->module[i], load_why(r));
}

static void
begin_load(struct space *s)
{
	struct loading *l = loading_new(s->pid, s->quota);
	size_t i;
	int r = -EAGAIN;

	for (i = 0; l != NULL && i < s->n_module; i++)
		if (s->module[i].is_asked && !loading_add(l, &s->module[i]))
			break;
	if (l != NULL) {
		l->lender = s->lender;
		r = load_begin(&l->load, *s->n_silent);
	}
	if (r == 0) {
		s->loading = l;
		s->t_refused = 0;
		return;
	}
	if (l != NULL)
		loading_free(l);
	refuse_modules(s, r);
}

void
space_poll(struct space *s)
{
	if (s->loading != NULL) {
		int is_done = load_is_done(&s->loading->load);

		take_ready(s);
		if (is_done) {
			loading_free(s->loading);
			s->loading = NULL;
		} else if (load_is_silent(&s->loading->load)) {
			give_up_file(s);
		}
	}
	if (s->loading == NULL && s->n_asked > 0)
		begin_load(s);
}

int
space_wait(struct space *s, uint64_t until)
{
	/* After a file that did not answer nobody waits again. */
	if (s->loading == NULL || *s->n_silent > 0 || clock_ns() >= until)
		return 0;
	(void)load_wait(&s->loading->load, s->loading->n_taken, until);
	space_poll(s);
	return 1;
}

/* Marks a module to be read. The vDSO has no file and few pages: it is read at
 * once. */
static int
open_module(struct space *s, struct module *m, const struct space_area *a)
{
	if (m->inode == 0)
		return module_open_memory(s->ctx, m, s->eu, s->mem,
		    a->start, a->end - a->start, s->quota);
	if (!m->is_asked) {
		m->is_asked = 1;
		m->at = a->start;
		m->end = a->end;
		m->offset = a->offset;
		s->n_asked++;
	}
	s->is_loading = 1;
	return BOB_OK;
}

struct module *
space_module(struct space *s, struct space_area *a, uint64_t at,
    uint64_t *ret_at, int *ret_failed)
{
	struct module *m;

	if (a->module < 0)
		return NULL;
	m = &s->module[a->module];
	if (!m->is_open && open_module(s, m, a) < 0) {
		*ret_failed = -ENOMEM;
		return NULL;
	}
	if (!m->is_open)
		return NULL;
	if (!a->has_bias) {
		a->bias = module_bias(m, a->start, a->end, a->offset);
		a->has_bias = 1;
	}
	*ret_at = at - a->bias;
	return m;
}
