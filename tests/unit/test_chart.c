/*
 * Flame charts in as many parts as can be seen (cli/view/chart.h), compared
 * with a plain list of all samples.
 */
#include <stdlib.h>

#include "../../cli/view/chart.h"
#include "support.h"

#define N_STACKS 15
#define N_ANNOTS 3
#define PERIOD 1000u
#define MOST 6000

struct sample {
	uint64_t t;
	bob_stack stack;
	bob_annot annot;
	uint8_t status;
};

struct world {
	struct bob_ctx *ctx;
	struct bob_profile *p;
	struct bob_view *v;
	bob_stack stack[N_STACKS];
	bob_annot annot[N_ANNOTS];
	bob_tid track;
	struct sample sample[MOST];
	size_t n;
	unsigned seed;
};

static unsigned
next_random(struct world *w, unsigned below)
{
	w->seed = w->seed * 1103515245u + 12345u;
	return (w->seed >> 16) % below;
}

/* ---- A trace ----------------------------------------------------------- */

/* Stack i is called by stack i / 2: four frames deep, and 0 is empty. */
static void
open_world(struct world *w, unsigned seed)
{
	struct bob_profile_opts o = { .size = sizeof(o),
		.flags = BOB_PROFILE_RUNS };
	struct bob_segment segment = { .period_us = PERIOD,
		.flags = BOB_SEGMENT_TIMED };
	struct bob_event ev = { .kind = BOB_EVENT_SEGMENT,
		.segment = &segment };
	struct bob_frame frame = { .lang = BOB_LANG_PYTHON };
	struct bob_track track = { .flags = BOB_TRACK_TID, .tid = 7 };
	struct bob_pair pair;
	struct bob_dict *d;
	char name;
	unsigned i;

	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->ctx = bob_ctx_new();
	assert_status(w->ctx, BOB_OK, bob_profile_new(w->ctx, &o, &w->p));
	d = bob_profile_dict(w->p);
	for (i = 1; i < N_STACKS; i++) {
		name = (char)('a' + i);
		frame.name = i == 9 ? bob_str_put(d, "<GC>", 4)
		    : bob_str_put(d, &name, 1);
		w->stack[i] = bob_stack_push(d, w->stack[i / 2],
		    bob_frame_put(d, &frame));
	}
	for (i = 1; i < N_ANNOTS; i++) {
		pair.key = bob_str_put(d, "route", 5);
		pair.value = bob_str_put(d, &"xyz"[i], 1);
		w->annot[i] = bob_annot_put(d, &pair, 1);
	}
	w->track = bob_track_put(d, &track);
	assert_status(w->ctx, BOB_OK, bob_profile_feed(w->p, 0, &ev));
}

static void
make_view(struct world *w)
{
	assert_status(w->ctx, BOB_OK, bob_view_new(w->p, NULL, &w->v));
}

static void
close_world(struct world *w)
{
	bob_view_free(w->v);
	bob_profile_free(w->p);
	bob_ctx_free(w->ctx);
	free(w);
}

static void
add(struct world *w, const struct sample *s)
{
	struct bob_run run = { .count = 1, .stack = s->stack,
		.track = w->track, .annot = s->annot, .t_first = s->t,
		.t_last = s->t, .status = s->status,
		.flags = BOB_RUN_TIMED | BOB_RUN_STATUS };
	struct bob_event ev = { .kind = BOB_EVENT_RUNS, .runs = &run,
		.n_runs = 1 };

	assert_true(w->n < MOST);
	w->sample[w->n++] = *s;
	assert_status(w->ctx, BOB_OK, bob_profile_feed(w->p, 0, &ev));
}

/* Stacks that last a while, pauses, and times with jitter. The first sample is
 * at 0, where the trace's clock begins. */
static void
add_some(struct world *w, size_t n, int goes_back)
{
	static const uint8_t status[] = { 0, BOB_STATUS_ON_CPU,
		BOB_STATUS_WANTS_GIL, BOB_STATUS_UNKNOWN };
	struct sample s = { .t = 0 };

	while (n-- > 0) {
		if (next_random(w, 3) == 0)
			s.stack = w->stack[next_random(w, N_STACKS)];
		if (next_random(w, 9) == 0)
			s.annot = w->annot[next_random(w, N_ANNOTS)];
		if (next_random(w, 5) == 0)
			s.status = status[next_random(w, 4)];
		add(w, &s);
		s.t += next_random(w, 30) == 0 ? 30 * PERIOD
		    : PERIOD - 20 + next_random(w, 40);
		if (goes_back && next_random(w, 90) == 0)
			s.t /= 2;
	}
}

