/*
 * How long the explorer takes to answer, without a terminal.
 *
 *     bench_explore FILE [ROUNDS]
 *
 * Opens a trace and does what keys would do, drawing on a screen of 200 by 60
 * after each. Prints a line per step: name and milliseconds of the processor,
 * the least of ROUNDS (3) rounds. The first line is from the file to the first
 * screen. As on a terminal, rows are drawn first; the last line is the longest
 * that the strips on top took after them.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bobbin/profile.h>

#include "explore/action.h"
#include "explore/draw.h"
#include "explore/keymap.h"

#define COLS 200
#define ROWS 60
#define MAX_STEPS 32

struct bench {
	struct model model;
	struct canvas canvas;
	struct keymap keys;
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	double ms[MAX_STEPS], strips;
	size_t at;
};

static const struct {
	const char *name;
	int action;
	const char *pattern; /* of a prompt */
} steps[] = {
	{ "focus", ACT_ENTER, NULL },
	{ "focus: callers", ACT_LEFT, NULL },
	{ "focus: another", ACT_ENTER, NULL },
	{ "flame", ACT_FLAME, NULL },
	{ "callee tree", ACT_CALLEES, NULL },
	{ "unfold all", ACT_UNFOLD_ALL, NULL },
	{ "caller tree", ACT_CALLERS, NULL },
	{ "panes", ACT_PANES, NULL },
	{ "back", ACT_BACK, NULL },
	{ "filter rows", ACT_FILTER, "Repository|Template" },
	{ "match samples", ACT_MATCH, "PDO" },
	{ "clear", ACT_CLEAR, NULL },
	{ "time cursor", ACT_TIME_RIGHT, NULL },
	{ "from", ACT_TIME_FROM, NULL },
	{ "all of the time", ACT_TIME_RESET, NULL },
	{ "facets", ACT_FACETS, NULL },
	{ "choose one", ACT_ENTER, NULL },
	{ "close facets", ACT_FACETS, NULL },
	{ "no lines, first", ACT_NO_LINE, NULL },
	{ "lines", ACT_NO_LINE, NULL },
	{ "no lines, again", ACT_NO_LINE, NULL },
	{ "by total", ACT_TOTAL, NULL },
};

#define N_STEPS (sizeof(steps) / sizeof(steps[0]))

static double
now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
show(struct bench *b)
{
	struct screen s = { .canvas = &b->canvas, .model = &b->model,
		.keys = &b->keys, .title = "bench" };

	draw(&s);
}

/* Rows first: what somebody waits for. */
static void
show_first(struct bench *b)
{
	b->model.defers = 1;
	show(b);
	b->model.defers = 0;
}

static void
took(struct bench *b, double start)
{
	double ms = now_ms() - start;

	if (b->ms[b->at] == 0 || ms < b->ms[b->at])
		b->ms[b->at] = ms;
	b->at++;
}

static int
open_trace(struct bench *b, const char *path)
{
	struct model_opts o = { 0 };
	double start = now_ms();

	b->ctx = bob_ctx_new();
	if (b->ctx == NULL ||
	    bob_profile_new(b->ctx, NULL, &b->profile) < 0 ||
	    bob_profile_add(b->profile, path, 0) < 0)
		return -1;
	o.ctx = b->ctx;
	o.profile = b->profile;
	if (model_init(&b->model, &o) < 0)
		return -1;
	model_resize(&b->model, COLS, ROWS);
	show(b);
	took(b, start);
	return 0;
}

static int
round_trip(struct bench *b, const char *path)
{
	double strips = 0;
	size_t i;

	b->at = 0;
	if (open_trace(b, path) < 0) {
		(void)fprintf(stderr, "%s\n", bob_ctx_error(b->ctx)->text);
		return -1;
	}
	for (i = 0; i < N_STEPS; i++) {
		double start = now_ms();

		if (steps[i].action == ACT_FILTER)
			(void)model_set_filter(&b->model, steps[i].pattern);
		else if (steps[i].action == ACT_MATCH)
			(void)model_set_match(&b->model, steps[i].pattern);
		else
			model_act(&b->model, steps[i].action);
		show_first(b);
		took(b, start);
		start = now_ms();
		show(b);
		if (now_ms() - start > strips)
			strips = now_ms() - start;
	}
	if (b->strips == 0 || strips < b->strips)
		b->strips = strips;
	model_done(&b->model);
	bob_profile_free(b->profile);
	bob_ctx_free(b->ctx);
	return 0;
}

int
main(int argc, char **argv)
{
	static struct bench b;
	int rounds = argc > 2 ? argv[2][0] - '0' : 3, i;
	size_t k;

	if (argc < 2 || rounds < 1 || rounds > 9) {
		(void)fprintf(stderr, "usage: bench_explore FILE [ROUNDS]\n");
		return 2;
	}
	(void)setlocale(LC_CTYPE, "C.UTF-8");
	keymap_init(&b.keys);
	if (canvas_resize(&b.canvas, COLS, ROWS) < 0)
		return 1;
	for (i = 0; i < rounds; i++)
		if (round_trip(&b, argv[1]) < 0)
			return 1;
	(void)printf("open\t%.1f\n", b.ms[0]);
	for (k = 0; k < N_STEPS; k++)
		(void)printf("%s\t%.1f\n", steps[k].name, b.ms[k + 1]);
	(void)printf("strips after it\t%.1f\n", b.strips);
	canvas_done(&b.canvas);
	return 0;
}
