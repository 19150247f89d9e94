/*
 * Private parts of a watch.
 *
 *     watch.c      the public functions, and the table of processes
 *     listing.c    lists of processes: which are new, which have ended
 *     attaching.c  attaching, and when it is tried again
 *     scout.c      lists processes in a thread
 *     proc_list.c  bob_proc_list() and bob_proc_find(), by a scout
 *
 * The table is sorted by pid. A process is in it from when it is named or found
 * until it has ended. Then it is marked (is_gone), and removed at the end of
 * the poll, so that indices stay valid during a poll.
 */
#ifndef CAPTURE_WATCH_WATCH_H
#define CAPTURE_WATCH_WATCH_H

#include <bobbin/watch.h>

#include "capture/attach/handle.h"
#include "capture/watch/scout.h"

/* Children of watched processes are listed: all, or some. */
#define WATCH_TAKES_CHILDREN (BOB_WATCH_CHILDREN | BOB_WATCH_WRAPPED)

/* Times are microseconds of the monotonic clock. */
#define WATCH_NEVER UINT64_MAX

/* When a process without a runtime is tried again for the first time: a young
 * one, which may still load a runtime, and others. */
#define WATCH_SOON_US 100000
#define WATCH_LATER_US 1000000

/* Attaching that takes longer is late and not waited for. The largest programs
 * that were met take 0.3 s. */
#define WATCH_LATE_US 500000

struct watched {
	uint64_t pid;
	uint64_t start;   /* clock ticks; pid and start identify a process; 0:
	                   * not known */
	uint64_t t_added;
	uint64_t t_seen;  /* when it was last in a list */
	uint64_t t_renamed;
	uint64_t t_failed; /* when it first had no runtime; 0: never */
	uint64_t t_next;  /* when it is tried next */
	uint64_t wait_us; /* the last wait; 0: not refused yet */
	uint64_t patience_us; /* of bob_watch_add() */
	struct bob_attaching *attaching; /* NULL: it is not being attached */
	struct bob_proc *proc;           /* NULL: not sampled */
	uint32_t told;       /* causes that were reported, a bit each */
	uint8_t cause;       /* enum bob_refusal */
	uint8_t is_named;
	uint8_t is_plain;    /* to be attached with the runtime "native" */
	uint8_t is_changed;  /* has become another program */
	uint8_t was_sampled;
	uint8_t is_gone;     /* to be removed */
	char name[PROC_MAX_NAME]; /* of the program, from the kernel */
};

struct bob_watch {
	struct bob_ctx *ctx;
	struct bob_sampler *sampler;
	struct bob_watch_events ev;
	struct handle_own *own; /* has the options for attaching */
	struct bob_dict *dict;
	uint32_t flags;
	size_t spare_fds;

	struct watched *v;
	size_t n, cap_v;

	char *pattern;          /* NULL: none, or not used any more */
	struct scout *scout;
	uint64_t t_look;        /* when the last list was started */
	int is_looking;         /* a list is being made */
	int is_limited;         /* `limited` was called */

	/* During a poll. */
	uint64_t now;
	size_t n_young;         /* being attached, and not late */
	int is_full;            /* no descriptor is left */
};

/* --- watch.c -------------------------------------------------------------- */

struct watched *watch_find(const struct bob_watch *w, uint64_t pid);

/* Adds a process, which must not be in the table. Returns NULL if there is no
 * room; then `limited` was called. */
struct watched *watch_insert(struct bob_watch *w, uint64_t pid);

/* Calls the event `limited`, with the error in the context, once. */
void watch_tell_limited(struct bob_watch *w);

/* For the sampler: a process is not sampled any more (gone), or the sampler is
 * freed (forget). */
void watch_gone(struct bob_watch *w, struct bob_proc *p);
void watch_forget(struct bob_watch *w, const struct bob_proc *p);

/* --- listing.c ------------------------------------------------------------ */

/* Starts a list if it is due, and takes it if it is ready. */
void watch_look(struct bob_watch *w);

/* True while a list for the pattern is being made. */
int watch_awaits_list(const struct bob_watch *w);

/* --- attaching.c ---------------------------------------------------------- */

/* Attaches a process if it is due, or takes it if it is attached. Returns
 * BOB_OK, or what `came` returned. */
int watch_try(struct bob_watch *w, struct watched *e);

/* Records that it does not answer. `for_good`: it is not tried again. */
void watch_silence(struct bob_watch *w, struct watched *e, int for_good);

/* Begins to try again, as it may be another program now. */
void watch_renew(struct bob_watch *w, struct watched *e);

/* True if attaching takes longer than WATCH_LATE_US. */
int watch_is_late(const struct watched *e);

/* True if the process will probably be attached soon. */
int watch_is_expected(const struct watched *e);

#endif
