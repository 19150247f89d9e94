/*
 * bobbin top: a live table of what processes spend their time in.
 *
 * Each sample is stored twice. A profile adds up all since the start; processes
 * use its dictionary. A ring keeps the samples of the last seconds one by one
 * (20 bytes each), so that each leaves the window in time. A table is made of
 * both when it is shown. The explorer shows the profile (live.c), and it can be
 * saved as a trace of sums (save.c).
 *
 * Memory must not grow in a capture that never ends, although requests bring
 * ever new strings. Of the annotations only the route is kept, and a dictionary
 * that has grown large is replaced by one with what is still used (store.c).
 */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>
#include <bobbin/profile.h>
#include <bobbin/watch.h>

#include "args/args.h"
#include "capture/processes.h"
#include "system/descriptors.h"

/* --- samples -------------------------------------------------------------- */

struct top_sample {
	uint32_t t_ms; /* since the start, modulo 2^32 */
	bob_stack stack;
	bob_tid track;
	bob_annot annot; /* reduced: the route alone */
	uint8_t status, flags; /* of the run */
};

/* The most samples in the window; with more, the window is shorter. */
#define TOP_MAX_RECENT ((size_t)1 << 20)

struct top_store {
	struct bob_ctx *ctx;
	struct bob_profile *profile;
	struct bob_dict *dict;  /* the profile's */
	uint64_t period_us;
	uint64_t t_us;          /* now, since the start */
	uint64_t t_since;       /* when the sums began */
	uint64_t t_from;        /* when the samples of the ring began */
	struct top_sample *recent; /* a ring */
	size_t first, n_recent, cap_recent;
	bob_annot *reduced;     /* by annotation set; BOB_NO_ID: unknown */
	size_t cap_reduced;
};

int top_store_init(struct top_store *s, struct bob_ctx *ctx,
    uint64_t period_us);
void top_store_done(struct top_store *s);

/* Adds samples of one time. BOB_OK, FAILED or FATAL. */
int top_store_add(struct top_store *s, uint64_t t_us,
    const struct bob_run *runs, size_t n);

/* Forgets what is older than the window. */
void top_store_slide(struct top_store *s, uint64_t window_us);

/* Clears the sums; the window stays. Returns as top_store_add does. Afterwards
 * the dictionary is another one. */
int top_store_clear(struct top_store *s);

/* Sums in a trace: a segment with this mark says that the time of a run is the
 * length of its sum (docs/time.md), and the run of a cell has that time. t has
 * an element for each track, 0 at the start of the segment. */
struct bob_mark top_sums_mark(struct bob_dict *dict);
struct bob_run top_sums_run(const struct bob_cell *cell, uint64_t *t);

/* True if the dictionary is large; then top_store_fold replaces it. BOB_OK, or
 * what failed. */
int top_store_is_full(const struct top_store *s);
int top_store_fold(struct top_store *s);

