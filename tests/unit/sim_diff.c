/*
 * What bob_diff says about recordings of programs whose truth is known: how
 * often the gate fires when nothing has changed, how often when something has
 * become slower, how often the verdict is that something changed, and how often
 * the 95 % intervals hold the true difference.
 *
 *     sim_diff [RUNS [SEED [WORD]]]
 *
 * Prints a row for each kind of program, or for those with WORD in the name.
 * The exit status is 1 when a rate is worse than docs/diff.md says, by more
 * than chance explains.
 *
 * A program has FUNCTIONS functions below a few modules, the i-th with a share
 * of about 1 / (i + 2). Recordings go through files and the whole library.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/bobbin.h>

#define FUNCTIONS 60u
#define MODULES 7u
#define PHASES 4u
#define CHECKED 20u /* functions whose intervals are checked */

/* How a program runs, and what was done to it. */
struct scene {
	const char *name;
	unsigned samples;
	double clump;    /* mean samples in a row of one function */
	double request;  /* mean samples of a request, of MODULES kinds; 0:
	                  * there are none */
	int has_phases;  /* one after the other, each with its functions */
	int victim;      /* the function that is slower after; -1: none */
	double slower;   /* by this part of the whole time */
	double limit;    /* of the gate */
	double at_least; /* how often it must fire */
	double at_most;
};

/* The largest function is slower by what the verdict of a comparison without a
 * change has called findable. */
#define FINDABLE "slower by what can be found"

/* How often such a change must be found, and how often any change may be found
 * when there is none. */
#define FOUND 0.9
#define FALSE_ALARMS BOB_SIGNIFICANT

static const struct scene scenes[] = {
	{ "independent", 10000, 1, 0, 0, -1, 0, 0.05, 0, 0.01 },
	{ "independent, limit 1 %", 10000, 1, 0, 0, -1, 0, 0.01, 0, 0.01 },
	{ "independent, 500 samples", 500, 1, 0, 0, -1, 0, 0.05, 0, 0.01 },
	{ "clumps of 5", 10000, 5, 0, 0, -1, 0, 0.01, 0, 0.01 },
	{ "clumps of 20", 10000, 20, 0, 0, -1, 0, 0.01, 0, 0.01 },
	{ "clumps of 50", 10000, 50, 0, 0, -1, 0, 0.01, 0, 0.01 },
	{ "requests of 40", 10000, 2, 40, 0, -1, 0, 0.01, 0, 0.01 },
	{ "phases, clumps of 3", 10000, 3, 0, 1, -1, 0, 0.01, 0, 0.01 },
	{ "slower by 5 %: a 15 % function", 10000, 1, 0, 0, 0, 0.05, 0.05,
	    0.95, 1 },
	{ "slower by 5 %: a 5 % function", 10000, 1, 0, 0, 4, 0.05, 0.05,
	    0.95, 1 },
	{ "slower by 5 %: a 0.5 % function", 10000, 1, 0, 0, 59, 0.05, 0.05,
	    0.95, 1 },
	{ "slower by 5 %, in one of four phases", 10000, 1, 0, 1, 4, 0.05,
	    0.05, 0.9, 1 },
	{ "slower by 5 %, clumps of 5, 100,000", 100000, 5, 0, 0, 4, 0.05,
	    0.05, 0.95, 1 },
	{ "slower by 1 %, limit 5 %", 10000, 1, 0, 0, 4, 0.01, 0.05, 0,
	    0.01 },
	{ FINDABLE, 10000, 1, 0, 0, 0, 0, 0.05, 0, 1 },
	{ FINDABLE ", clumps of 5", 30000, 5, 0, 0, 0, 0, 0.05, 0, 1 },
};

#define N_SCENES (sizeof(scenes) / sizeof(scenes[0]))

static uint64_t state;

/* xorshift: a number in [0, 1). */
static double
chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* What a recording is drawn from: by phase, the part of the time it takes and
 * the weights of functions in it. */
struct program {
	double length[PHASES];
	double weight[PHASES][FUNCTIONS];
	unsigned n_phases;
};

static void
program_make(struct program *p, const struct scene *s)
{
	unsigned i, k;

	p->n_phases = s->has_phases ? PHASES : 1;
	for (k = 0; k < p->n_phases; k++) {
		double sum = 0;

		p->length[k] = 1.0 / p->n_phases;
		for (i = 0; i < FUNCTIONS; i++) {
			p->weight[k][i] = 1.0 / (i + 2);
			if (s->has_phases && i % PHASES != k)
				p->weight[k][i] *= 0.02;
			sum += p->weight[k][i];
		}
		for (i = 0; i < FUNCTIONS; i++)
			p->weight[k][i] /= sum;
	}
}

/* Makes a function slower where it runs most, so that its phase is longer. */
static void
program_slow(struct program *p, int victim, double by)
{
	unsigned k = p->n_phases > 1 ? (unsigned)victim % PHASES : 0, i;
	double extra = by / p->length[k], all = 1 + by;

	for (i = 0; i < FUNCTIONS; i++)
		p->weight[k][i] = (p->weight[k][i] +
		    (i == (unsigned)victim ? extra : 0)) / (1 + extra);
	p->length[k] += by;
	for (k = 0; k < p->n_phases; k++)
		p->length[k] /= all;
}

