/*
 * bobbin analyze: from a profile to a report.
 *
 * analyze_gather finds the rows of each section that was asked for; analyze_fit
 * decides how many of them are shown; one of the outputs (text.c, md.c, csv.c,
 * json.c) prints them. --follow repeats this while the inputs grow.
 */
#ifndef CLI_ANALYZE_H
#define CLI_ANALYZE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/answer.h>
#include <bobbin/profile.h>

#include "input/job.h"
#include "print/block.h"
#include "print/grid.h"

enum analyze_style {
	STYLE_TABLES,
	STYLE_RELI, /* exactly reli's tables */
	STYLE_MD,
	STYLE_CSV,
	STYLE_JSON
};

/* In the order in which they are shown. */
enum analyze_section {
	SECTION_SELF,
	SECTION_TOTAL,
	SECTION_CALLERS,
	SECTION_CALLEES,
	SECTION_TREE,
	SECTION_TIMELINE,
	SECTION_REQUESTS, /* the slowest */
	SECTION_ROUTES,   /* requests of a route together: most time first */
	SECTION_FREQUENT, /* the same: most requests first */
	SECTION_TAIL,     /* the last samples */
	N_SECTIONS
};

/* Sections in rows and columns; each at most once. */
struct layout {
	uint8_t section[N_SECTIONS]; /* enum analyze_section */
	uint8_t begins_row[N_SECTIONS];
	size_t n;
};

struct analyze_opts {
	int style; /* enum analyze_style */
	size_t top;
	size_t n_last, last_depth; /* depth 0: all frames */
	const char *callers, *callees; /* patterns, or NULL */
	const char *request_key;       /* NULL: the usual ones */
	int group; /* enum bob_group */
	const char *annotation;
	int has_opcodes, has_short_paths;
	size_t crop;      /* columns; 0: no limit */
	int is_auto_crop; /* the width of the terminal instead */
	int keeps_end;    /* of what is cropped */
	int has_anchor;   /* it was asked for */
	struct layout layout;
	int is_inverted;  /* the tree */
	uint32_t depth;   /* of the tree; 0: any */
	double min_share; /* of its nodes */
	size_t budget;    /* lines; 0: any number */
	int follows;
	uint64_t interval_us;
	int is_ascii;     /* draw with ASCII alone */
};

/* Prints the report of a file as `bobbin analyze FILE` does. Exit code. */
int analyze_file(const char *path);

/* What holds without any option. */
void analyze_defaults(struct analyze_opts *o);

/* Reads the options; EXIT_OK, or EXIT_USAGE after saying why. */
int analyze_options(struct analyze_opts *o, const struct args *args);

/* "self", "total" ... as options and outputs spell them. */
const char *section_name(int section);
int layout_has(const struct layout *l, int section);

/* One row of a section. */
struct analyze_row {
	uint32_t key; /* 0: root or leaf */
	uint32_t node, depth; /* of a tree; depth 1 is outermost */
	size_t parent;  /* row of its parent + 1; 0: none */
	size_t branch;  /* row + 1 of the nearest ancestor with siblings */
	uint8_t is_branch, has_next; /* has siblings; has later ones */
	size_t index;   /* of a request or route */
	uint64_t n_requests;
	struct bob_sum sum, self, total; /* sum: what the section shows */
	struct bob_share share; /* of `whole` */
	double clumping;
};

/* For qsort: most time first; of equal ones the first seen, whose rank is in
 * `index`. */
int row_by_time(const void *a, const void *b);

struct section {
	int is_shown;
	struct analyze_row *row;
	size_t n_all;   /* rows there are */
	size_t n;       /* rows after --top */
	size_t n_shown; /* rows after --budget; of the tail: lines */
	int is_dropped; /* by --budget */
};

/* A strip of the time line: samples of a key, or of all (key 0). */
struct analyze_strip {
	uint32_t key;
	uint64_t *samples; /* n_bins of the report */
};

/* The rows of all sections, and what they are shares of. */
struct report {
	struct bob_profile_info info;
	struct bob_times times;
	struct bob_answer answer;
	int has_answer; /* it is shown */
	struct bob_view *view;   /* as the user groups */
	struct bob_view *frames; /* the same, or by line when the user groups
	                          * samples */
	int groups_samples;
	struct bob_sum all;      /* samples that passed */
	struct bob_sum whole;    /* what shares are of */
	uint64_t n_stackless;    /* samples without a frame: not in whole */
	int by_time;             /* shares are of time: periods differ */
	struct section section[N_SECTIONS];
	struct bob_tree *tree;
	uint64_t tree_min;       /* lighter nodes were left out */
	uint64_t bin_us;
	uint32_t first_bin, n_bins; /* bins n_bins and on are empty */
	struct analyze_strip *strip; /* the first is of all samples */
	size_t n_strips;
	const struct bob_request *request;
	const struct bob_route *route;
	const struct bob_last *last;
	struct bob_bytes folder; /* of most paths; owned by the profile */
	int is_cut; /* by --budget */
};

