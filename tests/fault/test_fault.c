/*
 * Every allocation and every system call fails in turn: the first, the
 * second, and so on, once or from then on, until a run of the scenario is not
 * touched any more. After each:
 *
 * - a failure was reported, with a text, or nothing was lost: the output is
 *   byte for byte what it is without a fault;
 * - a file that was there before is whole, old or new;
 * - no descriptor and (by the leak sanitizer) no memory is lost.
 */
#include "salvage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject.h"

#define OLD "what was there before"
#define N_LARGE 40 /* samples */
/* Above this many steps something fails for ever. */
#define MAX_STEPS 20000

struct stage {
	struct bob_ctx *ctx;
	char dir[64];
	char in[2][96];   /* a raw and a packed trace */
	char damaged[96];
	char text[96];
	char big[96];     /* large enough for two threads */
	char tach[96];
	struct buf large; /* a TACH file with long names */
	char out[96], part[128];
};

struct scenario {
	const char *name;
	int (*run)(struct stage *st);
	int replaces_early; /* something new is there before the end */
};

static void
write_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static bob_stack
make_stack(struct bob_dict *d, unsigned i)
{
	struct bob_frame f = { .where = 3, .lang = BOB_LANG_PHP };
	char name[32];
	int n = snprintf(name, sizeof(name), "App\\C::m%u", i);
	bob_fid frame;

	f.file = bob_str_put(d, "/app/a.php", 10);
	if (bob_frame_set_php_name(d, &f, name, (size_t)n) < 0 ||
	    f.file == BOB_NO_ID)
		return BOB_NO_ID;
	frame = bob_frame_put(d, &f);
	return frame == BOB_NO_ID ? BOB_NO_ID : bob_stack_push(d, 0, frame);
}

/* One sample with all that a sample may have. */
static int
write_sample(struct bob_writer *w, unsigned i)
{
	struct bob_dict *d = bob_writer_dict(w);
	struct bob_track track = { .pid = 100 + i % 3,
		.flags = BOB_TRACK_PID };
	struct bob_pair pair = { bob_str_put(d, "k", 1),
		bob_str_put(d, &i, sizeof(i)) };
	struct bob_run run = { .count = 1 + i % 4,
		.stack = make_stack(d, i % 20),
		.track = bob_track_put(d, &track) };

	if (pair.key == BOB_NO_ID || pair.value == BOB_NO_ID)
		return BOB_FATAL;
	run.annot = i % 2 == 0 ? 0 : bob_annot_put(d, &pair, 1);
	if (run.stack == BOB_NO_ID || run.track == BOB_NO_ID ||
	    run.annot == BOB_NO_ID)
		return BOB_FATAL;
	return bob_write_runs(w, &run, 1);
}

/* A trace of three segments. */
static int
write_as(struct stage *st, const struct bob_target *to, const char *format,
    const struct bob_option *options, size_t n_options)
{
	struct bob_write_opts o = { .size = sizeof(o),
		.format = format,
		.options = options,
		.n_options = n_options };
	struct bob_segment segment = { .period_us = 1000 };
	struct bob_writer *w = NULL;
	unsigned i;
	int r;

	r = bob_create(st->ctx, to, &o, &w);
	if (r < 0)
		return r;
	for (i = 0; i < 90 && r == BOB_OK; i++) {
		if (i % 30 == 0)
			r = bob_write_segment(w, &segment);
		if (r == BOB_OK)
			r = write_sample(w, i);
		if (r == BOB_OK && i % 25 == 24)
			r = bob_barrier(w, 1);
	}
	if (r == BOB_OK)
		return bob_finish(w);
	bob_discard(w);
	return r;
}

static int
write_trace(struct stage *st, const struct bob_target *to,
    const struct bob_option *options, size_t n_options)
{
	return write_as(st, to, "rbt", options, n_options);
}

static int
writing(struct stage *st)
{
	struct bob_target to = { .path = st->out };

	return write_trace(st, &to, NULL, 0);
}

static int
writing_packed(struct stage *st)
{
	struct bob_target to = { .path = st->out };
	struct bob_option o = { "compress", NULL };

	return write_trace(st, &to, &o, 1);
}

