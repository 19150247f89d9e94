/*
 * Profiles and views, compared with counting by hand: random stacks over a
 * few functions, so that recursion is common, are kept as arrays and counted
 * in the most simple-minded way.
 */
#include <stdlib.h>
#include <unistd.h>

#include "core/route.h"
#include "analyze/strip.h"
#include "fault.h"
#include "support.h"

#define N_STACKS 60
#define MAX_DEPTH 7
#define N_FUNCTIONS 6

struct truth {
	unsigned frame[MAX_DEPTH]; /* outermost first */
	unsigned depth, samples;
};

struct world {
	struct bob_ctx *ctx;
	struct truth stack[N_STACKS];
	unsigned samples;
	char path[64];
	struct bob_profile *p;
	struct bob_view *v;
	uint32_t key[N_FUNCTIONS]; /* 0: it does not occur */
};

static unsigned
next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 16;
}

static void
make_world(struct world *w, unsigned seed)
{
	FILE *f;
	unsigned i, k;
	int fd;

	memset(w, 0, sizeof(*w));
	w->ctx = bob_ctx_new();
	(void)snprintf(w->path, sizeof(w->path), "profile-XXXXXX");
	fd = mkstemp(w->path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	for (i = 0; i < N_STACKS; i++) {
		struct truth *s = &w->stack[i];

		s->depth = 1 + next_random(&seed) % MAX_DEPTH;
		s->samples = 1 + next_random(&seed) % 9;
		w->samples += s->samples;
		for (k = 0; k < s->depth; k++) {
			s->frame[k] = next_random(&seed) % N_FUNCTIONS;
			(void)fprintf(f, "%sf%u", k > 0 ? ";" : "",
			    s->frame[k]);
		}
		(void)fprintf(f, " %u\n", s->samples);
	}
	(void)fclose(f);
}

/* Reads the file and makes a view by name. */
static void
open_world(struct world *w)
{
	struct bob_view_opts o = { .size = sizeof(o) };
	uint32_t i;

	o.group = BOB_GROUP_NAME;
	assert_status(w->ctx, BOB_OK, bob_profile_new(w->ctx, NULL, &w->p));
	assert_status(w->ctx, BOB_OK, bob_profile_add(w->p, w->path, 0));
	assert_status(w->ctx, BOB_OK, bob_view_new(w->p, &o, &w->v));
	for (i = 1; i < bob_view_n_keys(w->v); i++) {
		struct bob_key k = bob_view_key(w->v, i);

		assert_int_equal(k.text.n, 2);
		w->key[k.text.p[1] - '0'] = i;
	}
}

static void
close_world(struct world *w)
{
	bob_view_free(w->v);
	bob_profile_free(w->p);
	bob_ctx_free(w->ctx);
	(void)unlink(w->path);
}

static int
occurs(const struct truth *s, unsigned function)
{
	unsigned k;

	for (k = 0; k < s->depth; k++)
		if (s->frame[k] == function)
			return 1;
	return 0;
}

/* Where a function is in a stack; -1: nowhere. */
static int
innermost(const struct truth *s, unsigned function)
{
	int k;

	for (k = (int)s->depth - 1; k >= 0; k--)
		if (s->frame[k] == function)
			return k;
	return -1;
}

static int
outermost(const struct truth *s, unsigned function)
{
	unsigned k;

	for (k = 0; k < s->depth; k++)
		if (s->frame[k] == function)
			return (int)k;
	return -1;
}

static void
tables_count_each_sample_once(void **state)
{
	unsigned seed, f, i;
	struct world w;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		make_world(&w, seed);
		open_world(&w);
		assert_int_equal(bob_view_total(w.v).samples, w.samples);
		for (f = 0; f < N_FUNCTIONS; f++) {
			struct bob_row row = bob_view_row(w.v, w.key[f]);
			uint64_t self = 0, total = 0;

			for (i = 0; i < N_STACKS; i++) {
				const struct truth *s = &w.stack[i];

				if (occurs(s, f))
					total += s->samples;
				if (s->frame[s->depth - 1] == f)
					self += s->samples;
			}
			assert_int_equal(row.self.samples, self);
			assert_int_equal(row.total.samples, total);
		}
		close_world(&w);
	}
}

