/* Frames reduced to functions and places; see the header. */
#include "format/common/functions.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/utf8.h"

int
functions_init(struct functions *f, struct bob_ctx *ctx,
    const struct bob_dict *from)
{
	memset(f, 0, sizeof(*f));
	f->ctx = ctx;
	f->from = from;
	f->n_function = f->n_place = 1;
	f->own = bob_dict_new(ctx);
	if (f->own == NULL || MEM_GROW(ctx, f, place, 1) < 0)
		return BOB_FATAL;
	f->place[0] = (struct place){ 0 };
	return BOB_OK;
}

void
functions_done(struct functions *f)
{
	bob_dict_free(f->own);
	free(f->of_frame);
	free(f->place_of);
	free(f->place);
	free(f->of_stack);
	free(f->utf8);
	intern_free(&f->by_place);
	frame_name_done(&f->name);
	memset(f, 0, sizeof(*f));
}

/* Adds a string to f->own, as UTF-8. */
static bob_str
put_string(struct functions *f, struct bob_bytes s)
{
	size_t n;

	if (utf8_valid(s.p, s.n) == s.n)
		return bob_str_put(f->own, s.p, s.n);
	if (MEM_GROW(f->ctx, f, utf8, 3 * s.n) < 0)
		return BOB_NO_ID;
	n = utf8_replace(f->utf8, s.p, s.n);
	return bob_str_put(f->own, f->utf8, n);
}

static int
put_function(struct functions *f, bob_fid id, uint32_t *ret)
{
	const struct bob_frame *frame = &f->from->frame[id];
	struct bob_frame function = { 0 };
	struct bob_bytes name;

	if (!f->merges_langs)
		function.lang = frame->lang;
	if (frame_name_get(&f->name, f->from, id, &name) < 0)
		return BOB_FATAL;
	function.name = put_string(f, name);
	function.file = put_string(f, bob_str_get(f->from, frame->file));
	if (function.name == BOB_NO_ID || function.file == BOB_NO_ID)
		return BOB_FATAL;
	*ret = bob_frame_put(f->own, &function);
	f->n_function = f->own->n.n_frame;
	return *ret == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

/* Returns the line to show; 0 for native code, which has offsets. */
static int64_t
line_of(const struct bob_frame *frame)
{
	if ((frame->flags & BOB_FRAME_NO_LINE) != 0 ||
	    frame->lang == BOB_LANG_NATIVE || frame->where < 0)
		return 0;
	return frame->where;
}

static int
put_place(struct functions *f, const struct place *place, uint32_t *ret)
{
	uint64_t hash;
	uint32_t at, id;

	if (intern_reserve(f->ctx, &f->by_place) < 0 ||
	    MEM_GROW(f->ctx, f, place, (size_t)f->n_place + 1) < 0)
		return BOB_FATAL;
	hash = XXH3_64bits_withSeed(place, sizeof(*place), f->own->seed);
	at = (uint32_t)(hash >> 32);
	while ((id = intern_probe(&f->by_place, hash, &at)) != 0) {
		if (memcmp(&f->place[id], place, sizeof(*place)) == 0) {
			*ret = id;
			return BOB_OK;
		}
	}
	*ret = f->n_place++;
	f->place[*ret] = *place;
	intern_add(&f->by_place, hash, at, *ret);
	return BOB_OK;
}

int
functions_update(struct functions *f)
{
	uint32_t n = f->from->n.n_frame;
	struct place place = { 0 };
	int r = BOB_OK;

	if (MEM_GROW(f->ctx, f, of_frame, n) < 0 ||
	    MEM_GROW(f->ctx, f, place_of, n) < 0)
		return BOB_FATAL;
	if (f->n_frame == 0)
		f->of_frame[0] = f->place_of[0] = 0;
	for (; r == BOB_OK && f->n_frame < n; f->n_frame++) {
		if (f->n_frame == 0)
			continue;
		r = put_function(f, f->n_frame, &f->of_frame[f->n_frame]);
		place.function = f->of_frame[f->n_frame];
		place.line = line_of(&f->from->frame[f->n_frame]);
		if (r == BOB_OK)
			r = put_place(f, &place, &f->place_of[f->n_frame]);
	}
	return r;
}

/* True when no two frames have become one so far. Then no two stacks have
 * either, and a new stack needs no lookup. */
static int
are_apart(const struct functions *f, int by_place)
{
	return f->own->n.n_stack == f->n_stack &&
	    (by_place ? f->n_place : f->n_function) == f->n_frame;
}

int
functions_stacks(struct functions *f, int by_place)
{
	uint32_t n = f->from->n.n_stack;
	const uint32_t *of_frame = by_place ? f->place_of : f->of_frame;
	int apart = are_apart(f, by_place);

	if (MEM_GROW(f->ctx, f, of_stack, n) < 0)
		return BOB_FATAL;
	for (; f->n_stack < n; f->n_stack++) {
		const struct dict_node *node = &f->from->node[f->n_stack];
		bob_stack id = 0;

		if (f->n_stack > 0 && apart)
			id = dict_push_fresh(f->own,
			    f->of_stack[node->parent], of_frame[node->frame]);
		else if (f->n_stack > 0)
			id = dict_push_path(f->own, f->of_stack[node->parent],
			    &of_frame[node->frame], 1);
		if (id == BOB_NO_ID)
			return BOB_FATAL;
		f->of_stack[f->n_stack] = id;
	}
	return BOB_OK;
}

enum bob_lang
functions_stack_lang(const struct functions *f, bob_stack s, int by_place)
{
	const struct dict_node *node = f->own->node;
	enum bob_lang lang = BOB_LANG_OTHER;
	uint32_t id;

	for (; s != 0 && lang != BOB_LANG_PHP && lang != BOB_LANG_PYTHON;
	     s = node[s].parent) {
		id = node[s].frame;
		lang = functions_lang(f, by_place ? f->place[id].function
		                                  : id);
	}
	return lang;
}
