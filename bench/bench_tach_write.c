/*
 * How fast TACH is written: the samples of a profile, one by one, from memory
 * through the public API into nothing.
 *
 *     bench_tach_write FILE [ROUNDS [THREADS]]
 *
 * prints the best of ROUNDS (5):
 *
 *     NAME  COMPRESSION  samples/s  bytes per sample
 *
 * By processor time, which a busy machine disturbs less. With THREADS, the
 * samples are dealt out to that many threads, each of which goes through the
 * profile from a place of its own.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bobbin/bobbin.h>

enum { BATCH = 512 };

/* A profile as single samples. */
struct profile {
	struct bob_dict *dict;
	struct bob_segment segment;
	struct bob_run *v;
	size_t n, cap;
};

static double
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int
fail(struct bob_ctx *ctx, const char *what)
{
	(void)fprintf(stderr, "bench_tach_write: %s\n",
	    ctx != NULL ? bob_ctx_error(ctx)->text : what);
	return -1;
}

static int
add_run(struct profile *p, const struct bob_run *run)
{
	struct bob_run one = *run;
	uint64_t i;

	if (p->cap - p->n < run->count) {
		p->cap = (p->n + run->count) * 2;
		p->v = realloc(p->v, p->cap * sizeof(*p->v));
		if (p->v == NULL)
			return -1;
	}
	one.count = 1;
	one.dt = NULL;
	for (i = 0; i < run->count; i++) {
		if (i > 0 && run->dt != NULL)
			one.t_first += run->dt[i - 1];
		one.t_last = one.t_first;
		p->v[p->n++] = one;
	}
	return 0;
}

static int
load(struct bob_ctx *ctx, const char *path, struct profile *p)
{
	struct bob_read_opts o = { .size = sizeof(o) };
	struct bob_reader *in;
	struct bob_event ev;
	size_t i;
	int r;

	p->dict = o.dict = bob_dict_new(ctx);
	if (p->dict == NULL || bob_open(ctx, path, &o, &in) < 0)
		return fail(ctx, NULL);
	while ((r = bob_next(in, &ev)) == BOB_OK) {
		if (ev.kind == BOB_EVENT_SEGMENT)
			p->segment = *ev.segment;
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++)
			if (add_run(p, &ev.runs[i]) < 0)
				return fail(NULL, "out of memory");
	}
	bob_close(in);
	return r == BOB_EOF && p->n > 0 ? 0 : fail(ctx, NULL);
}

/* As many samples again, of n threads in turn. */
static int
deal_out(struct profile *p, size_t n_threads)
{
	struct bob_run *v = malloc(p->n * sizeof(*v));
	struct bob_track track = { .flags = BOB_TRACK_TID };
	size_t i, thread;

	if (v == NULL)
		return fail(NULL, "out of memory");
	for (i = 0; i < p->n; i++) {
		thread = i % n_threads;
		v[i] = p->v[(i / n_threads + thread * 7919) % p->n];
		track.tid = 1000 + thread;
		v[i].track = bob_track_put(p->dict, &track);
		v[i].t_first = v[i].t_last = p->segment.t_begin +
		    i / n_threads * p->segment.period_us;
	}
	free(p->v);
	p->v = v;
	return 0;
}

static int
swallow(void *user, const void *p, size_t n)
{
	(void)p;
	*(uint64_t *)user += n;
	return 0;
}

static int
swallow_patch(void *user, uint64_t at, const void *p, size_t n)
{
	(void)user;
	(void)at;
	(void)p;
	(void)n;
	return 0;
}

static int
write_once(struct bob_ctx *ctx, const struct profile *p,
    const char *compression, double *seconds, uint64_t *bytes)
{
	struct bob_target to = { .write = swallow, .patch = swallow_patch,
		.user = bytes };
	struct bob_option option = { "compression", compression };
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach",
		.options = &option, .n_options = 1, .dict = p->dict };
	struct bob_writer *w;
	size_t i, n;
	double start = now();

	*bytes = 0;
	if (bob_create(ctx, &to, &o, &w) < 0 ||
	    bob_write_segment(w, &p->segment) < 0)
		return fail(ctx, NULL);
	for (i = 0; i < p->n; i += n) {
		n = p->n - i < BATCH ? p->n - i : BATCH;
		if (bob_write_runs(w, p->v + i, n) < 0)
			return fail(ctx, NULL);
	}
	if (bob_finish(w) < 0)
		return fail(ctx, NULL);
	*seconds = now() - start;
	return 0;
}

static int
measure(struct bob_ctx *ctx, const struct profile *p, const char *name,
    const char *compression, unsigned rounds)
{
	double best = 0, seconds;
	uint64_t bytes = 0;
	unsigned i;

	for (i = 0; i < rounds; i++) {
		if (write_once(ctx, p, compression, &seconds, &bytes) < 0)
			return -1;
		if (i == 0 || seconds < best)
			best = seconds;
	}
	(void)printf("tach write %-20s %-4s %7.2f M samples/s %6.2f "
	    "bytes/sample\n", name, compression, (double)p->n / best / 1e6,
	    (double)bytes / (double)p->n);
	return 0;
}

int
main(int argc, char **argv)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct profile p = { 0 };
	unsigned rounds = 5;
	size_t n_threads = 0;
	const char *name;
	int r;

	if (argc < 2 || (argc > 2 && sscanf(argv[2], "%u", &rounds) != 1) ||
	    (argc > 3 && sscanf(argv[3], "%zu", &n_threads) != 1)) {
		(void)fprintf(stderr,
		    "usage: bench_tach_write FILE [ROUNDS [THREADS]]\n");
		return 2;
	}
	if (ctx == NULL || load(ctx, argv[1], &p) < 0)
		return 1;
	name = strrchr(argv[1], '/');
	name = name == NULL ? argv[1] : name + 1;
	r = n_threads == 0 ? 0 : deal_out(&p, n_threads);
	if (r == 0)
		r = measure(ctx, &p, name, "none", rounds);
	if (r == 0)
		r = measure(ctx, &p, name, "zstd", rounds);
	free(p.v);
	bob_dict_free(p.dict);
	bob_ctx_free(ctx);
	return r < 0;
}