static void
rows_are_sorted_and_ties_keep_the_order_of_appearance(void **state)
{
	unsigned seed;
	struct world w;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		const struct bob_row *row;
		size_t n, i;
		int order;

		make_world(&w, seed);
		open_world(&w);
		for (order = BOB_BY_SELF; order <= BOB_BY_TOTAL; order++) {
			row = bob_view_rows(w.v, order, &n);
			for (i = 1; i < n; i++) {
				uint64_t a = order == BOB_BY_SELF ?
				    row[i - 1].self.samples :
				    row[i - 1].total.samples;
				uint64_t b = order == BOB_BY_SELF ?
				    row[i].self.samples :
				    row[i].total.samples;

				assert_true(a > b || (a == b &&
				    row[i - 1].first < row[i].first));
			}
		}
		/* The leaf of the first stack was seen first. */
		assert_int_equal(bob_view_row(w.v, w.key[w.stack[0].frame[
		    w.stack[0].depth - 1]]).first, 1);
		close_world(&w);
	}
}

/* Compares callers or callees of one function with counting. */
static void
check_calls(struct world *w, unsigned f, int callers)
{
	uint64_t want[N_FUNCTIONS + 1] = { 0 }, sum = 0, got = 0;
	uint8_t *is = calloc(bob_view_n_keys(w->v), 1);
	struct bob_row *row;
	unsigned i, k;
	size_t n, j;

	is[w->key[f]] = 1;
	for (i = 0; i < N_STACKS; i++) {
		const struct truth *s = &w->stack[i];
		int at = callers ? innermost(s, f) : outermost(s, f);
		int to = callers ? at - 1 : at + 1;

		if (at < 0)
			continue;
		sum += s->samples;
		if (to < 0 || to == (int)s->depth)
			want[N_FUNCTIONS] += s->samples;
		else
			want[s->frame[to]] += s->samples;
	}
	assert_status(w->ctx, BOB_OK, callers ?
	    bob_view_callers(w->v, is, &row, &n) :
	    bob_view_callees(w->v, is, &row, &n));
	for (j = 0; j < n; j++) {
		got += row[j].total.samples;
		if (row[j].key == 0)
			assert_int_equal(row[j].total.samples,
			    want[N_FUNCTIONS]);
		for (k = 0; k < N_FUNCTIONS; k++)
			if (row[j].key != 0 && w->key[k] == row[j].key)
				assert_int_equal(row[j].total.samples,
				    want[k]);
	}
	assert_int_equal(got, sum);
	bob_rows_free(row);
	free(is);
}

static void
callers_are_of_the_innermost_and_callees_of_the_outermost(void **state)
{
	unsigned seed, f;
	struct world w;

	(void)state;
	for (seed = 1; seed <= 20; seed++) {
		make_world(&w, seed);
		open_world(&w);
		for (f = 0; f < N_FUNCTIONS; f++) {
			if (w.key[f] == 0)
				continue;
			check_calls(&w, f, 0);
			check_calls(&w, f, 1);
		}
		close_world(&w);
	}
}

/* Samples of the stacks that have this way from the focus. */
static uint64_t
count_way(const struct world *w, int direction, int focus, const unsigned *way,
    unsigned n)
{
	uint64_t sum = 0;
	unsigned i, k;

	for (i = 0; i < N_STACKS; i++) {
		const struct truth *s = &w->stack[i];
		int at, step = direction == BOB_CALLEES ? 1 : -1;

		if (focus >= 0)
			at = innermost(s, (unsigned)focus) + step;
		else
			at = direction == BOB_CALLEES ? 0 : (int)s->depth - 1;
		if (focus >= 0 && innermost(s, (unsigned)focus) < 0)
			continue;
		for (k = 0; k < n; k++, at += step)
			if (at < 0 || at >= (int)s->depth ||
			    s->frame[at] != way[k])
				break;
		if (k == n)
			sum += s->samples;
	}
	return sum;
}

