/*
 * Frames that .rbt cannot tell apart. Other formats know columns, so that a
 * line with two calls is two frames there; here they are one, and so are the
 * stacks that differ by nothing else. In profiles of Python that is nine
 * stacks of ten.
 *
 * PHP and native frames have nothing that .rbt would drop: they are left
 * alone, and cost nothing.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/rbt/write.h"

static int
may_fold(const struct rbt_writer *w, bob_fid id)
{
	uint8_t lang = w->dict->frame[id].lang;

	return lang != BOB_LANG_PHP && lang != BOB_LANG_NATIVE;
}

/* The first that was seen with this hash; IDMAP_NONE when there is none, or
 * it has no number in this segment. */
static uint32_t
find_first(const struct rbt_writer *w, const struct idmap *by_hash,
    const struct wire_map *m, uint64_t hash)
{
	uint32_t first = idmap_get(by_hash, hash);

	return first != IDMAP_NONE &&
	    m->v[first].generation == w->generation ? first : IDMAP_NONE;
}

/* What is written of a frame. */
static struct bob_frame
as_written(const struct bob_frame *f)
{
	struct bob_frame as = { .where = rbt_line(f), .lang = f->lang,
		.flags = f->flags & (BOB_FRAME_OPNAME | BOB_FRAME_OPCODE),
		.opcode = f->opcode, .name = f->name, .scope = f->scope,
		.ns = f->ns, .file = f->file, .opname = f->opname };

	return as;
}

int
rbt_fold_frame(struct rbt_writer *w, bob_fid id)
{
	struct bob_frame as = as_written(&w->dict->frame[id]), other;
	uint64_t hash;
	bob_fid first;

	if (!may_fold(w, id))
		return 0;
	hash = XXH3_64bits_withSeed(&as, sizeof(as), w->dict->seed);
	first = find_first(w, &w->frame_by_hash, &w->frames, hash);
	if (first == IDMAP_NONE)
		return idmap_set(w->ctx, &w->frame_by_hash, hash, id);
	other = as_written(&w->dict->frame[first]);
	if (memcmp(&as, &other, sizeof(as)) != 0)
		return 0;
	w->frames.v[id] = w->frames.v[first];
	return 1;
}

/* Walks both stacks; their frames have numbers. */
static int
is_written_like(const struct rbt_writer *w, bob_stack a, bob_stack b)
{
	const struct dict_node *node = w->dict->node;

	while (a != 0 && b != 0 && w->frames.v[rbt_frame_of(w, a)].id ==
	    w->frames.v[rbt_frame_of(w, b)].id) {
		a = node[a].parent;
		b = node[b].parent;
	}
	return a == b;
}

/* The numbers of a stack's frames, hashed. */
static int
hash_stack(struct rbt_writer *w, bob_stack id, uint64_t *ret)
{
	size_t depth = w->dict->node[id].depth, n = 0;

	if (MEM_GROW(w->ctx, w, numbers, depth) < 0)
		return BOB_FATAL;
	for (; id != 0; id = w->dict->node[id].parent)
		w->numbers[n++] = w->frames.v[rbt_frame_of(w, id)].id;
	*ret = XXH3_64bits_withSeed(w->numbers, n * sizeof(*w->numbers),
	    w->dict->seed);
	return BOB_OK;
}

int
rbt_fold_stack(struct rbt_writer *w, bob_stack id)
{
	bob_stack first;
	uint64_t hash;

	if (id == 0 || !may_fold(w, rbt_frame_of(w, id)))
		return 0;
	if (hash_stack(w, id, &hash) < 0)
		return BOB_FATAL;
	first = find_first(w, &w->stack_by_hash, &w->stacks, hash);
	if (first == IDMAP_NONE)
		return idmap_set(w->ctx, &w->stack_by_hash, hash, id);
	if (!is_written_like(w, first, id))
		return 0;
	w->stacks.v[id] = w->stacks.v[first];
	return 1;
}

void
rbt_fold_done(struct rbt_writer *w)
{
	idmap_free(&w->frame_by_hash);
	idmap_free(&w->stack_by_hash);
	free(w->numbers);
}