/* ---- What is right ----------------------------------------------------- */

static int
is_in(const struct sample *s, uint64_t from, uint64_t to)
{
	return from <= s->t && s->t < to;
}

/* The stack of a sample up to a depth, as a node of the view: its groups are
 * functions, so that nodes have the numbers of stacks. */
static bob_stack
stack_at(const struct world *w, bob_stack s, uint32_t depth)
{
	struct bob_node n = bob_stack_get(bob_profile_dict(w->p), s);

	for (; n.depth > depth; n = bob_stack_get(bob_profile_dict(w->p), s))
		s = n.parent;
	return n.depth == depth ? s : 0;
}

/* The frames of a node by name, the innermost one first. */
static void
names_of_node(const struct world *w, uint32_t node, char *to)
{
	for (; node != 0; node = bob_view_node(w->v, node).parent)
		*to++ = *bob_view_key(w->v, bob_view_node(w->v,
		    node).key).name.p;
	*to = '\0';
}

static void
names_of_stack(const struct world *w, bob_stack s, char *to)
{
	const struct bob_dict *d = bob_profile_dict(w->p);
	struct bob_node n;

	for (; s != 0; s = n.parent) {
		n = bob_stack_get(d, s);
		*to++ = *bob_str_get(d, bob_frame_get(d, n.frame)->name).p;
	}
	*to = '\0';
}

/* Samples in a part of the span that have the frames of the box. */
static uint64_t
samples_of(const struct world *w, const struct chart_box *b,
    const struct chart_span *span)
{
	char mine[8], want[8];
	uint64_t n = 0;
	size_t i;

	names_of_node(w, b->node, want);
	for (i = 0; i < w->n; i++) {
		names_of_stack(w, stack_at(w, w->sample[i].stack, b->depth),
		    mine);
		n += is_in(&w->sample[i], b->start, b->end) &&
		    is_in(&w->sample[i], span->from, span->to) &&
		    strcmp(mine, want) == 0;
	}
	return n;
}

/* Samples in [from, to) that are exactly `depth` frames deep. */
static uint64_t
own_samples(const struct world *w, uint32_t depth, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < w->n; i++)
		n += is_in(&w->sample[i], from, to) && bob_stack_get(
		    bob_profile_dict(w->p), w->sample[i].stack).depth == depth;
	return n;
}

static uint64_t
samples_on(const struct chart *c, uint32_t depth, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < c->n_box; i++)
		if (c->box[i].depth == depth && c->box[i].start >= from &&
		    c->box[i].end <= to)
			n += c->box[i].samples;
	return n;
}

/* ---- Checks ------------------------------------------------------------ */

static void
check_boxes(const struct world *w, const struct chart *c,
    const struct chart_span *span)
{
	const struct chart_box *b;
	size_t i;

	assert_int_equal(c->samples, own_samples(w, 0, span->from, span->to) +
	    samples_on(c, 1, 0, UINT64_MAX));
	for (i = 0; i < c->n_box; i++) {
		b = &c->box[i];
		assert_true(span->from <= b->start && b->start <= b->end &&
		    b->end <= span->to);
		if (b->n > 0)
			continue;
		assert_true(b->end - b->start >= c->grain);
		assert_int_equal(b->samples, samples_of(w, b, span));
		assert_int_equal(b->samples, own_samples(w, b->depth,
		    b->start, b->end) + samples_on(c, b->depth + 1, b->start,
		    b->end));
	}
}

/* Sums of the list, and of the parts. */
static void
check_sums(const struct world *w, const struct chart *c,
    const struct chart_span *span)
{
	uint64_t all = 0, marked = 0, on_cpu = 0, in_bands = 0, on = 0;
	size_t i, k;

	for (i = 0; i < w->n; i++) {
		if (!is_in(&w->sample[i], span->from, span->to))
			continue;
		all++;
		marked += w->sample[i].annot != 0;
		on_cpu += w->sample[i].status == BOB_STATUS_ON_CPU &&
		    w->sample[i].stack != w->stack[9];
	}
	assert_int_equal(c->samples, all);
	for (i = 0; i < c->n_band; i++)
		for (k = 0; k < CHART_STATES; k++) {
			in_bands += c->band[i].samples[k];
			on += k == CHART_ON_CPU ? c->band[i].samples[k] : 0;
		}
	assert_int_equal(in_bands, all);
	assert_int_equal(on, on_cpu);
	for (i = 0; i < c->n_mark; i++)
		marked -= c->mark[i].samples;
	assert_int_equal(marked, 0);
}