static unsigned
function_of(const struct world *w, uint32_t key)
{
	unsigned f;

	for (f = 0; f < N_FUNCTIONS; f++)
		if (w->key[f] == key)
			return f;
	fail();
	return 0;
}

static void
check_tree(struct world *w, int direction, int focus)
{
	const struct bob_tree_node *node;
	struct bob_tree *t;
	unsigned way[MAX_DEPTH], depth;
	uint32_t n, i, at;

	assert_status(w->ctx, BOB_OK, bob_view_tree(w->v, direction,
	    focus >= 0 ? w->key[focus] : 0, 0, 0, &t));
	node = bob_tree_nodes(t, &n);
	for (i = 0; i < n; i++) {
		uint64_t below = 0;

		depth = node[i].depth;
		assert_true(depth <= MAX_DEPTH);
		for (at = i; at != 0; at = node[at].parent)
			way[node[at].depth - 1] = function_of(w, node[at].key);
		assert_int_equal(node[i].total.samples,
		    count_way(w, direction, focus, way, depth));
		assert_true(i == 0 || node[i].parent < i);
		for (at = node[i].first_child; at != 0;
		    at = node[at].next_sibling) {
			assert_int_equal(node[at].parent, i);
			below += node[at].total.samples;
			if (node[at].next_sibling != 0)
				assert_true(node[at].total.samples >=
				    node[node[at].next_sibling].total.samples);
		}
		assert_int_equal(node[i].self.samples + below,
		    node[i].total.samples);
	}
	bob_tree_free(t);
}

static void
trees_hold_the_ways_of_all_samples(void **state)
{
	unsigned seed;
	struct world w;
	int f;

	(void)state;
	for (seed = 1; seed <= 10; seed++) {
		make_world(&w, seed);
		open_world(&w);
		for (f = -1; f < N_FUNCTIONS; f++) {
			if (f >= 0 && w.key[f] == 0)
				continue;
			check_tree(&w, BOB_CALLEES, f);
			check_tree(&w, BOB_CALLERS, f);
		}
		close_world(&w);
	}
}

/* Where a tree is cut, what was below does not become self. */
static void
check_self_when_cut(struct world *w, int direction)
{
	const struct bob_tree_node *node;
	struct bob_tree *t;
	uint64_t self = 0, want = 0;
	uint32_t n, i;

	assert_status(w->ctx, BOB_OK, bob_view_tree(w->v, direction, 0, 0, 1,
	    &t));
	node = bob_tree_nodes(t, &n);
	for (i = 1; i < n; i++)
		self += node[i].self.samples;
	for (i = 0; i < N_STACKS; i++)
		if (w->stack[i].depth == 1)
			want += w->stack[i].samples;
	assert_true(want > 0);
	assert_int_equal(self, want);
	bob_tree_free(t);
}

static void
light_and_deep_nodes_stay_in_their_parents_total(void **state)
{
	const struct bob_tree_node *node;
	struct bob_tree *t;
	struct world w;
	uint32_t n, i;
	int direction;

	(void)state;
	make_world(&w, 3);
	open_world(&w);
	for (direction = BOB_CALLEES; direction <= BOB_CALLERS; direction++) {
		assert_status(w.ctx, BOB_OK, bob_view_tree(w.v, direction, 0,
		    10, 2, &t));
		node = bob_tree_nodes(t, &n);
		assert_true(n > 1);
		assert_int_equal(node[0].total.samples, w.samples);
		for (i = 1; i < n; i++) {
			assert_true(node[i].depth <= 2);
			assert_true(node[i].total.samples >= 10);
		}
		bob_tree_free(t);
		check_self_when_cut(&w, direction);
	}
	close_world(&w);
}

