/*
 * The state of the explorer, without a screen: the profile, which part of it is
 * shown and how, and the cursors. Actions change it; views draw it. Expensive
 * parts are made when they are first needed, and kept until their input
 * changes.
 *
 * A difference has two sides, before (0) and after (1). Without one, all
 * weights are on side 1, and side 0 is empty.
 */
#ifndef EXPLORE_MODEL_H
#define EXPLORE_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/filter.h>
#include <bobbin/profile.h>

#include "facets.h"
#include "flame.h"
#include "source.h"
#include "table.h"
#include "tree.h"

#define MODEL_MAX_HISTORY 1000
#define MODEL_STATUS 256
#define MODEL_PATTERN 512 /* longest pattern that can be typed */

enum mode { MODE_LIST = 0, MODE_SANDWICH };

enum look { LOOK_PANES = 0, LOOK_FLAME, LOOK_CALLEES, LOOK_CALLERS };

/* Where the keyboard is. */
enum pane {
	PANE_MAIN = 0, /* the list, the flame, a tree */
	PANE_CALLERS,
	PANE_FOCUS,
	PANE_CALLEES,
	PANE_OVERVIEW
};

/* What covers the view. */
enum over { OVER_NONE = 0, OVER_HELP, OVER_FACETS, OVER_SOURCE };

/* A place in the history, for ACT_BACK. */
struct place {
	int mode, look, pane, order;
	int group, opcodes;
	int is_whole;
	uint32_t focus;
	uint32_t cursor_key; /* the selected key */
	struct cursor list, callers, callees, overview;
};

/* Of a difference: what is more than noise. */
struct verdict {
	int is_known;        /* 0: it could not be computed */
	size_t n, n_changed; /* keys */
	uint32_t key;        /* that changed most, or 0 */
	double delta, low, high; /* of its share */
	char text[512];      /* in the words of all outputs */
	/* By key, for total and self: the error of its change (half of the 95 %
	 * interval); 0 if the change is not significant. */
	float (*error)[2];
	uint32_t n_keys;
	int is_fresh;
};

struct time_strip {
	uint64_t *all;  /* samples by bin, whatever range is selected */
	uint64_t *part; /* those with the focus; NULL without one */
	uint32_t n;
	uint64_t bin_us;
	uint32_t cursor; /* a bin */
	uint32_t anchor; /* the bin where dragging began */
	int is_dragged;
	int is_fresh;
};

struct model {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	int is_diff, can_grow;
	struct bob_profile_info info[2]; /* by side */
	struct bob_times times[2];

	/* What is shown. */
	int group; /* enum bob_group */
	const char *annotation;
	int opcodes;
	char match[MODEL_PATTERN], filter[MODEL_PATTERN];
	struct facets facets;
	int idle; /* enum bob_idle */
	int has_range;
	uint64_t from, to; /* on the trace's clock */
	struct bob_view *view[2];
	uint64_t total[2]; /* weight of the view */
	uint8_t *is_shown; /* by key: passes `filter`; NULL: all pass */
	uint32_t n_keys;

	/* How it is shown. */
	int mode, look, pane, over, order, overview_order;
	int by_time;      /* weights are times */
	int by_delta;     /* rows are in the order of change */
	int overview_set; /* -1 by width, 0 off, 1 on */
	int follows_cursor, has_mini, has_time, is_right;
	int delta;        /* rows per step of the wheel */
	int is_whole;     /* the sandwich has no focus: the whole program */
	uint32_t focus;
	struct table list, callers, callees, overview;
	int has_list, has_calls, has_overview; /* tables are up to date */
	double error;  /* of the share of the focus; if has_error */
	int has_error;
	struct tree tree[2]; /* enum bob_direction */
	int has_tree[2];
	struct flame flame;
	uint32_t flame_seeks; /* key to select once it is made, or 0 */
	struct mini mini;
	struct verdict verdict;
	struct time_strip time;
	struct source_file source;
	const struct bob_sources *sources;
	int help_top;