static void
check_size(const struct chart *c, const struct chart_span *span)
{
	uint64_t most = 4 * ((span->to - span->from) / c->grain + 2);
	uint64_t depth[5] = { 0 };
	size_t i;

	assert_true(c->grain >= span->grain);
	assert_true(c->n_box <= span->limit && c->n_band <= span->limit &&
	    c->n_mark <= span->limit);
	for (i = 0; i < c->n_box; i++) {
		assert_in_range(c->box[i].depth, 1, 4);
		depth[c->box[i].depth]++;
	}
	for (i = 0; i < COUNT_OF(depth); i++)
		assert_true(depth[i] <= most);
	assert_true(c->n_band <= most && c->n_mark <= most);
}

static void
check_span(struct world *w, uint64_t from, uint64_t to, int is_monotone)
{
	static const uint64_t grain[] = { 1, PERIOD / 2, 3 * PERIOD,
		50 * PERIOD, 100000 * (uint64_t)PERIOD };
	static const size_t limit[] = { 100000, 100, CHART_LEAST };
	struct chart_span span = { .from = from, .to = to };
	struct chart c;
	size_t i, k;

	for (i = 0; i < COUNT_OF(grain); i++)
		for (k = 0; k < COUNT_OF(limit); k++) {
			span.grain = grain[i];
			span.limit = limit[k];
			assert_status(w->ctx, BOB_OK, chart_read(w->p, w->v,
			    w->track, &span, &c));
			check_sums(w, &c, &span);
			if (is_monotone) {
				check_boxes(w, &c, &span);
				check_size(&c, &span);
			} else {
				assert_true(c.n_box <= span.limit);
			}
			chart_done(&c);
		}
}

static void
check_spans(unsigned seed, int goes_back)
{
	struct world *w = malloc(sizeof(*w));
	uint64_t a, b;
	unsigned i;

	assert_non_null(w);
	open_world(w, seed);
	add_some(w, 400, goes_back);
	make_view(w);
	check_span(w, 0, w->sample[w->n - 1].t + PERIOD, !goes_back);
	for (i = 0; i < 8; i++) {
		a = w->sample[next_random(w, (unsigned)w->n)].t +
		    next_random(w, 3);
		b = w->sample[next_random(w, (unsigned)w->n)].t;
		check_span(w, a < b ? a : b, a < b ? b : a, !goes_back);
	}
	close_world(w);
}

/* ---- Tests ------------------------------------------------------------- */

static void
parts_add_up_to_the_whole(void **state)
{
	unsigned seed;

	(void)state;
	for (seed = 1; seed <= 8; seed++)
		check_spans(seed, 0);
}

static void
times_may_run_backwards(void **state)
{
	unsigned seed;

	(void)state;
	for (seed = 1; seed <= 8; seed++)
		check_spans(seed, 1);
}

static struct world *
world_of(const struct sample *s, size_t n)
{
	struct world *w = malloc(sizeof(*w));
	struct sample own;
	size_t i;

	assert_non_null(w);
	open_world(w, 1);
	for (i = 0; i < n; i++) {
		own = s[i];
		own.stack = w->stack[s[i].stack];
		own.annot = w->annot[s[i].annot];
		add(w, &own);
	}
	make_view(w);
	return w;
}

static void
assert_box(const struct chart_box *b, uint32_t depth, uint64_t start,
    uint64_t end, uint64_t samples, uint32_t n)
{
	assert_int_equal(b->depth, depth);
	assert_int_equal(b->start, start);
	assert_int_equal(b->end, end);
	assert_int_equal(b->samples, samples);
	assert_int_equal(b->n, n);
}

/* Stacks 1, 1-2-4, 1-2-5, 1-2-5, then 1 after a pause. */
static const struct sample few[] = { { 0, 1, 1, 0 }, { 1000, 4, 1, 0 },
	{ 2000, 5, 2, 2 }, { 3000, 5, 2, 2 }, { 90000, 1, 0, 2 } };