static int
writing_live(struct stage *st)
{
	struct bob_target to = { .path = st->out, .flags = BOB_TARGET_LIVE };

	return write_trace(st, &to, NULL, 0);
}

static int
writing_live_packed(struct stage *st)
{
	struct bob_target to = { .path = st->out, .flags = BOB_TARGET_LIVE };
	struct bob_option o = { "compress", NULL };

	return write_trace(st, &to, &o, 1);
}

static int
writing_tach(struct stage *st)
{
	struct bob_target to = { .path = st->out };

	return write_as(st, &to, "tach", NULL, 0);
}

/* The output is PATH.part until it is whole. */
static int
writing_tach_live(struct stage *st)
{
	struct bob_target to = { .path = st->out, .flags = BOB_TARGET_LIVE };

	return write_as(st, &to, "tach", NULL, 0);
}

static int
collect(void *user, const void *p, size_t n)
{
	struct buf *b = user;

	assert_true(n <= b->cap - b->n);
	memcpy(b->p + b->n, p, n);
	b->n += n;
	return 0;
}

/* The output is a temporary file until it is whole. */
static int
writing_tach_where_nothing_can_be_patched(struct stage *st)
{
	static uint8_t room[1 << 16];
	struct buf all = { .p = room, .cap = sizeof(room) };
	struct bob_target to = { .write = collect, .user = &all };
	int r = write_as(st, &to, "tach", NULL, 0);

	if (r == BOB_OK)
		write_file(st->out, all.p, all.n);
	return r;
}

static int
hand_over(void *user, uint64_t index, struct bob_target *ret)
{
	struct stage *st = user;

	(void)index;
	ret->path = st->out;
	return 0;
}

static int
writing_to_one_output_after_the_other(struct stage *st)
{
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.next_output = hand_over,
		.next_user = st };
	struct bob_segment segment = { .period_us = 1000 };
	struct bob_writer *w = NULL;
	unsigned i;
	int r;

	r = bob_create(st->ctx, NULL, &o, &w);
	if (r < 0)
		return r;
	for (i = 0; i < 3 && r == BOB_OK; i++) {
		r = bob_write_segment(w, &segment);
		if (r == BOB_OK)
			r = write_sample(w, i);
	}
	if (r == BOB_OK)
		return bob_finish(w);
	bob_discard(w);
	return r;
}