	struct place *history;
	size_t n_history;

	int cols, rows; /* of the screen */
	char status[MODEL_STATUS];
	int is_error;   /* the status is one */
	/* With `defers`, drawing does not renew stale strips, so that rows come
	 * first; is_behind is set if there was one. */
	int defers, is_behind;
	int wants_quit, wants_redraw, wants_suspend;
	int wants_prompt; /* ACT_FILTER or ACT_MATCH, or 0 */
};

struct model_opts {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	int is_diff;  /* the profile has two sides */
	int can_grow; /* the inputs may still grow: see model_refresh */
	int group;
	const char *annotation;
	int no_line;
	int idle; /* enum bob_idle; the profile has all samples */
	const struct bob_sources *sources;
};

/* Returns 0; -1 with the error in the context. The caller keeps the profile. */
int model_init(struct model *m, const struct model_opts *o);
void model_done(struct model *m);

/* Sets the size of the screen. */
void model_resize(struct model *m, int cols, int rows);

/* Does an action (enum action of action.h). */
void model_act(struct model *m, int action);

/* Sets a pattern. Returns 0; -1 if it is not valid: the old one stays, and the
 * status says why. */
int model_set_filter(struct model *m, const char *pattern);
int model_set_match(struct model *m, const char *pattern);

/* Reads what was added to the inputs. Returns 1 if something was, else 0. */
int model_refresh(struct model *m);

/* Shows samples with or without idle ones (enum bob_idle). */
void model_set_idle(struct model *m, int idle);

/* Shows what was added to the profile. */
void model_grew(struct model *m);

/* ---- For views and mouse ------------------------------------------------ */

/* The weight of a sum in the unit that is shown. */
uint64_t model_weight(const struct model *m, struct bob_sum s);

/* w as a share of all of a side; 0 when there is nothing. */
double model_share(const struct model *m, int side, uint64_t w);

/* The weights of a key, by side. */
void model_row(const struct model *m, uint32_t key, uint64_t self[2],
    uint64_t total[2]);

/* In a difference: whether a change of the share of a key is more than noise. A
 * change of a part of its samples (a path, a caller) is so if it is larger than
 * the error of the change of all. Key 0 has none. */
int model_is_significant(struct model *m, uint32_t key, int by_self,
    double delta);
const struct verdict *model_verdict(struct model *m);

/* The selected key; 0: none. */
uint32_t model_cursor_key(struct model *m);

/* True if rows are frames, so that they have callers and callees. */
int model_is_frames(const struct model *m);

int model_has_overview(const struct model *m);

/* These make what is drawn if it is not up to date, and return it. */
struct table *model_list(struct model *m);
struct table *model_callers(struct model *m);
struct table *model_callees(struct model *m);
struct table *model_overview(struct model *m);
struct tree *model_tree(struct model *m, int direction);
struct flame *model_flame(struct model *m, int width);
struct flame *model_flame_now(struct model *m); /* for the screen's width */
struct mini *model_mini(struct model *m, int width, int height);
struct time_strip *model_time(struct model *m);

/* Half the width of the 95 % interval of the share of the focus. Takes into
 * account that samples come in clumps. */
double model_error(struct model *m);

/* The table that has the keyboard; NULL if something else has it. */
struct table *model_table(struct model *m);

/* Goes to a frame, or with focus 0 to the whole program; ACT_BACK returns from
 * there. */
void model_go(struct model *m, int mode, int look, uint32_t focus);

/* To be called when a cursor moved: the focus follows that of the overview if
 * follows_cursor is set. */
void model_moved(struct model *m);

/* Shows only samples of a range of time; from >= to: all. */
void model_set_range(struct model *m, uint64_t from, uint64_t to);

/* To be called when the facets changed. */
void model_requery(struct model *m);

/* Sets the status line. */
void model_say(struct model *m, int is_error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
