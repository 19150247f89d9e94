/*
 * Writing for speedscope: timelines are gathered per track, and written at the
 * end. The first profile is all of them together, since speedscope shows one
 * at a time; it is in no order, each stack once.
 *
 * What costs speedscope time is the number of entries times their depth, so
 * the number of entries is bounded for all tracks together.
 */
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "format/common/functions.h"
#include "format/speedscope/speedscope.h"
#include "format/speedscope/timeline.h"
#include "model/labels.h"
#include "model/weights.h"

/* Entries of all timelines: with 30 frames each the page needs some ten
 * seconds to draw them. */
#define MAX_ENTRIES ((size_t)100000)

struct writer {
	struct functions fns;
	struct labels labels;
	int by_line;
	uint64_t period;
	struct timeline *track; /* by track */
	size_t cap_track, n_track;
	size_t n_entries; /* of all, when last counted */
	int is_coarse;    /* windows were needed */
};

/* What it takes to write the file. */
struct page {
	struct sink *sink;
	struct text text;
	uint64_t *weight; /* by stack of fns.own: of all tracks */
	uint32_t *path;
	size_t cap_path;
	int needs_comma;
};

const struct bob_option_info speedscope_write_options[] = {
	{ "lines", NULL, "tell the lines of a function apart" },
	{ NULL, NULL, NULL },
};

static int
speedscope_open(struct sink *sink)
{
	struct writer *st = sink->state;

	st->by_line = format_sink_option(sink, "lines") != NULL;
	st->period = WEIGHTS_DEFAULT_PERIOD;
	labels_init(&st->labels, sink->ctx, sink->dict->seed);
	return functions_init(&st->fns, sink->ctx, sink->dict);
}

static int
speedscope_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct writer *st = sink->state;

	st->period = segment->period_us != 0 ? segment->period_us
	                                     : WEIGHTS_DEFAULT_PERIOD;
	return BOB_OK;
}

static int
speedscope_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct writer *st = sink->state;

	return labels_mark(&st->labels, sink->dict, mark) < 0 ? BOB_FATAL :
	    BOB_OK;
}

static int
reserve_tracks(struct sink *sink)
{
	struct writer *st = sink->state;
	size_t n = sink->dict->n.n_track;

	if (MEM_GROW(sink->ctx, st, track, n) < 0)
		return BOB_FATAL;
	if (n > st->n_track) {
		memset(st->track + st->n_track, 0,
		    (n - st->n_track) * sizeof(*st->track));
		st->n_track = n;
	}
	return BOB_OK;
}

/* Too many entries in all: those tracks that have more than their share get
 * longer windows. */
static void
bound_entries(struct writer *st)
{
	size_t i, n = 0, n_used = 0, share;

	for (i = 0; i < st->n_track; i++) {
		n += st->track[i].n;
		n_used += st->track[i].n > 0;
	}
	st->n_entries = n;
	if (n <= MAX_ENTRIES)
		return;
	st->is_coarse = 1;
	share = MAX_ENTRIES / 2 / n_used;
	for (i = 0, st->n_entries = 0; i < st->n_track; i++) {
		if (st->track[i].n > share)
			timeline_coarsen(&st->track[i], share);
		st->n_entries += st->track[i].n;
	}
}

static int
speedscope_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct writer *st = sink->state;
	size_t i;

	if (reserve_tracks(sink) < 0 || functions_update(&st->fns) < 0 ||
	    functions_stacks(&st->fns, st->by_line) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (timeline_add(sink->ctx, &st->track[v[i].track],
		        st->fns.of_stack[v[i].stack],
		        count_mul(v[i].count, st->period), v[i].count) < 0)
			return BOB_FATAL;
	st->n_entries += n;
	if (st->n_entries > 2 * MAX_ENTRIES)
		bound_entries(st);
	return BOB_OK;
}

static void
speedscope_close(struct sink *sink)
{
	struct writer *st = sink->state;
	size_t i;

	labels_done(&st->labels);
	for (i = 0; i < st->n_track; i++)
		timeline_done(&st->track[i]);
	free(st->track);
	functions_done(&st->fns);
}

static void
put_string(struct text *t, struct bob_bytes s)
{
	json_string(t, s.p, s.n);
}

/* ",\n" but before the first of a list. */
static void
put_comma(struct page *page)
{
	if (page->needs_comma)
		text_byte(&page->text, ',');
	text_byte(&page->text, '\n');
	page->needs_comma = 1;
}

static int
put_frame(struct page *page, uint32_t id)
{
	const struct writer *st = page->sink->state;
	const struct functions *f = &st->fns;
	struct text *t = &page->text;
	uint32_t function = st->by_line ? f->place[id].function : id;
	struct bob_bytes file = functions_file(f, function);

	text_begin(t, page->sink->out);
	put_comma(page);
	text_str(t, "{\"name\":");
	put_string(t, functions_name(f, function));
	if (file.n > 0) {
		text_str(t, ",\"file\":");
		put_string(t, file);
	}
	if (st->by_line && f->place[id].line > 0) {
		text_str(t, ",\"line\":");
		text_i64(t, f->place[id].line);
	}
	text_byte(t, '}');
	return text_commit(t);
}