static inline const struct top_sample *
top_recent(const struct top_store *s, size_t i)
{
	/* NOLINT(clang-analyzer-core.DivideZero): where there is an i-th, there
	 * is room for it. */
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
extern const char *const top_by_nouns[TOP_N_BY];  /* "functions" */
extern const char *const top_by_titles[TOP_N_BY]; /* above their names */
extern const char *const top_order_names[TOP_N_ORDERS];

struct top_row {
	uint64_t w[TOP_N_ORDERS]; /* samples */
	uint64_t self_us, total_us; /* since the start */
	uint64_t n_active, n_gil, n_idle; /* of a process or thread: samples of
	                                   * the window */
	size_t text, n_text;      /* in the table's bytes */
	size_t n_name;            /* of the text: the function */
	uint32_t key;             /* in views of the profile; for processes and
	                           * threads the track; 0: none */
	uint32_t first;           /* first seen; makes the order stable */
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
	int shows_idle;
	uint8_t *waits; /* while it is made, by stack: it waits for work */
	uint64_t n_set_aside; /* idle samples of the window that have no rows */
	/* Threads on average over the window, by what they did; they do not
	 * add up to n_threads where some ran only for a part of it. */
	double active, idle, gil;
	int has_gil; /* the runtime has one */
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

/* A process that is or was sampled; the user pointer of its bob_proc. */
struct top_proc {
	uint64_t pid;
	char command[128];
};

struct top_procs {
	struct processes processes;
	struct bob_attach_opts attach;
	struct bob_watch *watch;
	struct top_proc **v;
	size_t n, cap;
	int child; /* that was started, or 0 */
	int takes_children;
	int is_begun;
	int code;  /* exit code for the last named one that was refused */
	char refusal[BOB_MAX_TEXT]; /* why the last was refused, or "" */
	size_t n_refused;
};

/* --- all of it ------------------------------------------------------------ */

struct top_stats {
	size_t n_procs;
	double per_s, lost_percent, cpu_percent;
	uint64_t missed;
};

/* Counters at some time. */
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
	struct top_screen *screen; /* while it is open (screen.h) */
	struct explore_live *live; /* the explorer, while it is open (live.c) */
	struct descriptors descriptors;
	struct top_mark mark[TOP_MARKS];
	size_t n_marks;
	uint64_t period_ns, duration_us, window_us, interval_us, max_tables;
	uint64_t n_tables, t_table, t_shown, t_keys;
	uint64_t cpu_us; /* processor time of top at the last table */
	size_t n_rows;   /* that are printed; 0: all */
	char pattern[512];
	char notice[BOB_MAX_TEXT]; /* what came of a key, until the next */
	int is_notice_bad;
	int is_json, is_screen, is_frozen;
	int wants_show, wants_clear; /* as keys were typed */
};

/* Attaches to the processes, or starts the command. Exit codes. */
int top_procs_init(struct top *t);
void top_procs_done(struct top *t);

/* Polls the watch; never waits for a process. BOB_OK or FATAL. */
int top_procs_poll(struct top *t);

/* True if nothing is sampled and nothing can be expected. */
int top_procs_are_over(const struct top *t);
void top_procs_gone(struct top *t, const struct bob_proc *p);
top_command_fn top_procs_command;

/* Makes the table and the statistics anew. */
int top_refresh(struct top *t);

/* Prints the table on standard output, as text and as JSON. */
void top_print(const struct top *t);
void top_print_json(const struct top *t);

/* False in a build without ncurses. */
int top_has_screen(void);

/* Opens the full screen. Returns 0, or -1 after saying why not. */
int top_screen_open(struct top *t);
void top_screen_close(struct top *t);
void top_screen_show(struct top *t);

/* Handles the keys that were typed. Returns 1 if top ends. */
int top_screen_keys(struct top *t);

/* What is sampled: "1234 php worker.php", "3 processes". Returns buf. */
const char *top_subject(const struct top *t, char *buf, size_t n);

/* What its threads do: "2.0 of 5 threads active, 3.0 idle, GIL 98 %"; without
 * the noun if is_short. Returns buf. */
const char *top_activity(const struct top *t, int is_short, char *buf,
    size_t n);

/* What was sampled, and how well. Returns buf. */
const char *top_quality(const struct top *t, char *buf, size_t n);

/* ---- Saving and exploring ------------------------------------------------ */

/* Writes the sums since the start to a new file, in the format of its suffix.
 * Returns 0; -1 with the reason in err (n bytes). */
int top_save(struct top *t, const char *path, char *err, size_t n);

/* Opens the explorer on the selected row; it has the screen and the keys until
 * the user leaves it. top_live_step returns 1 then. top_live_grew shows what
 * was sampled since. */
void top_live_open(struct top *t, const struct top_row *row);
int top_live_step(struct top *t);
void top_live_grew(struct top *t);
void top_live_close(struct top *t);

/* ---- Keys ---------------------------------------------------------------- */

struct top_key {
	const char *key;
	int action, value; /* enum top_action, and what it takes */
	const char *help; /* NULL: an alias */
};

/* The keys, for the screen and for the manual; n is the number of them. */
extern const struct top_key top_keys[];
extern const size_t top_n_keys;

#endif
