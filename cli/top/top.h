/*
 * bobbin top: what processes spend their time in, while they run.
 *
 * Samples go two ways. A profile adds them up since the start; its dictionary
 * is the one that captures use. A ring keeps those of the last seconds one by
 * one (16 bytes each), so that the window slides exactly: a sample leaves it
 * to the microsecond. A table is made of both when it is shown.
 *
 * A capture that never ends meets ever new addresses in requests. Of the
 * annotations only the route is kept, and when the dictionary has grown large
 * everything is carried over into a new one without what is no longer used
 * (top_store.c); so memory stays flat.
 */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/profile.h>

#include "args.h"
#include "live/targets.h"

/* --- samples -------------------------------------------------------------- */

struct top_sample {
	uint32_t t_ms; /* since the start, modulo 2^32 */
	bob_stack stack;
	bob_tid track;
	bob_annot annot; /* reduced: the route alone */
};

/* Samples of the window at most; with more it is shorter than asked for. */
#define TOP_MAX_RECENT ((size_t)1 << 20)

struct top_store {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	struct bob_dict *dict;  /* the profile's */
	uint64_t period_us;
	uint64_t t_us;          /* now, since the start */
	uint64_t t_since;       /* when the sums began */
	uint64_t t_from;        /* and when what the ring holds */
	struct top_sample *recent; /* a ring */
	size_t first, n_recent, cap_recent;
	bob_annot *reduced;     /* by annotation set; BOB_NO_ID: not known */
	size_t cap_reduced;
};

int top_store_init(struct top_store *s, struct bob_ctx *ctx,
    uint64_t period_us);
void top_store_done(struct top_store *s);

/* Adds samples of one moment. BOB_OK, FAILED or FATAL. */
int top_store_add(struct top_store *s, uint64_t t_us,
    const struct bob_run *runs, size_t n);

/* Forgets what is older than the window. */
void top_store_slide(struct top_store *s, uint64_t window_us);

/* Sums begin anew; the window stays. As top_store_add; afterwards the
 * dictionary is another. */
int top_store_clear(struct top_store *s);

/* True when it is time for top_store_fold, which changes the dictionary:
 * BOB_OK or what failed. */
int top_store_is_full(const struct top_store *s);
int top_store_fold(struct top_store *s);

static inline const struct top_sample *
top_recent(const struct top_store *s, size_t i)
{
	return &s->recent[(s->first + i) % s->cap_recent];
}

/* --- tables --------------------------------------------------------------- */

enum top_by {
	TOP_BY_FUNCTION = 0,
	TOP_BY_LINE,
	TOP_BY_FILE,
	TOP_BY_ROUTE,
	TOP_BY_PID,
	TOP_BY_THREAD,
	TOP_N_BY
};

enum top_order {
	TOP_SELF = 0,
	TOP_TOTAL,
	TOP_ALL_SELF,
	TOP_ALL_TOTAL,
	TOP_N_ORDERS
};

extern const char *const top_by_names[TOP_N_BY];
extern const char *const top_order_names[TOP_N_ORDERS];

struct top_row {
	uint64_t w[TOP_N_ORDERS]; /* samples */
	size_t text, n_text;      /* in the table's bytes */
	size_t n_name;            /* of the text: the function */
	uint32_t first;           /* for an order that stays */
};

struct top_table {
	int by, order;
	struct top_row *row;
	size_t n, cap;
	char *bytes;
	size_t n_bytes, cap_bytes;
	uint64_t n_window, n_all; /* samples, of which rows are shares */
	uint64_t window_us, all_us;
	size_t n_threads;
};

void top_table_done(struct top_table *t);

/* The command line of a process, for rows by pid. */
typedef const char *top_command_fn(void *user, uint64_t pid);

/*
 * Makes the table anew: heaviest first; `pattern` leaves out rows whose text
 * does not match (NULL: none). BOB_OK, or FAILED (BOB_E_USAGE for the
 * pattern).
 */
int top_table_make(struct top_table *t, struct top_store *s,
    const char *pattern, top_command_fn *command, void *user);

/* --- processes ------------------------------------------------------------ */

/* One that was found, whether it can be read or not. */
struct top_proc {
	uint64_t pid, start;
	uint32_t n_tries;
	uint8_t is_attached, is_refused, is_seen;
	uint8_t is_root; /* was named or started, and was no runtime */
	char command[128];
};

struct top_procs {
	struct targets targets;
	struct bob_attach_opts attach;
	struct top_proc *v;
	size_t n, cap;
	int child; /* that was started, or 0 */
	int takes_children;
	char refusal[BOB_MAX_TEXT]; /* the last, or "" */
	size_t n_refused;
};

/* --- all of it ------------------------------------------------------------ */

struct top_stats {
	size_t n_procs;
	double per_s, lost_percent, cpu_percent;
	uint64_t missed;
};

/* What was counted at some time. */
struct top_mark {
	uint64_t t_us;
	struct bob_capture_counts counts;
};

#define TOP_MARKS 64

struct top {
	const struct args *args;
	struct bob_ctx *ctx;
	struct bob_sampler *sampler;
	struct top_store store;
	struct top_procs procs;
	struct top_table table;
	struct top_stats stats;
	struct top_mark mark[TOP_MARKS];
	size_t n_marks;
	uint64_t period_ns, duration_us, window_us, interval_us, max_tables;
	uint64_t n_tables, t_table, t_shown, t_scan, t_keys;
	uint64_t cpu_us; /* of ours, at the last table */
	size_t n_rows;   /* that are printed; 0: all */
	char pattern[512];
	int is_json, is_screen, is_frozen;
	int wants_show, wants_clear; /* as keys were typed */
};

/* Attaches what is named, or starts the command. Exit codes. */
int top_procs_init(struct top *t);
void top_procs_done(struct top *t);

/* Looks for processes that match the pattern, and for children. BOB_OK or
 * FATAL. */
int top_procs_scan(struct top *t);

/* True when none is sampled, and none is expected to be. */
int top_procs_are_over(const struct top *t);
void top_procs_gone(struct top *t, const struct bob_proc *p);
top_command_fn top_procs_command;

/* Makes table and stats of now. */
int top_refresh(struct top *t);

/* Standard output, for people and for programs. */
void top_print(const struct top *t);
void top_print_json(const struct top *t);

/* The full screen: 0, or -1 after saying why not. */
int top_screen_open(struct top *t);
void top_screen_close(void);
void top_screen_show(struct top *t);

/* Does what was typed. 1 when it is over. */
int top_screen_keys(struct top *t);

/* A title in two lines; each takes n bytes. */
void top_headline(const struct top *t, char *a, char *b, size_t n);

#endif