static void
a_view_filter_drops_and_hides_as_a_reader_does(void **state)
{
	struct bob_filter f = { .size = sizeof(f), .hide = "^f0 ",
		.match = "^f1 " };
	struct bob_view_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_NAME, .filter = &f };
	struct bob_profile_opts po = { .size = sizeof(po), .filter = &f };
	struct bob_profile *filtered;
	struct bob_view *a, *b;
	struct world w;
	size_t na, nb, i;
	const struct bob_row *ra, *rb;

	(void)state;
	make_world(&w, 5);
	open_world(&w);
	assert_status(w.ctx, BOB_OK, bob_view_new(w.p, &o, &a));
	assert_status(w.ctx, BOB_OK, bob_profile_new(w.ctx, &po, &filtered));
	assert_status(w.ctx, BOB_OK, bob_profile_add(filtered, w.path, 0));
	o.filter = NULL;
	assert_status(w.ctx, BOB_OK, bob_view_new(filtered, &o, &b));
	assert_true(bob_view_total(a).samples > 0);
	assert_true(bob_view_total(a).samples < w.samples);
	assert_int_equal(bob_profile_info(filtered, 0).n_read, w.samples);
	assert_int_equal(bob_profile_info(filtered, 0).n_samples,
	    bob_view_total(a).samples);
	ra = bob_view_rows(a, BOB_BY_TOTAL, &na);
	rb = bob_view_rows(b, BOB_BY_TOTAL, &nb);
	assert_int_equal(na, nb);
	for (i = 0; i < na; i++) {
		struct bob_bytes x = bob_view_key(a, ra[i].key).text;
		struct bob_bytes y = bob_view_key(b, rb[i].key).text;

		assert_int_equal(ra[i].total.samples, rb[i].total.samples);
		assert_int_equal(ra[i].self.samples, rb[i].self.samples);
		assert_int_equal(x.n, y.n);
		assert_memory_equal(x.p, y.p, x.n);
	}
	bob_view_free(a);
	bob_view_free(b);
	bob_profile_free(filtered);
	close_world(&w);
}

static void
a_bad_pattern_is_a_usage_error(void **state)
{
	struct bob_filter f = { .size = sizeof(f), .match = "(" };
	struct bob_profile_opts po = { .size = sizeof(po), .filter = &f };
	struct bob_profile *p = NULL;

	assert_int_equal(bob_profile_new(*state, &po, &p), BOB_FAILED);
	assert_int_equal(bob_ctx_error(*state)->code, BOB_E_USAGE);
	assert_null(p);
}

/* --- time ----------------------------------------------------------------- */

/* Two stacks (1: main, 2: main calling work) of one timed segment; the header
 * says 10 ms. */
static void
put_timed(struct buf *b)
{
	const uint64_t one[] = { 1 }, two[] = { 2, 1 };

	put_header(b, 10000, 1);
	put_string(b, 0, "");
	put_string(b, 1, "main");
	put_string(b, 2, "work");
	put_string(b, 3, "/a.php");
	put_frame(b, 1, 1, 3, 10);
	put_frame(b, 2, 2, 3, 20);
	put_stack(b, 1, one, 1);
	put_stack(b, 2, two, 2);
}

static void
write_buf(const char *path, const struct buf *b)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(b->p, 1, b->n, f), b->n);
	(void)fclose(f);
}

static void
the_time_of_a_sample_is_that_since_the_one_before(void **state)
{
	struct bob_view_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_NAME };
	struct bob_profile_info info;
	struct bob_profile *p;
	struct bob_view *v;
	struct buf b = { 0 };
	size_t n;

	put_timed(&b);
	put_sample(&b, 1, 5000);    /* first of its track: one period */
	put_sample(&b, 2, 12000);   /* 12 ms */
	put_sample(&b, 1, 500000);  /* after a pause: one period */
	put_sample(&b, 1, 9000);    /* 9 ms */
	put_end(&b);
	write_buf("profile-times.rbt", &b);
	assert_status(*state, BOB_OK, bob_profile_new(*state, NULL, &p));
	assert_status(*state, BOB_OK,
	    bob_profile_add(p, "profile-times.rbt", 0));
	info = bob_profile_info(p, 0);
	assert_int_equal(info.basis, BOB_TIME_CLOCK);
	assert_int_equal(info.time_us, 10000 + 12000 + 10000 + 9000);
	assert_int_equal(info.t_last, 521000);
	assert_status(*state, BOB_OK, bob_view_new(p, &o, &v));
	assert_int_equal(bob_view_rows(v, BOB_BY_SELF_TIME, &n)[0].self.time_us,
	    29000);
	assert_int_equal(n, 2);
	assert_int_equal(bob_view_rows(v, BOB_BY_SELF_TIME, &n)[1].self.time_us,
	    12000);
	bob_view_free(v);
	bob_profile_free(p);
	buf_free(&b);
	(void)unlink("profile-times.rbt");
}

