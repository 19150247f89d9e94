/* The work of the threads that read modules and perf maps; see loading.h. */
#include "capture/native/modules/loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/proc/maps.h"
#include "capture/proc/proc.h"

/* --- modules ------------------------------------------------------------- */

static int
open_file(struct loading *l, struct module *m)
{
	struct map_file f = { .start = m->at, .end = m->end,
		.first_end = m->end, .first_offset = m->offset, .dev = m->dev,
		.inode = m->inode, .path = m->path, .is_exec = 1 };
	int fd = proc_open_mapped(l->pid, &f);
	char root[64];

	m->is_open = 1;
	if (fd < 0)
		return BOB_OK;
	(void)snprintf(root, sizeof(root), "/proc/%d/root", l->pid);
	return module_open_file(l->ctx, m, &l->eu, fd, root, &l->quota);
}

static void
read_modules(struct load *load)
{
	struct loading *l = (struct loading *)load;
	size_t i;

	for (i = 0; i < l->n && !load_is_dropped(load); i++) {
		struct loading_item *it = &l->item[i];
		struct quota before = l->quota;

		if (open_file(l, &it->m) < 0)
			it->m.why = "there is no memory for its tables";
		if (l->lender != NULL)
			it->m.lender = symbols_named(&it->m.symbols,
			    l->lender);
		it->spent = quota_spent(&before, &l->quota);
		(void)atomic_fetch_add(&load->n_steps, 1);
	}
}

void
loading_free(struct loading *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		module_done(&l->item[i].m);
	elfutils_close(&l->eu);
	bob_ctx_free(l->ctx);
	free(l);
}

static void
free_load(struct load *load)
{
	loading_free((struct loading *)load);
}

struct loading *
loading_new(int pid, const struct quota *left)
{
	struct loading *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->load.run = read_modules;
	l->load.free = free_load;
	l->pid = pid;
	l->quota = *left;
	l->ctx = bob_ctx_new();
	if (l->ctx != NULL && elfutils_open(l->ctx, &l->eu) == BOB_OK)
		return l;
	bob_ctx_free(l->ctx);
	free(l);
	return NULL;
}

int
loading_add(struct loading *l, const struct module *m)
{
	struct module *to = &l->item[l->n].m;
	char *path = l->n < LOADING_AT_ONCE ? strdup(m->path) : NULL;

	if (path == NULL)
		return 0;
	*to = (struct module){ .path = path, .dev = m->dev,
		.inode = m->inode, .at = m->at, .end = m->end,
		.offset = m->offset };
	l->n++;
	return 1;
}

struct loading_item *
loading_take(struct loading *l)
{
	return l->n_taken < atomic_load(&l->load.n_steps)
	    ? &l->item[l->n_taken++] : NULL;
}

struct loading_item *
loading_at(struct loading *l)
{
	return l->n_taken < l->n ? &l->item[l->n_taken] : NULL;
}

/* --- maps of code -------------------------------------------------------- */

static void
read_map(struct load *load)
{
	struct loading_map *l = (struct loading_map *)load;
	struct quota before = l->quota;

	/* If memory is out, the entries that were read are used. */
	(void)perfmap_read(&l->more, l->pid);
	(void)perfmap_seal(&l->more);
	l->spent = quota_spent(&before, &l->quota);
	/* If it replaces the map, perfmap_join() gives back the rest. */
	l->spent.kept = l->more.kept;
}

static void
free_map(struct load *load)
{
	struct loading_map *l = (struct loading_map *)load;

	perfmap_done(&l->more);
	bob_ctx_free(l->ctx);
	free(l);
}

struct loading_map *
loading_map_new(int pid, const struct perfmap *m, const struct quota *left)
{
	struct loading_map *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->ctx = bob_ctx_new();
	if (l->ctx == NULL) {
		free(l);
		return NULL;
	}
	l->load.run = read_map;
	l->load.free = free_map;
	l->pid = pid;
	l->quota = *left;
	perfmap_init_more(&l->more, l->ctx, m);
	l->more.quota = &l->quota;
	return l;
}