struct analyze {
	struct job job;
	struct analyze_opts o;
	struct bob_profile *profile;
	struct report r;
	int code; /* exit code so far */
	int is_first; /* no report was printed yet */
	int has_answer; /* reports begin with sentences */
};

/* Gathers the rows of all sections anew. EXIT_OK, or a code after saying
 * why. */
int analyze_gather(struct analyze *a);
void report_done(struct report *r);

/* The same for one section, in a file of its own. */
int gather_tree(struct analyze *a);
int gather_timeline(struct analyze *a);
int gather_requests(struct analyze *a, int section);

/* n rows, zeroed; NULL and a message without memory. */
struct analyze_row *section_rows(struct section *s, size_t n);

/* How much samples come in clumps: by row, for self and for total. */
struct clumps {
	uint32_t *key;
	double *self, *total;
};

/* For all rows of a section. EXIT_OK, or a code after saying why. clumps_done
 * in either case. */
int clumps_find(struct clumps *c, const struct section *s,
    struct bob_view *v);
void clumps_done(struct clumps *c);

/* Sets the share of a row, with its error. */
void row_share(const struct report *r, struct analyze_row *row,
    double clumping);

/* The same for a request: of all samples, as a request may have samples without
 * a stack. */
void request_share(const struct report *r, struct analyze_row *row,
    double clumping);

/* True if a group is one of samples (pid, thread, ...) and not of frames. */
int group_is_of_samples(int group);

/* Decides how many rows each section may show. EXIT_OK, or EXIT_FAILED. */
int analyze_fit(struct analyze *a);

/* Makes an empty profile of the kind that the options ask for. */
int analyze_profile(struct analyze *a, const struct bob_filter *filter,
    struct bob_profile **ret);

/* Gathers, fits and prints. EXIT_OK, or a code after saying why. */
int analyze_report(struct analyze *a);

void analyze_json(struct analyze *a, FILE *f);
void analyze_csv(struct analyze *a, FILE *f);

/* The report as text, in b. */
void analyze_text(struct analyze *a, struct block *b);
void analyze_md(struct analyze *a, struct block *b);

/* The sentences that the report begins with, in parts; how many. */
size_t answer_parts(const struct analyze *a, char buf[BOB_ANSWER_TEXT],
    struct bob_answer_part part[BOB_ANSWER_PARTS]);

/* The same as lines. */
void answer_text(const struct analyze *a, struct block *b);
void answer_md(const struct analyze *a, struct block *b);

/* True if the i-th section of the layout begins a row, as asked for or because
 * there is too little room beside the previous one. */
int begins_row(const struct analyze *a, size_t i);

/* Parts of these. */
void section_title(const struct analyze *a, int section, struct span *l);
void section_grid(struct analyze *a, int section, struct grid *g);
void tail_text(struct analyze *a, size_t width, struct block *b);
size_t tail_lines(const struct analyze *a);

/* Samples of a strip in n bins. */
uint64_t strip_sum(const struct report *r, const struct analyze_strip *s,
    size_t first, size_t n);

/* The most columns of a strip. */
#define STRIP_COLUMNS 128

void timeline_text(struct analyze *a, size_t width, struct block *b);
/* After analyze_fit: keeps the nodes that are shown. */
int tree_settle(struct analyze *a);

/* Draws the lines that lead to a node; only branches are indented. */
void tree_prefix(const struct analyze *a, const struct section *s, size_t i,
    struct span *l);

/* The name of a key as it is shown, made harmless. */
void put_key(const struct analyze *a, struct bob_view *v, uint32_t key,
    struct span *l);
/* Its name alone, without the file; all of it if it has no name. */
void put_key_name(const struct analyze *a, struct bob_view *v, uint32_t key,
    struct span *l);
void put_frame(const struct analyze *a, bob_fid frame, struct span *l);

/* Where the times of samples come from: "clock", "period" or "assumed", and as
 * words. */
const char *basis_name(const struct report *r);

/* Writes the i-th line of the summary. Returns 0 behind the last. */
int summary_line(const struct analyze *a, size_t i, struct span *l);

/* Writes a line that says what --budget left out. */
void left_out(const struct analyze *a, struct span *l);

/* If the report is empty, writes a sentence that says why and returns 1; else
 * 0. May read the inputs again to find out. */
int why_empty(struct analyze *a, struct span *l);

/* From now on a signal ends --follow, and analyze_is_stopped is true after
 * it. */
void follow_signals(void);

int analyze_is_stopped(void);

/* Prints reports until the inputs end or a signal comes. Exit code. */
int analyze_follow(struct analyze *a);

#endif