/* The same with and without what stands before it. */
static void
a_filter_does_not_change_the_time_of_a_sample(void **state)
{
	struct bob_filter f = { .size = sizeof(f), .match = "^work " };
	struct bob_profile_opts o = { .size = sizeof(o), .filter = &f };
	struct bob_profile_info info;
	struct bob_profile *p;
	struct buf b = { 0 };

	put_timed(&b);
	put_sample(&b, 2, 5000);
	put_sample(&b, 1, 9000);
	put_sample(&b, 2, 12000); /* not the 21 ms since the last one */
	put_end(&b);
	put_header(&b, 250, 0);   /* the last period, of no sample */
	put_end(&b);
	write_buf("profile-times.rbt", &b);
	assert_status(*state, BOB_OK, bob_profile_new(*state, &o, &p));
	assert_status(*state, BOB_OK,
	    bob_profile_add(p, "profile-times.rbt", 0));
	info = bob_profile_info(p, 0);
	assert_int_equal(info.n_samples, 2);
	assert_int_equal(info.time_us, 10000 + 12000);
	assert_int_equal(info.period_us, 10000);
	assert_int_equal(info.last_period_us, 250);
	bob_profile_free(p);
	buf_free(&b);
	(void)unlink("profile-times.rbt");
}

/* Writes a timed segment that began at a date (in seconds), with one sample
 * two seconds later. */
static void
write_dated(const char *path, const char *date_us)
{
	struct buf b = { 0 };

	put_timed(&b);
	put_meta(&b, "profiler.start_us", date_us);
	put_sample(&b, 1, 2000000);
	put_end(&b);
	write_buf(path, &b);
	buf_free(&b);
}

static void
files_with_dates_stand_where_they_belong(void **state)
{
	struct bob_profile_info info;
	struct bob_profile *p;

	/* The second one was begun five seconds after the first. */
	write_dated("profile-a.rbt", "1000000000000000");
	write_dated("profile-b.rbt", "1000000005000000");
	assert_status(*state, BOB_OK, bob_profile_new(*state, NULL, &p));
	assert_status(*state, BOB_OK, bob_profile_add(p, "profile-a.rbt", 0));
	assert_status(*state, BOB_OK, bob_profile_add(p, "profile-b.rbt", 0));
	info = bob_profile_info(p, 0);
	assert_int_equal(info.start_us, 1000000002000000);
	assert_int_equal(info.t_first, 0);
	assert_int_equal(info.t_last, 5000000);
	bob_profile_free(p);
	(void)unlink("profile-a.rbt");
	(void)unlink("profile-b.rbt");
}

