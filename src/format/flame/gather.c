/* Sums by stack, and metadata: the slots that both sinks share; see flame.h. */
#include "format/flame/flame.h"

#include <string.h>

#include "model/weights.h"

int
flame_open(struct sink *sink, unsigned tally_by)
{
	struct flame_writer *w = sink->state;
	const char *title = format_sink_option(sink, "title");

	tally_init(&w->now, sink->ctx, sink->dict->seed, tally_by);
	labels_init(&w->labels, sink->ctx, sink->dict->seed);
	w->is_icicle = format_sink_option(sink, "icicle") != NULL;
	w->has_lines = sink->diff != NULL ? sink->diff->has_lines :
	    format_sink_option(sink, "lines") != NULL;
	w->texts = bob_dict_new(sink->ctx);
	if (w->texts == NULL)
		return BOB_FATAL;
	if (title == NULL)
		return BOB_OK;
	w->title = bob_str_put(w->texts, title, strlen(title));
	return w->title == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static void
note_period(struct flame_writer *w, uint64_t period)
{
	if (w->min_period == 0 || period < w->min_period)
		w->min_period = period;
	if (period > w->max_period)
		w->max_period = period;
}

int
flame_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct flame_writer *w = sink->state;
	uint64_t period = segment->period_us;

	tally_segment(&w->now, period);
	w->n_segments++;
	if (period == 0)
		w->n_unknown++;
	note_period(w, period == 0 ? WEIGHTS_DEFAULT_PERIOD : period);
	return BOB_OK;
}

int
flame_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct flame_writer *w = sink->state;

	return tally_add(&w->now, v, n);
}

static int
put_meta(struct flame_writer *w, struct bob_bytes key, struct bob_bytes value)
{
	struct bob_pair pair = { bob_str_put(w->texts, key.p, key.n),
		bob_str_put(w->texts, value.p, value.n) };
	size_t i = 0;

	if (pair.key == BOB_NO_ID || pair.value == BOB_NO_ID)
		return BOB_FATAL;
	while (i < w->n_meta && w->meta[i].key != pair.key)
		i++;
	if (i == FLAME_MAX_META)
		return BOB_OK;
	w->meta[i] = pair;
	w->n_meta = i < w->n_meta ? w->n_meta : i + 1;
	return BOB_OK;
}

int
flame_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct flame_writer *w = sink->state;
	int r;

	if (mark->kind == BOB_MARK_GAP) {
		w->n_gaps++;
		w->n_lost = count_add(w->n_lost, mark->gap->lost);
	}
	r = labels_mark(&w->labels, sink->dict, mark);
	if (r != 0 || mark->kind != BOB_MARK_META)
		return r < 0 ? BOB_FATAL : BOB_OK;
	return put_meta(w, bob_str_get(sink->dict, mark->key),
	    bob_str_get(sink->dict, mark->value));
}

int
flame_join(struct sink *sink, struct sink *from, const struct join_map *map)
{
	struct flame_writer *w = sink->state, *other = from->state;
	size_t i;
	int r = BOB_OK;

	w->n_segments += other->n_segments;
	w->n_unknown += other->n_unknown;
	w->n_gaps += other->n_gaps;
	w->n_lost = count_add(w->n_lost, other->n_lost);
	if (other->n_segments > 0) {
		note_period(w, other->min_period);
		note_period(w, other->max_period);
	}
	for (i = 0; r == BOB_OK && i < other->n_meta; i++)
		r = put_meta(w,
		    bob_str_get(other->texts, other->meta[i].key),
		    bob_str_get(other->texts, other->meta[i].value));
	if (r < 0 || labels_join(&w->labels, &other->labels) < 0)
		return BOB_FATAL;
	return tally_join(&w->now, &other->now, map->stack, map->track,
	    map->annot);
}

void
flame_close(struct sink *sink)
{
	struct flame_writer *w = sink->state;

	tally_done(&w->now);
	labels_done(&w->labels);
	bob_dict_free(w->texts);
}

static struct flame_scale
scale_of_digest(const struct format_digest *d)
{
	const struct bob_times *t = &d->times;
	struct flame_scale s = { .by_time = d->by_time };

	if (t->basis == BOB_TIME_NONE || t->share_samples == 0)
		return s;
	s.has_times = d->by_time || t->basis == BOB_TIME_CLOCK;
	s.period = s.has_times ? 1 : t->share_us / t->share_samples;
	return s;
}

struct flame_scale
flame_scale(const struct sink *sink)
{
	const struct flame_writer *w = sink->state;
	int is_mixed = w->min_period != w->max_period;
	struct flame_scale s = { 0 };

	if (sink->ops->takes_digest && sink->diff == NULL)
		return scale_of_digest(&sink->digest);
	s.by_time = s.has_times = sink->diff != NULL ? sink->diff->by_time
	                                             : is_mixed;
	if (s.has_times)
		s.period = 1;
	else if (w->n_unknown < w->n_segments)
		s.period = w->min_period;
	return s;
}
