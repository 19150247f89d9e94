/*
 * How fast an .rbt stream in memory becomes counts per stack.
 *
 *     bench_decode STACKS MEAN_RUN SAMPLES want|order [ROUNDS]
 *
 * Makes a stream of about SAMPLES compact samples over STACKS stacks of 30
 * frames, in runs of MEAN_RUN on average, decodes it ROUNDS times and prints
 * the best rate. "want" asks for nothing but counts, "order" for all runs in
 * order.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bobbin/bobbin.h>

#define DEPTH 30

struct stream {
	uint8_t *p;
	size_t n, cap;
};

static uint64_t state = 88172645463325252u;

static uint64_t
draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void
put(struct stream *s, unsigned byte)
{
	if (s->n == s->cap) {
		s->cap = s->cap == 0 ? 1 << 20 : s->cap * 2;
		s->p = realloc(s->p, s->cap);
		if (s->p == NULL)
			exit(1);
	}
	s->p[s->n++] = (uint8_t)byte;
}

static void
put_varint(struct stream *s, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put(s, (unsigned)(v & 0x7f) | 0x80);
	put(s, (unsigned)v);
}

/* A length-delimited event of small numbers. */
static void
put_event(struct stream *s, unsigned type, const uint64_t *v, size_t n)
{
	struct stream body = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		put_varint(&body, v[i]);
	put(s, type);
	put_varint(s, body.n);
	for (i = 0; i < body.n; i++)
		put(s, body.p[i]);
	free(body.p);
}

static void
put_definitions(struct stream *s, uint64_t n_stacks)
{
	static const uint8_t header[16] = { 'R', 'E', 'L', 'I', 1, 0, 0, 0,
		0x10, 0x27 };
	uint64_t v[DEPTH + 2], i, k;

	for (i = 0; i < sizeof(header); i++)
		put(s, header[i]);
	put_event(s, 0x0a, (uint64_t[]){ 0 }, 1);
	put_event(s, 0x0a, (uint64_t[]){ 1, 'f' }, 2);
	for (i = 0; i < DEPTH + n_stacks; i++)
		put_event(s, 0x01, (uint64_t[]){ i, 0, 0, 0, 1, 1, i }, 7);
	for (i = 0; i < n_stacks; i++) {
		v[0] = i;
		v[1] = DEPTH;
		v[2] = DEPTH + i;
		for (k = 1; k < DEPTH; k++)
			v[2 + k] = k;
		put_event(s, 0x02, v, DEPTH + 2);
	}
}

static uint64_t
put_samples(struct stream *s, uint64_t n_stacks, uint64_t mean, uint64_t want)
{
	uint64_t n = 0, run;

	while (n < want) {
		put(s, 8);
		put_varint(s, draw() % n_stacks);
		run = mean < 2 ? 0 : draw() % (2 * mean - 1);
		if (run > 0) {
			put(s, 9);
			put_varint(s, run);
		}
		n += 1 + run;
	}
	return n;
}

static uint64_t
number(const char *text)
{
	unsigned long long v = 0;

	(void)sscanf(text, "%llu", &v);
	return v;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t
decode(struct bob_ctx *ctx, const struct stream *s, uint32_t want,
    uint64_t *weight)
{
	struct bob_read_opts o = { .size = sizeof(o), .want = want };
	struct bob_reader *in;
	struct bob_event ev;
	uint64_t n = 0;
	size_t i;

	if (bob_open_memory(ctx, s->p, s->n, "bench.rbt", &o, &in) < 0)
		return 0;
	while (bob_next(in, &ev) == BOB_OK)
		for (i = 0; ev.kind == BOB_EVENT_RUNS && i < ev.n_runs; i++) {
			weight[ev.runs[i].stack] += ev.runs[i].count;
			n += ev.runs[i].count;
		}
	bob_close(in);
	return n;
}

int
main(int argc, char **argv)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct stream s = { 0 };
	uint64_t n_stacks, made, read = 0, *weight;
	uint32_t want;
	int rounds, i;
	double best = 1e9;

	if (argc < 5 || ctx == NULL)
		return 2;
	n_stacks = number(argv[1]);
	want = strcmp(argv[4], "order") == 0 ? BOB_WANT_ORDER : BOB_WANT_NONE;
	rounds = argc > 5 ? (int)number(argv[5]) : 20;
	put_definitions(&s, n_stacks);
	made = put_samples(&s, n_stacks, number(argv[2]), number(argv[3]));
	weight = calloc(n_stacks + DEPTH + 1, sizeof(*weight));
	if (weight == NULL)
		return 1;
	for (i = 0; i < rounds; i++) {
		double t = now();

		read = decode(ctx, &s, want, weight);
		t = now() - t;
		if (t < best)
			best = t;
	}
	printf("%llu samples %zu bytes %.1f M samples/s\n",
	    (unsigned long long)read, s.n, (double)read / best / 1e6);
	free(weight);
	free(s.p);
	bob_ctx_free(ctx);
	return read != made;
}