static void
a_range_of_time_adds_up_what_is_in_it(void **state)
{
	struct bob_filter f = { .size = sizeof(f), .flags = BOB_FILTER_TIME };
	struct bob_view_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_NAME, .filter = &f };
	struct bob_timeline line;
	struct bob_profile *p;
	struct bob_view *v;
	struct buf b = { 0 };
	uint64_t sum = 0;
	uint32_t i;

	put_timed(&b);
	put_sample(&b, 1, 0);
	for (i = 0; i < 99; i++)
		put_sample(&b, i % 4 == 3 ? 2 : 1, 100000);
	put_end(&b);
	write_buf("profile-range.rbt", &b);
	assert_status(*state, BOB_OK, bob_profile_new(*state, NULL, &p));
	assert_status(*state, BOB_OK,
	    bob_profile_add(p, "profile-range.rbt", 0));
	f.t_from = 2000000;
	f.t_to = 4000000;
	assert_status(*state, BOB_OK, bob_view_new(p, &o, &v));
	assert_int_equal(bob_view_total(v).samples, 20);
	assert_status(*state, BOB_OK, bob_view_timeline(v, 0, &line));
	for (i = 0; i < line.n; i++) {
		sum += line.samples[i];
		if (line.samples[i] > 0)
			assert_in_range(i * line.bin_us, f.t_from -
			    line.bin_us, f.t_to);
	}
	assert_int_equal(sum, 20);
	bob_view_free(v);
	bob_profile_free(p);
	buf_free(&b);
	(void)unlink("profile-range.rbt");
}

/* Of values of one key the last counts; the other side has its own. */
static void
metadata_is_found_by_side_and_key(void **state)
{
	struct bob_profile *p;
	struct buf b = { 0 };

	put_timed(&b);
	put_meta(&b, "host", "first");
	put_meta(&b, "host", "last");
	put_sample(&b, 1, 0);
	put_end(&b);
	write_buf("profile-meta.rbt", &b);
	assert_status(*state, BOB_OK, bob_profile_new(*state, NULL, &p));
	assert_status(*state, BOB_OK,
	    bob_profile_add(p, "profile-meta.rbt", 1));
	assert_string_equal(bob_profile_meta(p, 1, "host"), "last");
	assert_null(bob_profile_meta(p, 0, "host"));
	assert_null(bob_profile_meta(p, 1, "hos"));
	bob_profile_free(p);
	buf_free(&b);
	(void)unlink("profile-meta.rbt");
}

static void
a_followed_file_gives_the_same_as_a_whole_one(void **state)
{
	struct bob_profile_opts po = { .size = sizeof(po),
		.flags = BOB_PROFILE_FOLLOW, .n_last = 2 };
	const struct bob_last *last;
	struct bob_profile *p;
	struct buf b = { 0 };
	size_t n;

	put_timed(&b);
	put_sample(&b, 1, 0);
	put_sample(&b, 2, 10000);
	write_buf("profile-follow.rbt", &b);
	assert_status(*state, BOB_OK, bob_profile_new(*state, &po, &p));
	assert_status(*state, BOB_OK,
	    bob_profile_add(p, "profile-follow.rbt", 0));
	assert_status(*state, BOB_AGAIN, bob_profile_refresh(p));
	put_sample(&b, 2, 10000);
	put_sample(&b, 1, 10000);
	put_end(&b);
	write_buf("profile-follow.rbt", &b);
	assert_status(*state, BOB_OK, bob_profile_refresh(p));
	assert_int_equal(bob_profile_info(p, 0).n_samples, 4);
	assert_int_equal(bob_profile_info(p, 0).time_us, 40000);
	last = bob_profile_last(p, &n);
	assert_int_equal(n, 2);
	assert_int_equal(last[0].time, 20000);
	assert_int_equal(last[1].time, 30000);
	bob_profile_free(p);
	buf_free(&b);
	(void)unlink("profile-follow.rbt");
}

static void
what_is_fed_is_counted_as_what_is_read(void **state)
{
	struct bob_segment segment = { .period_us = 1000 };
	struct bob_event ev = { .kind = BOB_EVENT_SEGMENT,
		.segment = &segment };
	struct bob_frame frame = { .lang = BOB_LANG_PHP };
	struct bob_run run[2] = { { .count = 3 }, { .count = 4 } };
	struct bob_profile_info info;
	struct bob_profile *p;
	struct bob_dict *d;

	assert_status(*state, BOB_OK, bob_profile_new(*state, NULL, &p));
	d = bob_profile_dict(p);
	frame.name = bob_str_put(d, "f", 1);
	run[0].stack = bob_stack_push(d, 0, bob_frame_put(d, &frame));
	run[1].stack = bob_stack_push(d, run[0].stack, 1);
	assert_status(*state, BOB_OK, bob_profile_feed(p, 1, &ev));
	ev = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = run,
		.n_runs = 2 };
	assert_status(*state, BOB_OK, bob_profile_feed(p, 1, &ev));
	assert_status(*state, BOB_OK, bob_profile_feed(p, 1, &ev));
	info = bob_profile_info(p, 1);
	assert_int_equal(info.n_samples, 14);
	assert_int_equal(info.time_us, 14000);
	assert_int_equal(info.n_rows, 2);
	assert_int_equal(bob_profile_info(p, 0).n_samples, 0);
	bob_profile_free(p);
}

