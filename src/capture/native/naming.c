/* Names places by symbols and by the perf map; see naming.h. */
#include "capture/native/naming.h"

#include <stdio.h>
#include <string.h>

/* The perf map is read again after PERF_US at the earliest. A name from it, or
 * that there is none, is used for PASSING_US. */
#define PERF_US 20000
#define PASSING_US 1000000

/* --- the perf map --------------------------------------------------------- */

/* Takes over what the thread has read of the map, if it is done or does not
 * answer. Returns BOB_OK or FATAL. */
static int
take_map(struct native *n)
{
	struct loading_map *l = n->look;
	int r = BOB_OK;

	if (l == NULL)
		return BOB_OK;
	if (load_is_done(&l->load)) {
		quota_charge(&n->quota, &l->spent);
		r = perfmap_join(&n->perf, &l->more);
		l->load.free(&l->load);
	} else if (load_is_silent(&l->load)) {
		quota_charge_file(&n->quota);
		n->p->n_silent++;
		load_drop(&l->load);
	} else {
		return BOB_OK;
	}
	n->look = NULL;
	n->n_looks++;
	return r;
}

/* Begins to read the map in a thread, if it is time to, and takes over what was
 * read. If no thread can be started, the old entries stay. */
static int
update_map(struct native *n)
{
	struct loading_map *l;
	int r = take_map(n);

	if (r < 0 || (n->look == NULL && n->t_perf != 0 &&
	    n->p->time_us - n->t_perf < PERF_US))
		return r;
	if (n->look == NULL) {
		n->t_perf = n->p->time_us | 1;
		l = loading_map_new(n->p->pid, &n->perf, &n->quota);
		if (l == NULL)
			return err_nomem(n->p->ctx);
		if (load_begin(&l->load, n->p->n_silent) < 0) {
			l->load.free(&l->load);
			n->n_looks++;
			return BOB_OK;
		}
		n->look = l;
	}
	if (load_may_wait() && n->p->n_silent == 0) {
		(void)load_wait(&n->look->load, 0, UINT64_MAX);
		r = take_map(n);
	}
	return r;
}

/* True while the map is being read, of a process that has one or may have. */
static int
is_map_behind(const struct native *n)
{
	return n->look != NULL && (n->perf.inode != 0 || n->n_looks == 0);
}

/* --- names --------------------------------------------------------------- */

/* True if it is the name of the function, or of a part that a compiler has
 * split off ("name.part.0"). */
static int
is_word(const char *word, const char *name)
{
	size_t n = word != NULL ? strlen(word) : 0;

	return n > 0 && strncmp(name, word, n) == 0 &&
	    (name[n] == '\0' || name[n] == '.');
}

static uint8_t
kind_of(const struct native *n, const char *name)
{
	if (is_word(n->words->loop, name))
		return MERGE_LOOP;
	return is_word(n->words->call, name) ? MERGE_CALL : MERGE_PLAIN;
}

static int
put_frame(struct native *n, struct native_place *pl, const char *name,
    size_t n_name, const char *file, uint64_t offset)
{
	struct bob_frame f = { .lang = BOB_LANG_NATIVE,
		.where = (int64_t)offset };

	f.name = bob_str_put(n->p->dict, name, n_name);
	f.file = bob_str_put(n->p->dict, file, strlen(file));
	if (f.name == BOB_NO_ID || f.file == BOB_NO_ID)
		return BOB_FATAL;
	pl->frame = bob_frame_put(n->p->dict, &f);
	return pl->frame == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* Names an address by its symbol. Without one it is "FILE+0xOFFSET": the offset
 * where the function begins by its table, or else where the symbol before it
 * ends. */
static int
name_in_module(struct native *n, struct native_place *pl, struct module *m,
    uint64_t at)
{
	const struct symbol *s = symbols_find(&m->symbols, at);
	char text[128];
	uint64_t begin;
	int k;

	m->is_used = 1;
	if (s != NULL) {
		pl->kind = kind_of(n, s->name);
		return put_frame(n, pl, s->name,
		    strlen(s->name), m->path, at - s->at);
	}
	if (pl->rule == NULL || !module_function(m, at, &begin))
		begin = symbols_end_below(&m->symbols, at);
	k = snprintf(text, sizeof(text), "%.96s+0x%llx",
	    maps_base_name(m->path), (unsigned long long)begin);
	return put_frame(n, pl, text, (size_t)k, m->path, at - begin);
}

/* Names an address that is in no ELF file. */
static int
name_elsewhere(struct native *n, struct native_place *pl, const char *file,
    uint64_t offset)
{
	const struct perfmap_entry *e;

	pl->t_passing = n->p->time_us + 1;
	if (update_map(n) < 0)
		return BOB_FATAL;
	e = perfmap_find(&n->perf, pl->pc);
	if (e == NULL && is_map_behind(n)) {
		n->space.is_loading = 1;
		return BOB_OK;
	}
	if (e != NULL)
		return put_frame(n, pl, e->name, e->n_name, "[jit]",
		    pl->pc - e->at);
	if (pl->is_lent)
		return put_frame(n, pl, "<jit>", 5, "[jit]", offset);
	return put_frame(n, pl, "[unknown]", 9, file, offset);
}

static int
name_place(struct native *n, struct native_place *pl)
{
	struct space_area *a = space_find(&n->space, pl->pc);
	struct module *m = NULL;
	uint64_t at;

	n->has_missed |= a == NULL;
	pl->kind = MERGE_PLAIN;
	if (a == NULL)
		return name_elsewhere(n, pl, "", pl->pc);
	if (a->is_code)
		m = space_module(&n->space, a, pl->pc, &at, &n->failed);
	if (n->failed != 0)
		return BOB_FATAL;
	if (n->space.is_loading)
		return BOB_OK;
	if (m != NULL && m->is_elf)
		return name_in_module(n, pl, m, at);
	if (m != NULL && m->why != NULL)
		m->is_used = 1;
	return name_elsewhere(n, pl, m != NULL ? m->path : "[anonymous]",
	    pl->pc - a->start + a->offset);
}

/* True if the name of code that may change is too old. */
static int
is_outdated(const struct native *n, const struct native_place *pl)
{
	return pl->t_passing != 0 && pl->frame != 0 &&
	    n->p->time_us + 1 - pl->t_passing >= PASSING_US;
}

int
naming_frames(struct native *n)
{
	size_t i;

	for (i = 0; i < n->n_frame; i++) {
		const struct unwind_frame *f = &n->frame[i];
		struct native_place *pl = native_place(n, f->lookup);

		if (pl == NULL)
			return BOB_FATAL;
		if (f->is_lent && !pl->is_lent) {
			pl->is_lent = 1;
			pl->frame = 0;
		}
		if (is_outdated(n, pl)) {
			if (update_map(n) < 0)
				return BOB_FATAL;
			/* The old name is used until the map is read. */
			if (!is_map_behind(n))
				pl->frame = 0;
		}
		if (pl->frame == 0 && name_place(n, pl) < 0)
			return BOB_FATAL;
		n->native[i] = (struct merge_native){ .sp = f->sp,
			.cfa = f->cfa, .frame = pl->frame, .kind = f->is_lent &&
			    n->words->loop != NULL ? MERGE_LOOP : pl->kind };
	}
	return BOB_OK;
}