static double
program_share(const struct program *p, unsigned function)
{
	double sum = 0;
	unsigned k;

	for (k = 0; k < p->n_phases; k++)
		sum += p->length[k] * p->weight[k][function];
	return sum;
}

static unsigned
draw(const double *weight)
{
	double x = chance();
	unsigned i;

	for (i = 0; i < FUNCTIONS - 1 && x >= weight[i]; i++)
		x -= weight[i];
	return i;
}

static bob_stack
push(struct bob_dict *d, bob_stack parent, char kind, unsigned i)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON, .where = 1 };
	char name[16];

	(void)snprintf(name, sizeof(name), "%c%u", kind, i);
	f.name = bob_str_put(d, name, strlen(name));
	f.file = bob_str_put(d, "sim.py", strlen("sim.py"));
	return bob_stack_push(d, parent, bob_frame_put(d, &f));
}

/* The phase of a place in a recording. */
static unsigned
phase_at(const struct program *p, double at)
{
	unsigned k;

	for (k = 0; k < p->n_phases - 1 && at >= p->length[k]; k++)
		at -= p->length[k];
	return k;
}

/* Two thirds of what a request does is in its own module; requests of all
 * kinds come equally often, so that shares stay what they are when clumps
 * are left out. */
static unsigned
draw_in_request(const double *weight, unsigned kind)
{
	unsigned i;

	do {
		i = draw(weight);
	} while (i % MODULES != kind && chance() < 0.9);
	return i;
}

static int
record(struct bob_ctx *ctx, const char *path, const struct program *p,
    const struct scene *s)
{
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt" };
	struct bob_target to = { .path = path };
	struct bob_writer *out;
	bob_stack stack[FUNCTIONS], main_stack;
	unsigned i, now = 0, kind = 0;
	int r;

	if (bob_create(ctx, &to, &o, &out) < 0)
		return -1;
	main_stack = push(bob_writer_dict(out), 0, 'm', 0);
	for (i = 0; i < FUNCTIONS; i++)
		stack[i] = push(bob_writer_dict(out),
		    push(bob_writer_dict(out), main_stack, 'M', i % MODULES),
		    'f', i);
	for (i = 0, r = BOB_OK; r == BOB_OK && i < s->samples; i++) {
		const double *weight = p->weight[phase_at(p, ((double)i +
		    chance()) / s->samples)];
		struct bob_run run = { .count = 1 };

		if (s->request > 0 && (i == 0 || chance() < 1 / s->request))
			kind = (unsigned)(chance() * MODULES);
		if (i == 0 || chance() < 1 / s->clump)
			now = s->request > 0 ? draw_in_request(weight, kind)
			                     : draw(weight);
		run.stack = stack[now];
		r = bob_write_runs(out, &run, 1);
	}
	if (r < 0)
		bob_discard(out);
	return r < 0 ? -1 : bob_finish(out);
}

/* What came of all runs of a scene. */
struct outcome {
	unsigned n, n_fired, n_at_victim, n_changed;
	double findable; /* the sum of it */
	unsigned n_intervals, n_covered;
};

static void
check_intervals(const struct bob_diff *d, const struct program *before,
    const struct program *after, struct outcome *to)
{
	size_t n, i;
	const struct bob_diff_row *row = bob_diff_rows(d, BOB_BY_SELF, &n);

	for (i = 0; i < n; i++) {
		struct bob_bytes name = bob_diff_key(d, row[i].key).name;
		unsigned f = 0, k;
		double delta;

		for (k = 1; k < name.n; k++)
			f = f * 10 + (unsigned)(name.p[k] - '0');
		if (name.p[0] != 'f' || f >= CHECKED)
			continue;
		delta = program_share(after, f) - program_share(before, f);
		to->n_intervals++;
		to->n_covered += row[i].self.low <= delta &&
		    delta <= row[i].self.high;
	}
}

static int
compare(struct bob_profile *p, const struct scene *s,
    const struct program *before, const struct program *after,
    struct outcome *to)
{
	struct bob_diff_opts o = { .size = sizeof(o),
		.group = BOB_GROUP_NAME };
	struct bob_gate gate = { s->limit, NULL };
	struct bob_gate_hit *hit;
	struct bob_diff *d;
	char victim[16];
	size_t n, i;

	if (bob_diff_new(p, &o, &d) < 0)
		return -1;
	if (bob_diff_gate(d, &gate, 1, &hit, &n, NULL) < 0)
		return -1;
	(void)snprintf(victim, sizeof(victim), "f%d", s->victim);
	to->n++;
	to->n_fired += n > 0;
	to->n_changed += bob_diff_verdict(d).n_changed > 0;
	to->findable += bob_diff_verdict(d).findable;
	for (i = 0; i < n; i++) {
		struct bob_bytes name = bob_diff_key(d, hit[i].key).name;

		if (name.n == strlen(victim) &&
		    memcmp(name.p, victim, name.n) == 0) {
			to->n_at_victim++;
			break;
		}
	}
	/* The shares of requests and phases are not known that exactly. */
	if (s->request <= 0)
		check_intervals(d, before, after, to);
	bob_gate_hits_free(hit);
	bob_diff_free(d);
	return 0;
}

