/*
 * bobbin daemon: all processes of a pattern, as they come and go, into files
 * of a directory.
 *
 * One thread does it all, between the moments of the sampler (its tick): look
 * for processes, write barriers, rotate and remove files, mind its own use of
 * the processor, and answer who asks how it goes.
 */
#ifndef CLI_DAEMON_H
#define CLI_DAEMON_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <bobbin/capture.h>
#include <bobbin/limits.h>

#include "args.h"
#include "convert/conv.h"
#include "live/ledger.h"
#include "live/tape.h"

/* How much of the processor is used, and what to do about it. */
struct governor {
	double limit;     /* part of one processor; 0: none */
	double load;      /* smoothed */
	uint64_t wanted_ns, period_ns;
	uint64_t t_last, cpu_last; /* of the last look, in microseconds */
	uint64_t t_changed;
};

/* A file that is not being written, and since when that is known. */
struct kept {
	char *path;
	uint64_t bytes;
	uint64_t t_us;   /* when it was first seen, on a clock nobody sets */
	uint64_t age_us; /* how old it was then */
	int is_told;     /* that it cannot be removed */
	struct timespec changed;
};

/* How long files stay: as long as both allow. 0: for ever. */
struct keep {
	uint64_t bytes, age_us;
	struct kept *v; /* by path */
	size_t n;
	int has_looked; /* what comes from now on was written in this life */
};

struct worker {
	uint64_t pid, start; /* as in struct bob_proc_info */
	struct bob_proc *proc;
	struct tape tape; /* not open when all share one */
	struct ledger ledger; /* of its tapes */
	uint64_t n_samples;   /* that were taken */
};

/* While no file can be written. Times are of the sampler's clock. */
struct outage {
	int is_on, is_told;
	int was_told;      /* one of them was, ... */
	uint64_t t_told;   /* ... last at this time */
	uint64_t t_began, t_ended;
	uint64_t t_next, wait_us; /* when it is tried again */
	uint64_t lost;     /* samples when it began */
	enum ledger_cause cause;
	char why[BOB_MAX_TEXT];
};

/* Why a process that matches is not sampled. */
enum refusal {
	REFUSED_DESCRIPTORS, /* too many open files */
	REFUSED_PERMISSION,
	REFUSED_MEMORY,      /* ours is out */
	REFUSED_RUNTIME,     /* none that can be read is in it */
	REFUSED_SILENT,      /* its memory or its files do not answer */
	REFUSED_OTHER,
	N_REFUSALS
};

/* A process that could not be read, so that it is not tried every time. */
struct refused {
	uint64_t pid, start;
	uint64_t t_us;    /* when it was tried */
	uint64_t wait_us; /* until it is tried again */
	uint64_t t_seen;  /* when it was there */
	enum refusal why;
	int is_native; /* no runtime knows it: it may have none */
	int is_told;
};

/* One that is being attached. */
struct arrival {
	uint64_t pid, start;
	uint64_t t_us; /* of the list that it was in */
	struct bob_attaching *attaching; /* NULL: not begun yet */
	int is_plain; /* as machine code alone: it has no runtime */
};

/* The directory, as it was when it was opened. */
struct place {
	int fd; /* or -1 */
	dev_t device;
	ino_t inode;
	uid_t owner;
	mode_t mode; /* permissions */
};

#define REFUSED_MAX_PIDS 5
struct refused_sum {
	size_t n;
	uint64_t pid[REFUSED_MAX_PIDS]; /* of the first */
};

/* Names of files that were made in a second. */
struct names_given {
	time_t second;
	char **v;
	size_t n;
};

/* Who is connected to the socket. */
#define MAX_ASKERS 8
struct asker {
	int fd;
	uint64_t t_us;  /* since when */
	char *text;     /* the answer; NULL: has not asked yet */
	size_t n, done; /* bytes of it */
};

struct daemon {
	const struct args *args;
	struct bob_ctx *ctx;
	const char *pattern;
	char *dir;
	struct place place;
	struct conv target; /* format and its options */
	struct bob_attach_opts attach;
	const char *vars[BOB_MAX_LIVE_VARS]; /* of attach */
	struct bob_sampler *sampler;
	struct bob_dict *spare; /* for processes without a tape */
	int is_bundled;
	struct tape bundle; /* open when bundled */
	struct ledger ledger; /* of it, and of workers that have ended */
	struct outage outage;
	int owes_rotation; /* one was due and could not be */
	struct worker *worker; /* by rising pid */
	size_t n_workers, cap_workers;
	struct bob_scout *scout;
	struct arrival *arrival;
	size_t n_arrivals, cap_arrivals;
	struct refused *refused; /* by rising pid */
	size_t n_refused, cap_refused;
	int is_looking;   /* a list of processes is being made */
	uint64_t t_look;  /* when the last look at all processes began */
	uint64_t t_told;  /* since when refusals were told */
	unsigned n_told;
	int is_full, is_full_told; /* no descriptor is left for a process */
	int is_blind;     /* told that processes cannot be listed */
	struct governor governor;
	struct keep keep;
	struct names_given given;
	int64_t clock_ahead_us; /* of the date before that nobody sets */
	uint64_t rotate_us, rotate_bytes; /* 0: never */
	int listener; /* the socket, or -1 */
	struct asker asker[MAX_ASKERS];
	size_t n_askers;
	char *socket;
	uint64_t t_us; /* now, on the sampler's clock */
	uint64_t t_scan, t_barrier, t_rotated, t_swept;
	uint64_t n_files;
	time_t started;
};

