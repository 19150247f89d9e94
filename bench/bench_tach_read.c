/*
 * How fast a TACH file in memory becomes counts per stack, and how much of
 * that is zstd.
 *
 *     bench_tach_read FILE [ROUNDS]
 *
 * Reads FILE ROUNDS times, from opening it to its end, tables and all, and
 * prints the best rate; then, for a packed file, the best rate at which libzstd
 * alone unpacks the same bytes. Time is what a clock on the wall shows:
 * unpacking may go on beside decoding.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zstd.h>

#include <bobbin/bobbin.h>

#define HEADER 64
#define OFFSET_OF_TABLES 40 /* dialect 1b */

struct bytes {
	uint8_t *p;
	size_t n;
};

static double
now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct bytes
load(const char *path)
{
	struct bytes b = { 0 };
	FILE *f = fopen(path, "rb");
	long n;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0) {
		perror(path);
		exit(1);
	}
	rewind(f);
	b.n = (size_t)n;
	b.p = malloc(b.n + 1);
	if (b.p == NULL || fread(b.p, 1, b.n, f) != b.n) {
		perror(path);
		exit(1);
	}
	(void)fclose(f);
	return b;
}

struct sums {
	uint64_t *of_stack;
	size_t n;
	uint64_t samples;
};

static void
add(struct sums *s, const struct bob_event *ev)
{
	size_t i;

	for (i = 0; i < ev->n_runs; i++) {
		bob_stack stack = ev->runs[i].stack;

		if (stack >= s->n) {
			size_t n = 2 * ((size_t)stack + 512);

			s->of_stack = realloc(s->of_stack,
			    n * sizeof(*s->of_stack));
			if (s->of_stack == NULL)
				exit(1);
			memset(s->of_stack + s->n, 0,
			    (n - s->n) * sizeof(*s->of_stack));
			s->n = n;
		}
		s->of_stack[stack] += ev->runs[i].count;
		s->samples += ev->runs[i].count;
	}
}

/* Reads all of it; returns the number of samples. */
static uint64_t
read_once(struct bob_ctx *ctx, const struct bytes *b, struct sums *sums)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = "tach",
		.want = BOB_WANT_NONE };
	struct bob_reader *in;
	struct bob_event ev;
	int r;

	sums->samples = 0;
	if (bob_open_memory(ctx, b->p, b->n, "bench", &o, &in) < 0)
		exit(1);
	while ((r = bob_next(in, &ev)) == BOB_OK)
		if (ev.kind == BOB_EVENT_RUNS)
			add(sums, &ev);
	bob_close(in);
	if (r < 0) {
		(void)fprintf(stderr, "%s\n", bob_ctx_error(ctx)->text);
		exit(1);
	}
	return sums->samples;
}

/* Records in the file, by what the reader counts. */
static uint64_t
count_records(struct bob_ctx *ctx, const struct bytes *b)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = "tach",
		.want = BOB_WANT_STATS };
	struct bob_stat v[16];
	struct bob_reader *in;
	struct bob_event ev;
	uint64_t n = 0;
	size_t i, n_stats;

	if (bob_open_memory(ctx, b->p, b->n, "bench", &o, &in) < 0)
		exit(1);
	while (bob_next(in, &ev) == BOB_OK)
		;
	n_stats = bob_reader_stats(in, v, 16);
	for (i = 0; i < n_stats && i < 16; i++)
		n += v[i].n_records;
	bob_close(in);
	return n;
}

/* Seconds for libzstd to unpack the samples into a small buffer; 0 when they
 * are not packed. */
static double
unpack_once(const struct bytes *b)
{
	static uint8_t buf[256 << 10];
	ZSTD_DCtx *z;
	ZSTD_inBuffer in = { b->p, 0, HEADER };
	uint64_t end;
	double start;

	memcpy(&end, b->p + OFFSET_OF_TABLES, sizeof(end));
	if (end > b->n || b->n < HEADER + 4 ||
	    memcmp(b->p + HEADER, "\x28\xb5\x2f\xfd", 4) != 0)
		return 0;
	start = now();
	z = ZSTD_createDCtx();
	in.pos = HEADER;
	in.size = (size_t)end;
	while (in.pos < in.size) {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };

		if (ZSTD_isError(ZSTD_decompressStream(z, &out, &in)))
			exit(1);
	}
	(void)ZSTD_freeDCtx(z);
	return now() - start;
}

int
main(int argc, char **argv)
{
	struct bob_ctx *ctx = bob_ctx_new();
	unsigned rounds = 20, i;
	double best = 1e9, zstd = 1e9, t;
	struct sums sums = { 0 };
	struct bytes b;
	uint64_t n = 0;

	if (argc < 2 || ctx == NULL) {
		(void)fprintf(stderr, "usage: bench_tach_read FILE [ROUNDS]\n");
		return 2;
	}
	if (argc > 2)
		(void)sscanf(argv[2], "%u", &rounds);
	b = load(argv[1]);
	for (i = 0; i < rounds; i++) {
		t = now();
		n = read_once(ctx, &b, &sums);
		t = now() - t;
		best = t < best ? t : best;
		t = unpack_once(&b);
		zstd = t < zstd ? t : zstd;
	}
	(void)printf("%llu samples %llu records %zu bytes %.1f M samples/s "
	    "%.2f M records/s", (unsigned long long)n,
	    (unsigned long long)count_records(ctx, &b), b.n,
	    (double)n / best / 1e6,
	    (double)count_records(ctx, &b) / best / 1e6);
	if (zstd > 0)
		(void)printf(" %.2f times zstd", best / zstd);
	(void)printf("\n");
	free(sums.of_stack);
	free(b.p);
	bob_ctx_free(ctx);
	return 0;
}
