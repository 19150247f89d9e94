/* Reading, comparing, opening; see the header. */
#include "capture/native/space.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/proc/maps.h"
#include "capture/proc/proc.h"
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
	drop_modules(s->module, s->n_module);
	ptrmap_free(&s->module_of);
	free(s->area);
	memset(s, 0, sizeof(*s));
}

/* A new list, while it is read; modules of the old one move over. */
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

/* The one that a list has under a key; NULL: none. */
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

/* The module of a mapping that holds code. Its index, or -1; -2: out of
 * memory. */
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
	/* A file may have two names, and two files one key. */
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

/* A compiler that adds to its code in shared memory, as opcache's, takes away
 * the right to run all of it for that moment. */
static int
is_code(const struct map_line *l)
{
	return l->is_exec || maps_is_shared_memory(l);
}

static int
take_line(void *user, const struct map_line *l)
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

/* Whether all code is where it was. */
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

int
space_look(struct space *s, uint64_t now_us, int missed)
{
	struct reading rd = { .old = s };
	size_t i, n_old = s->n_module;
	int r, same;

	if (s->t_read != 0 && now_us + 1 - s->t_read <
	        (missed ? MISSED_US : LOOK_US))
		return 0;
	space_init(&rd.next, s->ctx, s->eu, s->mem, s->pid);
	rd.next.quota = s->quota;
	r = maps_each(s->ctx, s->pid, take_line, &rd);
	if (r < 0 || rd.next.n_area == 0) {
		/* What was taken over is opened again. */
		space_done(&rd.next);
		s->t_read = now_us + 1;
		s->generation++;
		s->n_area = 0;
		return r == BOB_FATAL ? -ENOMEM
		    : r < 0 && s->ctx->error.sys != 0 ? -s->ctx->error.sys
		                                      : -ESRCH;
	}
	same = rd.next.n_module == n_old && is_same_code(s, &rd.next);
	for (i = 0; same && i < n_old; i++)
		same = s->module[i].path == NULL;
	rd.next.t_read = now_us + 1;
	rd.next.generation = s->generation + !same;
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

static int
open_module(struct space *s, struct module *m, const struct space_area *a)
{
	struct map_file f = { .start = a->start, .end = a->end,
		.first_end = a->end, .first_offset = a->offset, .dev = m->dev,
		.inode = m->inode, .path = m->path, .is_exec = 1 };
	char root[64];
	int fd;

	if (m->inode == 0)
		return module_open_memory(s->ctx, m, s->eu, s->mem,
		    a->start, a->end - a->start, s->quota);
	fd = proc_open_mapped(s->pid, &f);
	if (fd < 0) {
		m->is_open = 1;
		return BOB_OK;
	}
	(void)snprintf(root, sizeof(root), "/proc/%d/root", s->pid);
	return module_open_file(s->ctx, m, s->eu, fd, root, s->quota);
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
	if (!a->has_bias) {
		a->bias = module_bias(m, a->start, a->end, a->offset);
		a->has_bias = 1;
	}
	*ret_at = at - a->bias;
	return m;
}