static void
memory_is_read_as_a_file_is(void **state)
{
	static const char text[] = "main;a 3\nmain;b 4\n";
	char bytes[sizeof(text)];
	struct bob_profile_opts o = { .size = sizeof(o) };
	struct bob_profile *p;

	memcpy(bytes, text, sizeof(text));
	assert_status(*state, BOB_OK, bob_profile_new(*state, &o, &p));
	assert_status(*state, BOB_OK, bob_profile_add_memory(p, bytes,
	    sizeof(text) - 1, "here", 1));
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(bob_profile_info(p, 1).n_samples, 7);
	assert_int_equal(bob_profile_info(p, 0).n_samples, 0);
	assert_int_equal(bob_profile_add_memory(p, "", 0, "there", 0),
	    BOB_FAILED);
	assert_non_null(strstr(bob_ctx_error(*state)->text, "there"));
	bob_profile_free(p);
}

/* --- the strip ------------------------------------------------------------ */

static void
a_strip_stays_small_and_loses_nothing(void **state)
{
	struct rows rows;
	struct strip s;
	uint64_t sum = 0, added = 0, i;
	unsigned seed = 1;
	size_t k;

	rows_init(&rows, *state, 1);
	strip_init(&s, &rows, 0);
	for (i = 0; i < 40; i++) {
		struct row_key key = { .stack = (bob_stack)i };

		assert_int_equal(rows_of_key(&rows, &key,
		    rows_hash(&rows, &key)), i);
	}
	/* To and fro over seven days, the worst there is. */
	for (i = 0; i < 3000000; i++) {
		uint64_t at = (uint64_t)next_random(&seed) * 10000000;

		assert_status(*state, BOB_OK, strip_add(&s,
		    next_random(&seed) % 40, at, 1));
		added++;
	}
	assert_status(*state, BOB_OK, strip_flush(&s));
	assert_true(s.n_bins <= STRIP_BINS);
	assert_true(s.n <= STRIP_ENTRIES + rows.n);
	for (k = 0; k < s.n; k++) {
		assert_true(s.entry[k].bin < s.n_bins);
		sum += s.entry[k].samples;
	}
	assert_int_equal(sum, added);
	/* As far as times go. */
	assert_status(*state, BOB_OK,
	    strip_add(&s, 3, UINT64_MAX, BOB_MAX_COUNT));
	assert_status(*state, BOB_OK, strip_flush(&s));
	assert_true(s.n_bins <= STRIP_BINS);
	strip_done(&s);
	rows_done(&rows);
}

/* --- routes --------------------------------------------------------------- */

static void
routes_leave_out_what_differs(void **state)
{
	static const struct {
		const char *address, *route;
	} v[] = {
		{ "/users/4711/orders?page=2", "/users/{n}/orders" },
		{ "/files/550e8400-e29b-41d4-a716-446655440000",
		    "/files/{id}" },
		{ "http://shop.example/a/1", "/a/{n}" },
		{ "/", "/" },
		{ "", "" },
		{ "/1/2/3/4", "/{n}/{n}/{n}/{n}" },
		{ "/decade/facade#x", "/decade/facade" },
		{ "/commit/deadbeef01", "/commit/{id}" },
		{ "/t/Zm9vYmFyMTIzNDU2Nzg5MA?x", "/t/{id}" },
		{ "https://host", "" },
		{ "index.php", "index.php" },
	};
	char to[256];
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT_OF(v); i++) {
		n = strlen(v[i].address);
		assert_true(route_room(n) <= sizeof(to));
		n = route_normalise(to, v[i].address, n);
		assert_true(n <= route_room(strlen(v[i].address)));
		to[n] = 0;
		assert_string_equal(to, v[i].route);
	}
}