static int
run(struct bob_ctx *ctx, const struct scene *s, struct outcome *to)
{
	static const char *const path[2] = { "sim-before.rbt",
		"sim-after.rbt" };
	struct program program[2];
	struct bob_profile *p;
	int i, r = 0;

	program_make(&program[0], s);
	program[1] = program[0];
	if (s->victim >= 0)
		program_slow(&program[1], s->victim, s->slower);
	if (bob_profile_new(ctx, NULL, &p) < 0)
		return -1;
	for (i = 0; i < 2 && r == 0; i++)
		if (record(ctx, path[i], &program[i], s) < 0 ||
		    bob_profile_add(p, path[i], i) < 0)
			r = -1;
	if (r == 0)
		r = compare(p, s, &program[0], &program[1], to);
	bob_profile_free(p);
	for (i = 0; i < 2; i++)
		(void)remove(path[i]);
	return r;
}

/* Sets how much slower the largest function is so that its share grows by what
 * is findable: less than that much, because shares are of the longer whole. */
static int
make_findable(struct bob_ctx *ctx, struct scene *s)
{
	struct scene same = *s;
	struct outcome o = { 0 };
	struct program p;
	double by;
	unsigned k;

	same.victim = -1;
	for (k = 0; k < 20; k++)
		if (run(ctx, &same, &o) < 0)
			return -1;
	by = o.findable / k;
	program_make(&p, s);
	s->slower = by / (1 - program_share(&p, 0) - by);
	return 0;
}

static int
run_all(struct bob_ctx *ctx, const struct scene *scene, double runs,
    struct outcome *to)
{
	struct scene s = *scene;
	unsigned k;
	int r = 0;

	if (strncmp(s.name, FINDABLE, strlen(FINDABLE)) == 0)
		r = make_findable(ctx, &s);
	for (k = 0; k < runs && r == 0; k++)
		r = run(ctx, &s, to);
	return r;
}

/* True unless chance explains the distance from a rate only once in a few
 * thousand times. */
static int
is_far(double rate, double expected, unsigned n)
{
	double v = fmax(expected, 1.0 / n) * fmax(1 - expected, 1.0 / n);

	return fabs(rate - expected) > 3.5 * sqrt(v / n);
}

static int
judge(const struct scene *s, const struct outcome *o)
{
	unsigned n = o->n;
	double fired = (double)(s->victim >= 0 && s->at_least > 0
	    ? o->n_at_victim : o->n_fired) / n;
	double covered = o->n_intervals > 0
	    ? (double)o->n_covered / o->n_intervals : 1;
	double changed = (double)o->n_changed / n;
	int must_find = strncmp(s->name, FINDABLE, strlen(FINDABLE)) == 0;
	int is_bad = (s->victim < 0 && changed > FALSE_ALARMS &&
	        is_far(changed, FALSE_ALARMS, n)) ||
	    (must_find && changed < FOUND && is_far(changed, FOUND, n)) ||
	    (fired < s->at_least && is_far(fired, s->at_least, n)) ||
	    (fired > s->at_most && is_far(fired, s->at_most, n)) ||
	    (covered < 0.95 && is_far(covered, 0.95, n));

	(void)printf("%-38s %6u %8.2f %% %8.2f %%", s->name, n, 100 * fired,
	    100 * changed);
	if (o->n_intervals > 0)
		(void)printf(" %8.2f %%", 100 * covered);
	else
		(void)printf(" %10s", "-");
	(void)printf("%s\n", is_bad ? "  bad" : "");
	(void)fflush(stdout);
	return is_bad;
}

int
main(int argc, char **argv)
{
	double runs = argc > 1 ? strtod(argv[1], NULL) : 20;
	struct bob_ctx *ctx = bob_ctx_new();
	int bad = 0, r;
	size_t i;

	state = 0x9e3779b97f4a7c15u +
	    (argc > 2 ? (uint64_t)strtod(argv[2], NULL) : 0);
	(void)printf("%-38s %6s %10s %10s %10s\n", "program", "runs",
	    "fires", "changed", "coverage");
	for (i = 0; i < N_SCENES; i++) {
		struct outcome o = { 0 };

		if (argc > 3 && strstr(scenes[i].name, argv[3]) == NULL)
			continue;
		r = run_all(ctx, &scenes[i], runs, &o);
		if (r < 0) {
			(void)fprintf(stderr, "sim_diff: %s\n",
			    bob_ctx_error(ctx)->text);
			return 1;
		}
		bad |= judge(&scenes[i], &o);
	}
	bob_ctx_free(ctx);
	return bad;
}
