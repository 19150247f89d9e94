/*
 * How fast .rbt is written: batches of runs over 400 stacks of 30 frames,
 * through the public API, to /dev/null. Prints one line per kind of trace:
 *
 *     NAME  samples/s  bytes per sample  write(2) calls  bytes per call
 *
 * By processor time, which a busy machine disturbs less. With a number, that
 * many million samples per line (default 50).
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <bobbin/bobbin.h>

enum { N_STACKS = 400, DEPTH = 30, BATCH = 512 };

enum kind { PLAIN = 0, RUNS = 1, TIMED = 2, PIDS = 4, NOTES = 8 };

static const struct {
	const char *name;
	unsigned kind;
} lines[] = {
	{ "compact, runs of 1", PLAIN },
	{ "compact, runs of 20", RUNS },
	{ "timestamps", TIMED },
	{ "pids", PIDS },
	{ "annotations", NOTES },
};

static double
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* write(2) calls of this process so far. */
static uint64_t
n_writes(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	char line[80];
	uint64_t n = 0;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		(void)sscanf(line, "syscw: %" SCNu64, &n);
	if (f != NULL)
		(void)fclose(f);
	return n;
}

static int
fail(struct bob_ctx *ctx)
{
	(void)fprintf(stderr, "bench_write: %s\n", bob_ctx_error(ctx)->text);
	return 1;
}

static bob_stack
make_stack(struct bob_dict *d, unsigned i)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	bob_stack s = 0;
	char name[64];
	unsigned k;

	f.file = bob_str_put(d, "/app/src/Kernel.php", 19);
	for (k = 0; k < DEPTH; k++) {
		int n = snprintf(name, sizeof(name), "App\\Step%u::run%u", k,
		    k < DEPTH / 2 ? 0 : i);

		f.where = (int64_t)k * 10;
		(void)bob_frame_set_php_name(d, &f, name, (size_t)n);
		s = bob_stack_push(d, s, bob_frame_put(d, &f));
	}
	return s;
}

/* A batch whose neighbours differ. */
static void
fill(struct bob_dict *d, struct bob_run *runs, unsigned kind)
{
	struct bob_track track = { .flags = BOB_TRACK_PID };
	struct bob_pair pair = { bob_str_put(d, "query", 5), 0 };
	bob_stack stacks[N_STACKS];
	uint32_t x = 1, i;

	for (i = 0; i < N_STACKS; i++)
		stacks[i] = make_stack(d, i);
	for (i = 0; i < BATCH; i++) {
		x = x * 1664525 + 1013904223;
		runs[i] = (struct bob_run){ .count = kind & RUNS ? 20 : 1,
			.stack = stacks[(x >> 8) % N_STACKS] };
		track.pid = 1000 + i % 8;
		pair.value = bob_str_put(d, &x, sizeof(x));
		if (kind & TIMED)
			runs[i].flags = BOB_RUN_TIMED;
		if (kind & PIDS)
			runs[i].track = bob_track_put(d, &track);
		if (kind & NOTES)
			runs[i].annot = bob_annot_put(d, &pair, 1);
	}
}

static int
measure(struct bob_ctx *ctx, const char *name, unsigned kind, uint64_t want)
{
	struct bob_target to = { .path = "/dev/null" };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };
	struct bob_segment segment = { .period_us = 10000,
		.flags = kind & TIMED ? BOB_SEGMENT_TIMED : 0 };
	static struct bob_run runs[BATCH];
	uint64_t n = 0, writes = n_writes(), bytes, t = 0;
	struct bob_writer *w;
	double start;
	unsigned i;

	if (bob_create(ctx, &to, &o, &w) < 0)
		return fail(ctx);
	fill(bob_writer_dict(w), runs, kind);
	start = now();
	if (bob_write_segment(w, &segment) < 0)
		return fail(ctx);
	while (n < want) {
		if (kind & TIMED)
			for (i = 0; i < BATCH; i++)
				runs[i].t_first = runs[i].t_last = t += 10003;
		if (bob_write_runs(w, runs, BATCH) < 0)
			return fail(ctx);
		n += BATCH * runs[0].count;
	}
	if (bob_barrier(w, 0) < 0)
		return fail(ctx);
	start = now() - start;
	bytes = bob_writer_bytes(w);
	writes = n_writes() - writes;
	if (bob_finish(w) < 0)
		return fail(ctx);
	(void)printf("write %-20s %7.1f M samples/s %6.2f bytes/sample "
	    "%6" PRIu64 " writes of %" PRIu64 " bytes\n", name,
	    (double)n / start / 1e6, (double)bytes / (double)n, writes,
	    bytes / (writes + !writes));
	return 0;
}

int
main(int argc, char **argv)
{
	struct bob_ctx *ctx = bob_ctx_new();
	uint64_t millions = 50;
	size_t i;
	int r = 0;

	if (argc > 1 && sscanf(argv[1], "%" SCNu64, &millions) != 1)
		return 2;
	if (ctx == NULL)
		return 1;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]) && r == 0; i++)
		r = measure(ctx, lines[i].name, lines[i].kind,
		    millions * 1000000);
	bob_ctx_free(ctx);
	return r;
}
