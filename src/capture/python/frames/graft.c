/* Cuts a few frames off the old stack and finds their place on the new one. */
#include "capture/python/frames/graft.h"

#include <assert.h>
#include <string.h>

#include "capture/python/frames/frames.h"
#include "core/mem.h"

/* Frames that are put on another stack, at most. */
#define GRAFT 16

struct graft {
	struct py_walk_frame frame[GRAFT];
	uint32_t index[GRAFT]; /* of their codes */
	size_t n;
};

/* The frame that was current, and its callers as far as these calls are known.
 * Returns 0 if there is none. */
static int
cut_graft(struct py_walk *w, uint64_t at, struct graft *g)
{
	const uint8_t *p;
	uint32_t index;

	g->n = 0;
	while (at != 0 && g->n < GRAFT) {
		p = py_copy_frame(w->copy, at);
		w->n_frame = 0;
		if (p == NULL ||
		    py_frames_take(w, p, at, PY_OWNER_THREAD) != WALK_OK ||
		    py_codes_find(w->codes, w->frame[0].code, &index) !=
		    CODE_OK || (g->n > 0 && calls_find(&w->codes->calls, index,
		        g->index[g->n - 1]) == CALLS_NONE))
			break;
		w->frame[0].is_guessed = 1;
		g->frame[g->n] = w->frame[0];
		g->index[g->n++] = index;
		at = w->frame[0].previous;
	}
	return g->n > 0;
}

/* Which frame of the new stack calls frame j of the graft: the caller that the
 * frame names (is_exact), or the innermost that is known to call it. SIZE_MAX
 * if there is none. */
static size_t
find_stem(struct py_walk *w, const struct graft *g, size_t j, int is_exact)
{
	uint32_t index;
	size_t i;

	for (i = 0; i < w->n_frame; i++) {
		if (is_exact && w->frame[i].at != g->frame[j].previous)
			continue;
		if (py_codes_find(w->codes, w->frame[i].code, &index) ==
		    CODE_OK && calls_find(&w->codes->calls, index,
		        g->index[j]) != CALLS_NONE)
			return i;
	}
	return SIZE_MAX;
}

int
py_graft_collect(struct py_walk *w, uint64_t before, uint64_t after)
{
	struct graft g;
	size_t k = SIZE_MAX, j = 0, n;
	int r, is_exact;

	if (!cut_graft(w, before, &g))
		return BOB_LOST_MOVED;
	r = py_frames_collect(w, after);
	if (r >= 0)
		r = py_frames_known(w);
	w->is_repaired = 0;
	if (r != WALK_OK)
		return r;
	for (is_exact = 1; k == SIZE_MAX && is_exact >= 0; is_exact--)
		for (j = 0; k == SIZE_MAX && j < g.n; j++)
			k = find_stem(w, &g, j, is_exact);
	if (k == SIZE_MAX)
		return BOB_LOST_MOVED;
	assert(k < w->n_frame && j <= g.n);
	n = w->n_frame - k;
	if (MEM_GROW(w->ctx, w, frame, j + n) < 0)
		return WALK_FATAL;
	memmove(w->frame + j, w->frame + k, n * sizeof(*w->frame));
	memcpy(w->frame, g.frame, j * sizeof(*w->frame));
	w->n_frame = j + n;
	return WALK_OK;
}