/* --- failures ------------------------------------------------------------- */

/* All of it with an allocation that fails somewhere. */
static int
use_everything(void *user)
{
	struct world *w = user;
	struct bob_filter f = { .size = sizeof(f), .hide = "^f0 " };
	struct bob_view_opts o = { .size = sizeof(o), .filter = &f };
	struct bob_profile_opts po = { .size = sizeof(po), .n_last = 3,
		.filter = &f, .flags = BOB_PROFILE_REQUESTS };
	struct bob_profile *p = NULL;
	struct bob_view *v = NULL;
	struct bob_tree *t = NULL;
	struct bob_row *row = NULL;
	struct bob_timeline line;
	uint8_t is[N_STACKS * MAX_DEPTH] = { 0, 1 };
	uint32_t key[] = { 1, 2 };
	double self[2], total[2];
	size_t n;
	int r;

	r = bob_profile_new(w->ctx, &po, &p);
	if (r >= 0)
		r = bob_profile_add(p, w->path, 0);
	if (r >= 0)
		r = bob_view_new(p, &o, &v);
	if (r >= 0)
		r = bob_view_rows(v, BOB_BY_TOTAL, &n) != NULL ? 0 : -1;
	if (r >= 0)
		r = bob_view_callers(v, is, &row, &n);
	if (r >= 0)
		r = bob_view_tree(v, BOB_CALLERS, 0, 2, 0, &t);
	if (r >= 0)
		r = bob_view_timeline(v, 1, &line);
	if (r >= 0)
		r = bob_view_clumping(v, key, 2, self, total);
	if (r >= 0)
		r = bob_view_match(v, "f", is);
	bob_rows_free(row);
	bob_tree_free(t);
	bob_view_free(v);
	bob_profile_free(p);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, 1);
	fault_each(use_everything, &w);
	close_world(&w);
}

static void
shares_have_their_error(void **state)
{
	struct bob_share s = bob_share_of(500, 1000, 1);

	(void)state;
	assert_true(s.share > 0.499 && s.share < 0.501);
	assert_true(s.low > 0.469 && s.low < 0.470);
	assert_true(s.high > 0.530 && s.high < 0.531);
	/* Clumps of four are a quarter of the samples. */
	assert_true(bob_share_of(500, 1000, 4).low < 0.440);
	assert_true(bob_share_of(0, 100, 1).low <= 0);
	assert_true(bob_share_of(0, 100, 1).high > 0.03);
	assert_true(bob_share_of(0, 0, 1).high >= 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_count_each_sample_once),
		cmocka_unit_test(
		    rows_are_sorted_and_ties_keep_the_order_of_appearance),
		cmocka_unit_test(
		    callers_are_of_the_innermost_and_callees_of_the_outermost),
		cmocka_unit_test(trees_hold_the_ways_of_all_samples),
		cmocka_unit_test(
		    light_and_deep_nodes_stay_in_their_parents_total),
		cmocka_unit_test(
		    a_view_filter_drops_and_hides_as_a_reader_does),
		cmocka_unit_test_setup_teardown(a_bad_pattern_is_a_usage_error,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    the_time_of_a_sample_is_that_since_the_one_before,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    a_filter_does_not_change_the_time_of_a_sample, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    files_with_dates_stand_where_they_belong, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    a_range_of_time_adds_up_what_is_in_it, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    metadata_is_found_by_side_and_key, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    a_followed_file_gives_the_same_as_a_whole_one, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    what_is_fed_is_counted_as_what_is_read, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(memory_is_read_as_a_file_is,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    a_strip_stays_small_and_loses_nothing, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test(routes_leave_out_what_differs),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(shares_have_their_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