/* daemon/place.c: makes and opens the directory, and looks whether it is still
 * the one at its path; moves to a new one when it is not. Exit codes, after
 * saying what is wrong. */
int place_open(struct daemon *d);
int place_look(struct daemon *d);
void place_close(struct daemon *d);

/* daemon/files.c: names, rotation, what goes. */

/* A path that no file has, nor had: names tell the second, and one that was
 * given in it is not given again. The caller frees it; NULL: none is left, or
 * no memory. */
char *files_new_name(struct daemon *d, const char *what, uint64_t pid);
void files_done(struct daemon *d);
int files_is_open(const struct daemon *d, const char *path);

/* What all names begin with. */
#define FILES_PREFIX "bobbin-"

/* daemon/keep.c: removes what is too much or too old. */
void keep_sweep(struct daemon *d);
void keep_done(struct daemon *d);

/* Tells when somebody has set the clock; each second. */
void keep_look_at_clock(struct daemon *d);

/* A size ("2G") or an age ("7d") that --keep and --rotate take, added to the
 * two; 1, or 0 when it is neither. */
int files_parse_limit(const char *s, uint64_t *bytes, uint64_t *age_us);

/* daemon/workers.c: processes. What fails with one of them is told, and does
 * not end the others. */

/* Begins to look for processes that have come. BOB_OK or FAILED. */
int workers_scan(struct daemon *d);

/* Goes on with it, and with those that are being attached: no call waits for a
 * process. BOB_AGAIN: there is more to come; BOB_OK; FAILED. */
int workers_poll(struct daemon *d);

/* The others have gone on without it. */
void workers_tell_silent(struct daemon *d, const struct bob_proc *p);

struct worker *workers_find(struct daemon *d, uint64_t pid);

/* Where a pid is, or would be, in an array of n things of `size` bytes that
 * begin with their pid and are sorted by it. */
size_t workers_place(const void *v, size_t n, size_t size, uint64_t pid);

void workers_gone(struct daemon *d, struct worker *w);
void workers_close(struct daemon *d);

/* daemon/tapes.c: their files, and where each sample is. */

/* A worker comes, has n samples, goes. */
void tapes_join(struct daemon *d, struct worker *w);
void tapes_take(struct daemon *d, struct worker *w, const struct bob_run *v,
    size_t n);
void tapes_leave(struct daemon *d, struct worker *w);

/* All of them: new files, a new period, everything to the system, the end. */
void tapes_rotate(struct daemon *d);
void tapes_new_period(struct daemon *d);
void tapes_barrier(struct daemon *d);
void tapes_close(struct daemon *d);

/* The directory is another one: the old files end, new ones begin there. */
void tapes_move(struct daemon *d);

/* Files for those that have none, when it may be tried again. */
void tapes_mend(struct daemon *d);

/* Where all samples are, now. */
void tapes_sum(const struct daemon *d, struct ledger *ret);

/* daemon/outage.c: it cannot be written, it was tried again without success,
 * it can; and whether it may be tried now. */
void outage_begin(struct daemon *d, const char *why);
void outage_goes_on(struct daemon *d, const char *why);
void outage_end(struct daemon *d);
int outage_may_try(struct daemon *d);

/* daemon/refused.c: who is not sampled, and why. */
const char *refused_cause(int why);
struct refused *refused_find(const struct daemon *d,
    const struct bob_proc_info *info);

/* Around a look at all processes; refused_end_look only when all were seen. */
void refused_begin_look(struct daemon *d);
void refused_end_look(struct daemon *d);

/* True when a process is not to be tried now. */
int refused_for_now(struct daemon *d, const struct bob_proc_info *info);

/* It could not be attached, as the context says; it could. It was seen at
 * t_us. */
void refused_add(struct daemon *d, const struct bob_proc_info *info,
    uint64_t t_us);

/* It does not answer: told once. `for_good`: it is never tried again, as each
 * time costs a thread that waits for it. */
void refused_add_silent(struct daemon *d, const struct bob_proc_info *info,
    int for_good);
void refused_drop(struct daemon *d, const struct bob_proc_info *info);

/* By cause; the sum of all. */
size_t refused_sum(const struct daemon *d,
    struct refused_sum sum[N_REFUSALS]);

/* daemon/governor.c: true when the period has changed. */
int governor_look(struct governor *g, uint64_t t_us);

/* daemon/status.c: both ends of the socket. status_listen and status_ask:
 * EXIT_OK, or another code after saying what is wrong. */
int status_listen(struct daemon *d);
void status_unlisten(struct daemon *d); /* the path may be another's now */
void status_answer(struct daemon *d);
void status_close(struct daemon *d);

/* A connection to the daemon of a directory, or -1 and errno; EAGAIN: too many
 * wait for it. */
int status_dial(const char *dir);

/* How long either side of a conversation is waited for; a machine may be very
 * busy. */
#define STATUS_PATIENCE_MS 10000

/* daemon/ask.c: an exit code; it has said why. */
int status_ask(const char *dir, int as_json);

#endif