/* Reads to the end, and closes. */
static int
read_all(struct bob_reader *in, uint64_t want)
{
	struct bob_event ev;
	uint64_t n = 0;
	size_t i;
	int r;

	while ((r = bob_next(in, &ev)) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			n += ev.runs[i].count;
	bob_close(in);
	if (r == BOB_EOF && n != want)
		fail_msg("%llu samples, not %llu, when %s failed",
		    (unsigned long long)n, (unsigned long long)want,
		    inject_where());
	return r < 0 ? r : BOB_OK;
}

/* 90 runs of 1, 2, 3, 4, 1, 2 ... */
#define N_SAMPLES 223

static int
reading(struct stage *st)
{
	struct bob_reader *in;
	size_t k;
	int r = BOB_OK;

	for (k = 0; k < 2 && r == BOB_OK; k++) {
		r = bob_open(st->ctx, st->in[k], NULL, &in);
		if (r == BOB_OK)
			r = read_all(in, N_SAMPLES);
	}
	return r;
}

static int
reading_tach(struct stage *st)
{
	struct bob_reader *in;
	int r = bob_open(st->ctx, st->tach, NULL, &in);

	return r < 0 ? r : read_all(in, N_SAMPLES);
}

/* More than is kept in memory. */
static int
reading_a_tach_pipe(struct stage *st)
{
	struct chunks c = { .p = st->large.p, .n = st->large.n,
		.step = 64 << 10 };
	struct bob_reader *in;
	int r = bob_open_fn(st->ctx, chunks_read, &c, "pipe", NULL, &in);

	return r < 0 ? r : read_all(in, N_LARGE);
}

static int
convert(struct stage *st, const char *to, const char *const *inputs,
    size_t n, uint32_t flags, unsigned threads)
{
	struct bob_target target = { .path = st->out };
	struct bob_filter filter = { .size = sizeof(filter),
		.match = "C::m[0-9]",
		.hide = "m17" };
	struct bob_convert c = { .size = sizeof(c),
		.inputs = inputs,
		.n_inputs = n,
		.output = &target,
		.to = to,
		.filter = flags == 0 && threads == 1 ? &filter : NULL,
		.threads = threads,
		.flags = flags };
	int r = bob_convert(st->ctx, &c, NULL);

	/* Gaps are what recovery is for. */
	return r == BOB_WARN ? BOB_OK : r;
}

static int
converting(struct stage *st)
{
	const char *in[] = { st->in[0], st->in[1] };

	return convert(st, "rbt", in, 2, 0, 1);
}

static int
converting_to_phpspy(struct stage *st)
{
	const char *in[] = { st->in[1] };

	return convert(st, "phpspy", in, 1, 0, 1);
}

static int
converting_from_phpspy(struct stage *st)
{
	const char *in[] = { st->text };

	return convert(st, "rbt", in, 1, 0, 1);
}

static int
converting_to_folded(struct stage *st)
{
	const char *in[] = { st->in[0], st->in[1] };

	return convert(st, "folded", in, 2, 0, 1);
}

static int
converting_with_threads(struct stage *st)
{
	const char *in[] = { st->big };

	return convert(st, "folded", in, 1, 0, 2);
}

static int
recovering(struct stage *st)
{
	const char *in[] = { st->damaged };

	return convert(st, "rbt", in, 1, BOB_CONVERT_RECOVER, 1);
}

static int
recovering_exactly(struct stage *st)
{
	const char *in[] = { st->damaged };

	return convert(st, "rbt", in, 1,
	    BOB_CONVERT_RECOVER | BOB_CONVERT_EXACT, 1);
}

/* A few samples of functions with names of 60 kB. */
static void
make_large(struct stage *st)
{
	const char *in[] = { st->big };
	struct bob_option raw = { "compression", "none" };
	struct bob_target to = { .path = st->out };
	struct bob_convert c = { .size = sizeof(c),
		.inputs = in,
		.n_inputs = 1,
		.output = &to,
		.to = "tach",
		.options = &raw,
		.n_options = 1 };

	assert_status(st->ctx, BOB_OK, bob_convert(st->ctx, &c, NULL));
	load_file(st->out, &st->large);
	assert_true(st->large.n > 1 << 20);
}

/* Everything that scenarios read. */
static void
make_inputs(struct stage *st)
{
	struct bob_target to = { .path = st->in[0] };
	struct bob_option pack = { "compress", NULL };
	static char name[60001];
	struct buf b = { 0 };
	size_t i;

	assert_status(st->ctx, BOB_OK, write_trace(st, &to, NULL, 0));
	to.path = st->in[1];
	assert_status(st->ctx, BOB_OK, write_trace(st, &to, &pack, 1));
	load_file(st->in[0], &b);
	memset(b.p + b.n / 2, 0xee, 12);
	write_file(st->damaged, b.p, b.n);
	b.n = 0;
	for (i = 0; i < 30; i++)
		put_text(&b, "0 App\\C::m2 /app/a.php:3\n# k = v\n\n");
	write_file(st->text, b.p, b.n);
	b.n = 0;
	memset(name, 'x', sizeof(name) - 1);
	for (i = 0; i < 40; i++) {
		static const uint64_t frames[] = { 0 };

		name[0] = (char)('a' + i % 26);
		put_header(&b, 1000, 0);
		put_string(&b, 0, "");
		put_string(&b, 1, name);
		put_frame(&b, 0, 1, 0, 7);
		put_stack(&b, 0, frames, 1);
		put_compact(&b, 0);
		put_end(&b);
	}
	write_file(st->big, b.p, b.n);
	buf_free(&b);
	to.path = st->tach;
	assert_status(st->ctx, BOB_OK, write_as(st, &to, "tach", NULL, 0));
	make_large(st);
}

static unsigned
n_entries(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	(void)closedir(d);
	return n;
}

/* What was written before the failure can be read to its end. */
static void
check_sound(struct stage *st)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = "rbt" };
	struct buf trace = { 0 };
	struct bob_reader *in;
	struct bob_event ev;
	char side[128];
	int r;

	salvage(st->out, &trace);
	assert_status(st->ctx, BOB_OK,
	    bob_open_memory(st->ctx, trace.p, trace.n, "live", &o, &in));
	while ((r = bob_next(in, &ev)) == BOB_OK)
		;
	assert_status(st->ctx, BOB_EOF, r);
	bob_close(in);
	buf_free(&trace);
	(void)snprintf(side, sizeof(side), "%s.live", st->out);
	(void)unlink(side);
}

