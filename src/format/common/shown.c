/* Stacks as lines of text show them; see the header. */
#include "format/common/shown.h"

#include <stdlib.h>
#include <string.h>

void
shown_done(struct shown *s)
{
	bob_dict_free(s->reduced);
	free(s->shown);
	free(s->origin);
	free(s->stack);
	free(s->weight);
}

/* What a line shows of a frame: name, file and line. */
static struct bob_frame
reduce_frame(const struct bob_frame *f)
{
	struct bob_frame shown = { .ns = f->ns, .scope = f->scope,
		.name = f->name, .file = f->file };

	shown.flags = f->flags & BOB_FRAME_NO_LINE;
	if (!shown.flags && f->lang != BOB_LANG_NATIVE)
		shown.where = f->where;
	return shown;
}

/* True when reducing cannot make two frames one. */
static int
is_reduced(const struct bob_dict *d)
{
	bob_fid i;

	for (i = 1; i < d->n.n_frame; i++)
		if (d->frame[i].lang != d->frame[1].lang ||
		    d->frame[i].lang == BOB_LANG_NATIVE ||
		    (d->frame[i].flags & ~BOB_FRAME_NO_LINE) != 0)
			return 0;
	return 1;
}

static int
reduce_frames(struct shown *s, const struct bob_dict *from)
{
	bob_fid i, id;

	for (i = 1; i < from->n.n_frame; i++) {
		struct bob_frame shown = reduce_frame(&from->frame[i]);

		id = bob_frame_put(s->reduced, &shown);
		if (id == BOB_NO_ID)
			return BOB_FATAL;
		s->shown[i] = id;
		s->origin[id] = i;
	}
	return BOB_OK;
}

static int
reduce_stacks(struct shown *s, const struct bob_dict *from)
{
	bob_stack i;

	for (i = 1; i < from->n.n_stack; i++) {
		const struct dict_node *node = &from->node[i];

		s->stack[i] = bob_stack_push(s->reduced,
		    s->stack[node->parent], s->shown[node->frame]);
		if (s->stack[i] == BOB_NO_ID)
			return BOB_FATAL;
	}
	return BOB_OK;
}

/* Sums over stacks that have become one. */
static int
reduce_weights(struct shown *s, struct bob_ctx *ctx)
{
	bob_stack i, to;

	s->weight = calloc(s->reduced->n.n_stack, sizeof(*s->weight));
	if (s->weight == NULL)
		return err_nomem(ctx);
	for (i = 0; i < s->from->weights.n; i++) {
		/* NOLINT(clang-analyzer-security.ArrayBound): both have as
		 * many as there are stacks. */
		to = s->stack[i];
		s->weight[to] = count_add(s->weight[to],
		    weight_sink_of(s->from, i));
	}
	return BOB_OK;
}

/* No two frames look alike: the trace's own dictionary will do. */
static void
drop_reduced(struct shown *s)
{
	bob_dict_free(s->reduced);
	free(s->shown);
	free(s->origin);
	s->reduced = NULL;
	s->shown = s->origin = NULL;
}

static int
shown_reduce(struct shown *s, struct bob_ctx *ctx, const struct bob_dict *from)
{
	int r;

	s->reduced = bob_dict_new(ctx);
	s->shown = calloc(from->n.n_frame, sizeof(*s->shown));
	s->origin = calloc(from->n.n_frame, sizeof(*s->origin));
	if (s->reduced == NULL || s->shown == NULL || s->origin == NULL)
		return err_nomem(ctx);
	r = reduce_frames(s, from);
	if (r < 0)
		return r;
	if (s->reduced->n.n_frame == from->n.n_frame) {
		drop_reduced(s);
		return BOB_OK;
	}
	s->stack = calloc(from->n.n_stack, sizeof(*s->stack));
	if (s->stack == NULL)
		return err_nomem(ctx);
	r = reduce_stacks(s, from);
	if (r == BOB_OK)
		r = reduce_weights(s, ctx);
	s->dict = s->reduced;
	return r;
}

int
shown_init(struct shown *s, const struct sink *sink,
    const struct weight_sink *from)
{
	memset(s, 0, sizeof(*s));
	s->dict = sink->dict;
	s->from = from;
	return is_reduced(sink->dict) ? BOB_OK
	                              : shown_reduce(s, sink->ctx, sink->dict);
}
