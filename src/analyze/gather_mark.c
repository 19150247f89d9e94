/* Segments, marks, and the facts in metadata; see gather.h. */
#include <stdlib.h>
#include <string.h>

#include "analyze/gather.h"
#include "core/mem.h"
#include "core/memo.h"
#include "core/text.h"
#include "format/common/meta.h"

void
gather_pace(struct input *in, uint64_t period)
{
	if (period == 0)
		return;
	in->learned_us = in->pace.period_us = period;
	in->pace.slack_us = period / 2;
}

/* The pid of the segment has changed: forgets the tracks with that pid. */
static void
forget_tracks(struct input *in)
{
	if (in->with_pid != NULL)
		memset(in->with_pid, 0,
		    in->cap_with_pid * sizeof(*in->with_pid));
}

void
gather_segment(struct bob_profile *p, struct input *in,
    const struct bob_segment *s)
{
	struct side *side = &p->side[in->side];

	in->period_us = side->last_period = s->period_us;
	in->pace.period_us = gather_period(in);
	in->pace.slack_us = 0;
	if (in->period_us == 0)
		gather_pace(in, in->learned_us);
	in->pace.stamp++;
	in->pace.is_picked = in->pace.is_of_sums = 0;
	in->has_pid = 0;
	forget_tracks(in);
	in->epoch = (uint32_t)side->n_segments++;
	clock_segment(&in->clock, s);
	if (in->filter != NULL)
		filter_segment(in->filter, s);
}

void
gather_note_period(struct side *side, const struct input *in)
{
	uint64_t period = in->period_us;

	if (period == 0) {
		side->has_unknown_period = 1;
		if (in->learned_us > side->learned_us)
			side->learned_us = in->learned_us;
		return;
	}
	if (side->min_period == 0 || period < side->min_period)
		side->min_period = period;
	if (period > side->max_period)
		side->max_period = period;
}

static char *
copy_bytes(struct bob_bytes s)
{
	char *to = malloc(s.n + 1);

	if (to != NULL) {
		memcpy(to, s.p, s.n);
		to[s.n] = 0;
	}
	return to;
}

static void
take_pid(struct input *in, struct bob_bytes value)
{
	in->has_pid = text_get_u64(value.p, value.n, &in->pid);
	forget_tracks(in);
}

/* Keeps the last value of each key. */
static int
keep_fact(struct bob_profile *p, int side, bob_str key,
    struct bob_bytes value)
{
	struct side *to = &p->side[side];
	char *text = copy_bytes(value);
	struct fact *f;

	if (text == NULL)
		return err_nomem(p->ctx);
	if (MEMO_GROW(p->ctx, to, fact_of, (size_t)key + 1) < 0) {
		free(text);
		return BOB_FATAL;
	}
	f = to->fact_of[key];
	if (f != NULL) {
		free(f->value);
		f->value = text;
		return BOB_OK;
	}
	f = calloc(1, sizeof(*f));
	if (f != NULL)
		f->key = copy_bytes(bob_str_get(p->dict, key));
	if (f == NULL || f->key == NULL) {
		free(f);
		free(text);
		return err_nomem(p->ctx);
	}
	f->side = side;
	f->value = text;
	f->next = p->facts;
	p->facts = f;
	to->fact_of[key] = f;
	return BOB_OK;
}

int
gather_mark(struct bob_profile *p, struct input *in, const struct bob_mark *m)
{
	struct side *side = &p->side[in->side];
	struct bob_bytes key, value;
	uint64_t start;
	int r;

	if (in->filter != NULL)
		filter_mark(in->filter, m);
	if (m->kind == BOB_MARK_GAP) {
		in->pace.n_holes++;
		side->n_gaps++;
		side->n_lost = count_add(side->n_lost, m->gap->lost);
		return BOB_OK;
	}
	if (m->kind != BOB_MARK_META)
		return BOB_OK;
	key = bob_str_get(p->dict, m->key);
	value = bob_str_get(p->dict, m->value);
	if (bytes_are(key, "pid"))
		take_pid(in, value);
	else if (bytes_are(key, META_MODE))
		in->pace.is_picked = meta_is_picked(value);
	else if (bytes_are(key, META_TIMES))
		in->pace.is_of_sums = meta_is_of_sums(value);
	else if (bytes_are(key, META_START) &&
	    text_get_u64(value.p, value.n, &start))
		clock_start(&in->clock, start);
	side->n_unkept = count_add(side->n_unkept, bob_unkept(key, value));
	times_mark(side, in->epoch, key, value);
	r = labels_take(&p->labels, key, value);
	return r == 0 ? keep_fact(p, in->side, m->key, value) :
	    r < 0 ? BOB_FATAL : BOB_OK;
}

bob_tid
gather_new_track(struct bob_profile *p, struct input *in, bob_tid id)
{
	struct bob_track t;
	bob_tid old = id;

	if (MEMO_GROW(p->ctx, in, with_pid, (size_t)id + 1) < 0)
		return BOB_NO_ID;
	t = *bob_track_get(p->dict, id);
	if (!(t.flags & BOB_TRACK_PID)) {
		t.flags |= BOB_TRACK_PID;
		t.pid = in->pid;
		id = bob_track_put(p->dict, &t);
		if (id == BOB_NO_ID)
			return id;
	}
	in->with_pid[old] = id;
	return id;
}