/* A part file that was left is worth something, and goes. */
static void
check_part(struct stage *st)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.flags = BOB_READ_RECOVER };
	struct bob_reader *in;
	struct bob_event ev;
	char side[160];
	int r;

	(void)snprintf(side, sizeof(side), "%s.defs", st->part);
	if (access(st->part, F_OK) < 0) {
		if (access(side, F_OK) == 0)
			fail_msg("names without samples when %s failed",
			    inject_where());
		return;
	}
	assert_status(st->ctx, BOB_OK, bob_open(st->ctx, st->part, &o, &in));
	while ((r = bob_next(in, &ev)) == BOB_OK)
		;
	assert_status(st->ctx, BOB_EOF, r);
	bob_close(in);
	(void)unlink(st->part);
	(void)unlink(side);
}

/* Removes what a failed unlink(2) left behind. */
static void
sweep(struct stage *st)
{
	DIR *d = opendir(st->dir);
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		if (strstr(e->d_name, ".tmp-") != NULL ||
		    strstr(e->d_name, ".live") != NULL ||
		    strstr(e->d_name, ".part") != NULL)
			(void)unlinkat(dirfd(d), e->d_name, 0);
	(void)closedir(d);
}

static int
is_same(const struct buf *b, const void *p, size_t n)
{
	return b->n == n && memcmp(b->p, p, n) == 0;
}

/* The output as it must be after a run that ended with r. */
static void
check_output(struct stage *st, const struct scenario *s, int r,
    const struct buf *want)
{
	struct buf got = { 0 };
	int is_old;

	if (r >= BOB_OK) {
		load_file(st->out, &got);
		if (!is_same(&got, want->p, want->n))
			fail_msg("%s: another output, and no error, when %s "
			    "failed", s->name, inject_where());
	} else {
		const struct bob_error *e = bob_ctx_error(st->ctx);

		assert_true(e->status < BOB_OK);
		assert_true(e->text[0] != '\0');
		if (e->code == BOB_E_NONE || e->code == BOB_E_CORRUPT)
			fail_msg("%s: '%s' when %s failed", s->name, e->text,
			    inject_where());
	}
	if (r < BOB_OK) {
		load_file(st->out, &got);
		is_old = is_same(&got, OLD, strlen(OLD));
		if (!is_old && s->replaces_early)
			check_sound(st);
		else
			assert_true(is_old ||
			    is_same(&got, want->p, want->n));
	}
	buf_free(&got);
}

/* One run with the n-th call failing; 0 when it was not touched. */
static int
step(struct stage *st, const struct scenario *s, enum inject kind,
    unsigned long n, int lasting, const struct buf *want)
{
	unsigned n_files, n_fds = n_entries("/proc/self/fd");
	int r, touched;

	write_file(st->out, OLD, strlen(OLD));
	n_files = n_entries(st->dir);
	inject_arm(kind, n, lasting);
	r = s->run(st);
	touched = inject_disarm();
	if (r < BOB_OK && !touched)
		fail_msg("%s: %s", s->name, bob_ctx_error(st->ctx)->text);
	check_output(st, s, r, want);
	if (strcmp(inject_where(), "unlinkat") == 0 || lasting)
		sweep(st);
	else if (r < BOB_OK)
		check_part(st);
	if (n_entries(st->dir) != n_files)
		fail_msg("%s: a file is left when %s %lu failed", s->name,
		    inject_where(), n);
	if (n_entries("/proc/self/fd") != n_fds)
		fail_msg("%s: a descriptor is left when %s %lu failed",
		    s->name, inject_where(), n);
	return touched;
}

