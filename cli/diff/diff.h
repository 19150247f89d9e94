/*
 * bobbin diff: cmd_diff.c reads and compares, then one of the outputs (text.c,
 * md.c, json.c, folded.c, flame.c) prints the result.
 */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <bobbin/diff.h>

#include "input/job.h"

enum diff_style {
	DIFF_TEXT,
	DIFF_JSON,
	DIFF_MD,
	DIFF_FOLDED,
	DIFF_SVG,
	DIFF_HTML
};

struct diff_opts {
	int style;        /* enum diff_style */
	const char *path; /* of the output; NULL: standard output */
	size_t top;       /* rows of a table */
	size_t width;     /* columns of text; SIZE_MAX: any number */
	int group;        /* enum bob_group */
	const char *annotation;
	int normalize;    /* enum bob_normalize */
	int is_scaled;    /* --normalize was given: also for folded */
	uint32_t depth;   /* of paths; 0: any */
	double min_share; /* of paths */
	struct bob_gate *gate;
	size_t n_gates;
};

struct diff {
	struct job job; /* its inputs are before and after */
	const char *name[2]; /* of both sides */
	struct diff_opts o;
	struct bob_profile *profile;
	struct bob_diff *d;
	struct bob_diff_info info;
	struct bob_gate_hit *hit;
	size_t n_hits, n_tested;
	/* By path: a significant change, or leads to one. */
	uint8_t *is_changed;
	size_t n_changed; /* significant ones */
	uint32_t *way;    /* room for the keys of a path */
	struct bob_bytes folder; /* of most paths; owned by the profile */
};

/* Reads the options; EXIT_OK, or another code after saying why.
 * diff_options_done in either case. */
int diff_options(struct diff_opts *o, const struct args *args);
void diff_options_done(struct diff_opts *o);

void diff_text(struct diff *x, FILE *f);
void diff_json(const struct diff *x, FILE *f);
void diff_md(const struct diff *x, FILE *f);
void diff_folded(const struct diff *x, FILE *f);

/* EXIT_OK, or EXIT_FAILED after saying that folded lines would be larger than
 * --max-output. */
int diff_folded_fits(const struct diff *x);

/* A picture or a page of the difference. Exit code. */
int diff_flame(struct diff *x);

/* Used by several outputs (show.c). */

/* Room for a relative change, as "+12 %", "new" and "x14". */
#define DIFF_RELATIVE 16
const char *diff_relative(char buf[DIFF_RELATIVE],
    const struct bob_change *c);

/* A probability: "0.043", "<0.001". */
const char *diff_chance(char buf[DIFF_RELATIVE], double p);

/* How many rows changed significantly. */
size_t diff_count(const struct diff *x, int order);

/* How many keys are new, or gone (enum bob_change_mark). */
size_t diff_count_marked(const struct diff *x, int mark);

/* Sets is_changed, n_changed and way, to be freed. EXIT_OK, or EXIT_FAILED
 * after saying so. */
int diff_mark_paths(struct diff *x);

/* "self" or "total". */
const char *diff_order_name(int order);

#endif
