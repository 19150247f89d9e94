/* Looks up ids, and puts names that are new; see relay.h. */
#include "capture/sampler/relay.h"

#include <stdlib.h>

#include "core/mem.h"

/* Returns the new id, or PTRMAP_NONE. Id 0 is the same in all dictionaries. */
static uint32_t
relay_look_up(const struct ptrmap *m, uint32_t id)
{
	return id == 0 ? 0 : ptrmap_get(m, id);
}

int
relay_run(const struct relay *r, struct bob_run *run)
{
	uint32_t stack = relay_look_up(&r->stack, run->stack);
	uint32_t track = relay_look_up(&r->track, run->track);
	uint32_t annot = relay_look_up(&r->annot, run->annot);

	if (stack == PTRMAP_NONE || track == PTRMAP_NONE ||
	    annot == PTRMAP_NONE)
		return 0;
	run->stack = stack;
	run->track = track;
	run->annot = annot;
	return 1;
}

static int
relay_str(struct relay *r, const struct bob_dict *from, bob_str *id)
{
	struct bob_bytes s = bob_str_get(from, *id);

	*id = bob_str_put(r->to, s.p, s.n);
	return *id == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* Remembers that `id` is `new`. */
static int
relay_learn(struct relay *r, struct ptrmap *m, uint32_t id, uint32_t new)
{
	return new == BOB_NO_ID ? BOB_FATAL : ptrmap_put(r->ctx, m, id, new);
}

/* Returns the new id of a frame, or BOB_NO_ID if memory is out. */
static bob_fid
relay_frame(struct relay *r, const struct bob_dict *from, bob_fid id)
{
	bob_fid new = relay_look_up(&r->frame, id);
	struct bob_frame f;

	if (new != PTRMAP_NONE)
		return new;
	f = *bob_frame_get(from, id);
	if (relay_str(r, from, &f.name) < 0 ||
	    relay_str(r, from, &f.scope) < 0 ||
	    relay_str(r, from, &f.ns) < 0 ||
	    relay_str(r, from, &f.file) < 0 ||
	    relay_str(r, from, &f.opname) < 0)
		return BOB_NO_ID;
	new = bob_frame_put(r->to, &f);
	return relay_learn(r, &r->frame, id, new) < 0 ? BOB_NO_ID : new;
}

/* Puts a stack and all its parents that are new. */
static int
relay_stack(struct relay *r, const struct bob_dict *from, bob_stack id)
{
	bob_stack parent;
	size_t n = 0;

	while ((parent = relay_look_up(&r->stack, id)) == PTRMAP_NONE) {
		if (MEM_GROW(r->ctx, r, path, n + 1) < 0)
			return BOB_FATAL;
		r->path[n++] = id;
		id = bob_stack_get(from, id).parent;
	}
	while (n > 0) {
		bob_fid frame;

		id = r->path[--n];
		frame = relay_frame(r, from, bob_stack_get(from, id).frame);
		if (frame == BOB_NO_ID)
			return BOB_FATAL;
		parent = bob_stack_push(r->to, parent, frame);
		if (relay_learn(r, &r->stack, id, parent) < 0)
			return BOB_FATAL;
	}
	return BOB_OK;
}

static int
relay_track(struct relay *r, const struct bob_dict *from, bob_tid id)
{
	struct bob_track t;

	if (relay_look_up(&r->track, id) != PTRMAP_NONE)
		return BOB_OK;
	t = *bob_track_get(from, id);
	if (relay_str(r, from, &t.name) < 0)
		return BOB_FATAL;
	return relay_learn(r, &r->track, id, bob_track_put(r->to, &t));
}

static int
relay_annot(struct relay *r, const struct bob_dict *from, bob_annot id)
{
	struct bob_pair pair[BOB_MAX_PAIRS];
	const struct bob_pair *v;
	size_t n, i;

	if (relay_look_up(&r->annot, id) != PTRMAP_NONE)
		return BOB_OK;
	v = bob_annot_get(from, id, &n);
	for (i = 0; i < n; i++) {
		pair[i] = v[i];
		if (relay_str(r, from, &pair[i].key) < 0 ||
		    relay_str(r, from, &pair[i].value) < 0)
			return BOB_FATAL;
	}
	return relay_learn(r, &r->annot, id, bob_annot_put(r->to, pair, n));
}

int
relay_new_run(struct relay *r, const struct bob_dict *from,
    struct bob_run *run)
{
	if (relay_stack(r, from, run->stack) < 0 ||
	    relay_track(r, from, run->track) < 0 ||
	    relay_annot(r, from, run->annot) < 0)
		return BOB_FATAL;
	return relay_run(r, run) ? BOB_OK : BOB_FATAL;
}

void
relay_clear(struct relay *r)
{
	ptrmap_clear(&r->frame);
	ptrmap_clear(&r->stack);
	ptrmap_clear(&r->track);
	ptrmap_clear(&r->annot);
}

void
relay_free(struct relay *r)
{
	ptrmap_free(&r->frame);
	ptrmap_free(&r->stack);
	ptrmap_free(&r->track);
	ptrmap_free(&r->annot);
	free(r->path);
	free(r);
}