static void
fail_each(void **state, const struct scenario *s)
{
	struct stage *st = *state;
	struct buf want = { 0 };
	unsigned long n;
	int kind, lasting;

	write_file(st->out, OLD, strlen(OLD));
	assert_status(st->ctx, BOB_OK, s->run(st));
	load_file(st->out, &want);
	for (kind = 0; kind < N_INJECT; kind++)
		for (lasting = 0; lasting < 2; lasting++) {
			for (n = 1; step(st, s, (enum inject)kind, n, lasting,
			         &want); n++)
				assert_true(n < MAX_STEPS);
			/* Writers read nothing that could be short. */
			if (n == 1 && kind != INJECT_SHORT)
				fail_msg("%s: nothing could fail", s->name);
		}
	buf_free(&want);
}

static int
setup(void **state)
{
	struct stage *st = calloc(1, sizeof(*st));

	if (st == NULL)
		return -1;
	st->ctx = bob_ctx_new();
	(void)snprintf(st->dir, sizeof(st->dir), "/tmp/test-fault-XXXXXX");
	if (st->ctx == NULL || mkdtemp(st->dir) == NULL)
		return -1;
	(void)snprintf(st->in[0], sizeof(st->in[0]), "%s/a.rbt", st->dir);
	(void)snprintf(st->in[1], sizeof(st->in[1]), "%s/b.rbt.gz", st->dir);
	(void)snprintf(st->damaged, sizeof(st->damaged), "%s/d.rbt", st->dir);
	(void)snprintf(st->text, sizeof(st->text), "%s/t.txt", st->dir);
	(void)snprintf(st->big, sizeof(st->big), "%s/big.rbt", st->dir);
	(void)snprintf(st->tach, sizeof(st->tach), "%s/a.tach", st->dir);
	(void)snprintf(st->out, sizeof(st->out), "%s/out", st->dir);
	(void)snprintf(st->part, sizeof(st->part), "%s.part", st->out);
	make_inputs(st);
	*state = st;
	return 0;
}

static int
teardown(void **state)
{
	struct stage *st = *state;

	(void)unlink(st->in[0]);
	(void)unlink(st->in[1]);
	(void)unlink(st->damaged);
	(void)unlink(st->text);
	(void)unlink(st->big);
	(void)unlink(st->tach);
	(void)unlink(st->out);
	buf_free(&st->large);
	(void)rmdir(st->dir);
	bob_ctx_free(st->ctx);
	free(st);
	return 0;
}

#define SCENARIO(fn, early)                                                  \
	static void fn##_survives_any_failure(void **state)                  \
	{                                                                    \
		static const struct scenario s = { #fn, fn, early };         \
                                                                             \
		fail_each(state, &s);                                        \
	}

SCENARIO(writing, 0)
SCENARIO(writing_packed, 0)
SCENARIO(writing_live, 1)
SCENARIO(writing_live_packed, 1)
SCENARIO(writing_to_one_output_after_the_other, 1)
SCENARIO(writing_tach, 0)
SCENARIO(writing_tach_live, 0)
SCENARIO(writing_tach_where_nothing_can_be_patched, 0)
SCENARIO(reading, 0)
SCENARIO(reading_tach, 0)
SCENARIO(reading_a_tach_pipe, 0)
SCENARIO(converting, 0)
SCENARIO(converting_to_phpspy, 0)
SCENARIO(converting_from_phpspy, 0)
SCENARIO(converting_to_folded, 0)
SCENARIO(converting_with_threads, 0)
SCENARIO(recovering, 0)
SCENARIO(recovering_exactly, 0)

#define TEST(fn)                                                             \
	cmocka_unit_test_setup_teardown(fn##_survives_any_failure, setup,    \
	    teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writing),
		TEST(writing_packed),
		TEST(writing_live),
		TEST(writing_live_packed),
		TEST(writing_to_one_output_after_the_other),
		TEST(writing_tach),
		TEST(writing_tach_live),
		TEST(writing_tach_where_nothing_can_be_patched),
		TEST(reading),
		TEST(reading_tach),
		TEST(reading_a_tach_pipe),
		TEST(converting),
		TEST(converting_to_phpspy),
		TEST(converting_from_phpspy),
		TEST(converting_to_folded),
		TEST(converting_with_threads),
		TEST(recovering),
		TEST(recovering_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