static void
a_frame_lasts_as_long_as_it_is_there(void **state)
{
	struct chart_span span = { 0, 100000, 1, 100 };
	struct world *w = world_of(few, COUNT_OF(few));
	struct chart c;

	(void)state;
	assert_status(w->ctx, BOB_OK, chart_read(w->p, w->v, w->track, &span,
	    &c));
	assert_int_equal(c.n_box, 5);
	assert_box(&c.box[0], 3, 1000, 2000, 1, 0);
	assert_box(&c.box[1], 3, 2000, 4000, 2, 0);
	assert_box(&c.box[2], 2, 1000, 4000, 3, 0);
	assert_box(&c.box[3], 1, 0, 4000, 4, 0);
	assert_box(&c.box[4], 1, 90000, 91000, 1, 0);
	assert_int_equal(c.n_mark, 2);
	assert_int_equal(c.mark[0].end, 2000);
	assert_int_equal(c.mark[1].samples, 2);
	assert_int_equal(c.n_band, 3);
	assert_int_equal(c.band[0].samples[CHART_OFF_CPU], 2);
	assert_int_equal(c.band[1].samples[CHART_ON_CPU], 2);
	chart_done(&c);
	close_world(w);
}

static void
what_is_narrow_is_merged(void **state)
{
	struct chart_span span = { 0, 100000, 2500, 100 };
	struct world *w = world_of(few, COUNT_OF(few));
	char names[8];
	struct chart c;

	(void)state;
	assert_status(w->ctx, BOB_OK, chart_read(w->p, w->v, w->track, &span,
	    &c));
	assert_int_equal(c.n_box, 4);
	/* Both of depth 3; more than half of it is 1-2-5. */
	assert_box(&c.box[0], 3, 1000, 4000, 3, 2);
	names_of_node(w, c.box[0].node, names);
	assert_string_equal(names, "fcb");
	assert_box(&c.box[1], 2, 1000, 4000, 3, 0);
	assert_box(&c.box[2], 1, 0, 4000, 4, 0);
	assert_box(&c.box[3], 1, 90000, 91000, 1, 1);
	assert_int_equal(c.n_mark, 1);
	assert_int_equal(c.mark[0].samples, 4);
	assert_int_equal(c.mark[0].n, 2);
	chart_done(&c);
	close_world(w);
}

static void
a_span_cuts_what_it_crosses(void **state)
{
	struct chart_span span = { 1500, 3500, 1, 100 };
	struct world *w = world_of(few, COUNT_OF(few));
	struct chart c;

	(void)state;
	assert_status(w->ctx, BOB_OK, chart_read(w->p, w->v, w->track, &span,
	    &c));
	assert_int_equal(c.samples, 2);
	/* Its sample was taken before the span. */
	assert_box(&c.box[0], 3, 1500, 2000, 0, 0);
	assert_box(&c.box[1], 3, 2000, 3500, 2, 0);
	chart_done(&c);
	close_world(w);
}

static void
what_is_very_deep_is_cut(void **state)
{
	struct world *w = malloc(sizeof(*w));
	struct chart_span span = { 0, 4000, 1, 100000 };
	struct bob_frame frame = { .lang = BOB_LANG_PHP };
	struct sample s = { .t = 0 };
	struct bob_dict *d;
	struct chart c;
	unsigned i;

	(void)state;
	assert_non_null(w);
	open_world(w, 1);
	d = bob_profile_dict(w->p);
	frame.name = bob_str_put(d, "deep", 4);
	for (i = 0; i < 50 * CHART_DEPTH; i++)
		s.stack = bob_stack_push(d, s.stack, bob_frame_put(d, &frame));
	add(w, &s);
	s = (struct sample){ 1000, w->stack[1], 0, 0 };
	add(w, &s);
	make_view(w);
	assert_status(w->ctx, BOB_OK, chart_read(w->p, w->v, w->track, &span,
	    &c));
	assert_int_equal(c.n_box, CHART_DEPTH + 1);
	assert_box(&c.box[0], CHART_DEPTH, 0, 1000, 1, 0);
	chart_done(&c);
	span.limit = CHART_LEAST;
	assert_status(w->ctx, BOB_OK, chart_read(w->p, w->v, w->track, &span,
	    &c));
	assert_int_equal(c.samples, 2);
	assert_true(c.n_box <= CHART_LEAST);
	chart_done(&c);
	close_world(w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_add_up_to_the_whole),
		cmocka_unit_test(times_may_run_backwards),
		cmocka_unit_test(a_frame_lasts_as_long_as_it_is_there),
		cmocka_unit_test(what_is_narrow_is_merged),
		cmocka_unit_test(a_span_cuts_what_it_crosses),
		cmocka_unit_test(what_is_very_deep_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
