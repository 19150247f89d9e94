/* What is in a trace; see the header. */
#include "pipeline/contents.h"

#include <bobbin/convert.h>

#include "model/dict.h"
#include "core/error.h"

static uint32_t
caps_of_frame(const struct bob_frame *f)
{
	uint32_t caps = 0;

	if ((f->flags & (BOB_FRAME_OPNAME | BOB_FRAME_OPCODE)) != 0)
		caps |= BOB_CAP_OPCODES;
	if ((f->flags & BOB_FRAME_COLUMNS) != 0)
		caps |= BOB_CAP_COLUMNS;
	if (f->lang == BOB_LANG_NATIVE)
		caps |= BOB_CAP_NATIVE;
	return caps;
}

static uint32_t
caps_of_run(const struct bob_dict *d, const struct bob_run *r)
{
	uint32_t flags = bob_track_get(d, r->track)->flags, caps = 0;

	if ((r->flags & BOB_RUN_TIMED) != 0)
		caps |= BOB_CAP_TIMES;
	if ((r->flags & BOB_RUN_STATUS) != 0)
		caps |= BOB_CAP_STATUS;
	if ((flags & BOB_TRACK_PID) != 0)
		caps |= BOB_CAP_PIDS;
	if ((flags & BOB_TRACK_TID) != 0)
		caps |= BOB_CAP_THREADS;
	return r->annot != 0 ? caps | BOB_CAP_ANNOTATIONS : caps;
}

static uint32_t
caps_of_mark(const struct bob_mark *m)
{
	if (m->kind == BOB_MARK_META)
		return BOB_CAP_META;
	return m->kind == BOB_MARK_UNKNOWN ? BOB_CAP_UNKNOWN : 0;
}

void
contents_add(struct contents *c, const struct bob_dict *dict,
    const struct bob_event *ev)
{
	struct bob_counts n = bob_dict_counts(dict);
	size_t i;

	for (; c->n_frame < n.n_frame; c->n_frame++)
		c->caps |= caps_of_frame(bob_frame_get(dict, c->n_frame));
	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		if (ev->segment->period_us != 0)
			c->caps |= BOB_CAP_PERIOD;
		if (++c->n_segments > 1)
			c->caps |= BOB_CAP_SEGMENTS;
		break;
	case BOB_EVENT_RUNS:
		for (i = 0; i < ev->n_runs; i++)
			c->caps |= caps_of_run(dict, &ev->runs[i]);
		c->n_runs += ev->n_runs;
		if (c->n_runs > 1)
			c->caps |= BOB_CAP_ORDER;
		break;
	default:
		c->caps |= caps_of_mark(ev->mark);
	}
}

static uint32_t
peek(struct bob_reader *rd, uint32_t wanted)
{
	struct bob_dict *dict = bob_reader_dict(rd);
	/* What was in the dictionary before belongs to nobody. */
	struct contents c = { .n_frame = bob_dict_counts(dict).n_frame };
	struct bob_event ev;

	while ((c.caps & wanted) != wanted &&
	    bob_reader_bytes_unpacked(rd) < CONTENTS_PEEK &&
	    bob_next(rd, &ev) == BOB_OK)
		contents_add(&c, dict, &ev);
	return c.caps;
}

uint32_t
contents_peek(struct bob_ctx *ctx, const char *path,
    const struct bob_read_opts *opts, uint32_t wanted)
{
	struct bob_read_opts o = *opts;
	struct bob_ctx *quiet = ctx_new_worker(ctx);
	struct bob_reader *rd;
	uint32_t caps = wanted;

	if (quiet == NULL)
		return wanted;
	o.dict = NULL;
	o.want = BOB_WANT_ALL & ~(uint32_t)BOB_WANT_STATS;
	o.flags = (o.flags & ~(uint32_t)BOB_READ_BY_TIME) | BOB_READ_REGULAR |
	    BOB_READ_ONE_THREAD;
	if (bob_open(quiet, path, &o, &rd) == BOB_OK) {
		caps = peek(rd, wanted);
		bob_close(rd);
	}
	bob_ctx_free(quiet);
	return caps;
}
