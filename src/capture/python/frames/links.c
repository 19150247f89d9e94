/* A table of WALK_LINKS entries, by a hash of the address. */
#include "capture/python/frames/links.h"

#include <stdlib.h>
#include <string.h>

#include "capture/python/frames/frame_bytes.h"

/* The entry of an address. NULL if there is no table yet: most threads never
 * have a generator. */
static struct py_walk_link *
link_of(struct py_walk *w, uint64_t at)
{
	return w->link == NULL ? NULL
	    : &w->link[(at >> 3 ^ at >> 9) % WALK_LINKS];
}

/* How far from known marks another one may be, and how far apart they may
 * get. */
#define C_STACK ((uint64_t)64 << 10)
#define C_STACK_MAX ((uint64_t)1 << 20)

int
py_links_is_on_c_stack(const struct py_walk *w, uint64_t at)
{
	return at + C_STACK >= w->mark_from && at <= w->mark_to + C_STACK;
}

/* Returns 1 if bytes are the frame of a generator. On C's stack old bytes may
 * look like one, so there its code must be that of a generator too. */
static int
is_generator_at(struct py_walk *w, uint64_t at, const uint8_t *p)
{
	uint64_t code = py_frame_code(w->o, p);
	uint32_t index;

	if (py_frame_owner(w->o, p) != PY_OWNER_GENERATOR || code == 0)
		return 0;
	return !py_links_is_on_c_stack(w, at) ||
	    (py_codes_find(w->codes, code, &index) == CODE_OK &&
	        (w->codes->code[index].flags & PY_CO_GENERATORS) != 0);
}

/* Returns 1 if bytes can be part of a stack: a mark, or a generator that has a
 * caller. */
static int
is_linked(struct py_walk *w, uint64_t at, const uint8_t *p)
{
	uint8_t owner = py_frame_owner(w->o, p);

	if (w->o->ts_chunk == PY_NONE)
		return py_frame_previous(w->o, p) != 0;
	if (owner >= PY_OWNER_C)
		return owner <= PY_OWNER_LAST;
	return py_frame_previous(w->o, p) != 0 && is_generator_at(w, at, p);
}

/* The remembered frame; with its present instruction if it still has the same
 * code. */
static const uint8_t *
mend_link(const struct py_walk *w, struct py_walk_link *l, const uint8_t *p,
    int *is_doubtful)
{
	if (p != NULL && py_frame_owner(w->o, p) < PY_OWNER_C &&
	    mem_u64(p, w->o->fr_code) == mem_u64(l->bytes, w->o->fr_code))
		memcpy(l->bytes + w->o->fr_instr, p + w->o->fr_instr, 8);
	else
		*is_doubtful = py_frame_owner(w->o, l->bytes) < PY_OWNER_C;
	return l->bytes;
}

const uint8_t *
py_links_recall(struct py_walk *w, uint64_t at, const uint8_t *p,
    int *is_doubtful)
{
	struct py_walk_link *l = link_of(w, at);

	*is_doubtful = 0;
	if (w->is_paused)
		return p;
	if (w->o->ts_chunk == PY_NONE)
		return w->with_dead && p != NULL && l != NULL &&
		    l->at == at &&
		    !is_linked(w, at, p) ? mend_link(w, l, p, is_doubtful)
		    : p;
	if (p != NULL && !py_links_is_on_c_stack(w, at) &&
	    (py_frame_owner(w->o, p) == PY_OWNER_THREAD ||
	        py_frame_owner(w->o, p) > PY_OWNER_LAST)) {
		py_copy_dismiss(w->copy, at);
		p = NULL;
	}
	if (p != NULL && is_linked(w, at, p))
		return p;
	if (l != NULL && l->at == at)
		return mend_link(w, l, p, is_doubtful);
	/* A generator whose caller is not known. */
	*is_doubtful = 1;
	return p != NULL && is_generator_at(w, at, p) ? p : NULL;
}

void
py_links_keep(struct py_walk *w, uint64_t at)
{
	const uint8_t *p = py_copy_frame(w->copy, at);
	struct py_walk_link *l;

	if (p == NULL || !is_linked(w, at, p))
		return;
	if (w->link == NULL)
		w->link = calloc(WALK_LINKS, sizeof(*w->link));
	l = link_of(w, at);
	if (l == NULL)
		return;
	l->at = at;
	memcpy(l->bytes, p, w->o->fr_size);
	if (py_frame_owner(w->o, p) < PY_OWNER_C)
		return;
	/* Marks that are far away are on another stack, and do not count. */
	if (w->mark_to == 0)
		w->mark_from = w->mark_to = at;
	else if (at < w->mark_from && w->mark_from - at < C_STACK_MAX)
		w->mark_from = at;
	else if (at > w->mark_to && at - w->mark_to < C_STACK_MAX)
		w->mark_to = at;
}