static int
put_frames(struct page *page)
{
	const struct writer *st = page->sink->state;
	struct text *t = &page->text;
	uint32_t n = st->by_line ? st->fns.n_place : st->fns.n_function, i;
	int r;

	text_begin(t, page->sink->out);
	text_str(t, "{\"$schema\":\"" SPEEDSCOPE_SCHEMA "\",\n"
	            "\"exporter\":\"bobbin@");
	text_str(t, bob_version());
	text_str(t, "\",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
	r = text_commit(t);
	page->needs_comma = 0;
	for (i = 1; r == BOB_OK && i < n; i++)
		r = put_frame(page, i);
	text_begin(t, page->sink->out);
	text_str(t, "\n]},\n\"profiles\":[");
	return r < 0 ? r : text_commit(t);
}

/* The frames of a stack, root first; speedscope counts them from 0. */
static int
put_stack(struct page *page, bob_stack s)
{
	const struct writer *st = page->sink->state;
	const struct dict_node *node = st->fns.own->node;
	size_t n = node[s].depth, i;

	if (MEM_GROW(page->sink->ctx, page, path, n) < 0)
		return BOB_FATAL;
	for (i = n; i > 0; i--, s = node[s].parent)
		page->path[i - 1] = node[s].frame - 1;
	text_begin(&page->text, page->sink->out);
	put_comma(page);
	text_byte(&page->text, '[');
	for (i = 0; i < n; i++) {
		if (i > 0)
			text_byte(&page->text, ',');
		text_u64(&page->text, page->path[i]);
	}
	text_byte(&page->text, ']');
	return text_commit(&page->text);
}

/* ` word number`, without the space at the start of a name. */
static void
put_part(struct text *t, const char *word, uint64_t number, int *is_first)
{
	if (!*is_first)
		text_byte(t, ' ');
	*is_first = 0;
	text_str(t, word);
	text_byte(t, ' ');
	text_u64(t, number);
}

/* What is known of the process; read_track.c cuts it off again. */
static int
put_process(struct page *page, const struct bob_track *track)
{
	struct writer *st = page->sink->state;
	const struct label *label = labels_of(&st->labels, track);
	struct bob_bytes text = { "", 0 };

	if (label != NULL && labels_text(&st->labels, label, &text) < 0)
		return BOB_FATAL;
	if (text.n > 0) {
		text_str(&page->text, SPEEDSCOPE_PROCESS);
		json_text(&page->text, text.p, text.n);
	}
	return BOB_OK;
}

/* "pid 1 thread 2 (its name)", and the process behind it. */
static int
put_track_name(struct page *page, const struct bob_track *track)
{
	struct text *t = &page->text;
	struct bob_bytes name = bob_str_get(page->sink->dict, track->name);
	int is_first = 1, r;

	text_byte(t, '"');
	if (track->flags & BOB_TRACK_PID)
		put_part(t, "pid", track->pid, &is_first);
	if (track->flags & BOB_TRACK_TID)
		put_part(t, "thread", track->tid, &is_first);
	if ((track->flags & BOB_TRACK_INTERP) && track->interp > 0)
		put_part(t, "interpreter", track->interp, &is_first);
	if (name.n > 0) {
		text_str(t, is_first ? "" : " (");
		json_text(t, name.p, name.n);
		text_str(t, is_first ? "" : ")");
	} else if (is_first) {
		text_str(t, "all samples");
	}
	r = put_process(page, track);
	text_byte(t, '"');
	return r;
}

/* Everything in front of the stacks; `track` names the profile. */
static int
begin_profile(struct page *page, const struct bob_track *track,
    uint64_t weight)
{
	struct text *t = &page->text;

	text_begin(t, page->sink->out);
	put_comma(page);
	text_str(t, "{\"type\":\"sampled\",\"name\":");
	if (track == NULL)
		text_str(t, "\"all together\"");
	else if (put_track_name(page, track) < 0)
		return BOB_FATAL;
	text_str(t, ",\"unit\":\"microseconds\",\"startValue\":0,"
	            "\"endValue\":");
	text_u64(t, weight);
	text_str(t, ",\n\"samples\":[");
	page->needs_comma = 0;
	return text_commit(t);
}

static int
begin_weights(struct page *page)
{
	text_begin(&page->text, page->sink->out);
	text_str(&page->text, "],\n\"weights\":[");
	page->needs_comma = 0;
	return text_commit(&page->text);
}

static int
put_weight(struct page *page, uint64_t weight)
{
	text_begin(&page->text, page->sink->out);
	if (page->needs_comma)
		text_byte(&page->text, ',');
	page->needs_comma = 1;
	text_u64(&page->text, weight);
	return text_commit(&page->text);
}

static int
end_profile(struct page *page)
{
	text_begin(&page->text, page->sink->out);
	text_str(&page->text, "]}");
	page->needs_comma = 1;
	return text_commit(&page->text);
}

static int
put_track(struct page *page, bob_tid id)
{
	const struct writer *st = page->sink->state;
	const struct timeline *line = &st->track[id];
	size_t i;
	int r = begin_profile(page, &page->sink->dict->track[id],
	    line->weight);

	for (i = 0; r == BOB_OK && i < line->n; i++)
		r = put_stack(page, line->entry[i].stack);
	if (r == BOB_OK)
		r = begin_weights(page);
	for (i = 0; r == BOB_OK && i < line->n; i++)
		r = put_weight(page, line->entry[i].weight);
	return r < 0 ? r : end_profile(page);
}

/* All tracks, each stack once; stacks are numbered as a tree, so what is
 * alike stands together. */
static int
put_merged(struct page *page)
{
	const struct writer *st = page->sink->state;
	uint32_t n = st->fns.own->n.n_stack, s;
	uint64_t sum = 0;
	size_t i, k;
	int r;

	page->weight = calloc(n, sizeof(*page->weight));
	if (page->weight == NULL)
		return err_nomem(page->sink->ctx);
	for (i = 0; i < st->n_track; i++)
		for (k = 0; k < st->track[i].n; k++) {
			const struct timeline_entry *e =
			    &st->track[i].entry[k];

			page->weight[e->stack] = count_add(
			    page->weight[e->stack], e->weight);
			sum = count_add(sum, e->weight);
		}
	r = begin_profile(page, NULL, sum);
	for (s = 0; r == BOB_OK && s < n; s++)
		if (page->weight[s] > 0)
			r = put_stack(page, s);
	if (r == BOB_OK)
		r = begin_weights(page);
	for (s = 0; r == BOB_OK && s < n; s++)
		if (page->weight[s] > 0)
			r = put_weight(page, page->weight[s]);
	return r < 0 ? r : end_profile(page);
}

struct ranked {
	uint64_t samples;
	bob_tid track;
};

static int
compare_ranks(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return (a->track > b->track) - (a->track < b->track);
}

static int
put_profiles(struct page *page)
{
	const struct writer *st = page->sink->state;
	struct ranked *v = calloc(st->n_track + 1, sizeof(*v));
	size_t n = 0, i;
	int r = BOB_OK;

	if (v == NULL)
		return err_nomem(page->sink->ctx);
	for (i = 0; i < st->n_track; i++)
		if (st->track[i].n > 0)
			v[n++] = (struct ranked){ st->track[i].samples,
				(bob_tid)i };
	qsort(v, n, sizeof(*v), compare_ranks);
	page->needs_comma = 0;
	if (n != 1)
		r = put_merged(page);
	for (i = 0; r == BOB_OK && i < n; i++)
		r = put_track(page, v[i].track);
	free(v);
	return r;
}

static int
speedscope_finish(struct sink *sink)
{
	struct writer *st = sink->state;
	struct page page = { .sink = sink };
	int r = format_need_output(sink);

	bound_entries(st);
	if (r == BOB_OK)
		r = put_frames(&page);
	if (r == BOB_OK)
		r = put_profiles(&page);
	if (r == BOB_OK) {
		text_begin(&page.text, sink->out);
		text_str(&page.text, "\n]}\n");
		r = text_commit(&page.text);
	}
	if (r == BOB_OK && st->is_coarse)
		err_diag(sink->ctx, BOB_OK, BOB_E_NONE, BOB_NO_OFFSET,
		    "speedscope: timelines were shortened to %zu entries, so "
		    "that the page can draw them; weights are exact",
		    st->n_entries);
	text_done(&page.text);
	free(page.weight);
	free(page.path);
	return r;
}

const struct sink_ops speedscope_sink = {
	.state_size = sizeof(struct writer),
	.want = BOB_WANT_ORDER | BOB_WANT_TRACKS | BOB_WANT_MARKS,
	.open = speedscope_open,
	.segment = speedscope_segment,
	.runs = speedscope_runs,
	.mark = speedscope_mark,
	.finish = speedscope_finish,
	.close = speedscope_close,
};

const struct format speedscope_format = {
	.info = {
		.name = "speedscope",
		.suffixes = ".speedscope.json",
		.summary = "speedscope.app: a timeline per thread",
		.caps = BOB_CAP_ORDER | BOB_CAP_PIDS | BOB_CAP_THREADS |
		    BOB_CAP_PERIOD,
		.can_read = 1,
		.can_write = 1,
		.is_text = 1,
		.options = speedscope_write_options,
	},
	.bid = speedscope_bid,
	.source = &speedscope_source,
	.sink = &speedscope_sink,
};
