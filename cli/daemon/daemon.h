/*
 * bobbin daemon: samples all processes that match a pattern, as they come and
 * go, into files of a directory.
 *
 * A sampler takes samples, a watch attaches processes, a recorder writes files.
 * All that is here runs in the sampler's tick: polling the watch, rotating and
 * removing files, limiting the use of the processor, answering `status`.
 */
#ifndef CLI_DAEMON_H
#define CLI_DAEMON_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <bobbin/capture.h>
#include <bobbin/limits.h>
#include <bobbin/recorder.h>
#include <bobbin/store.h>
#include <bobbin/watch.h>

#include "args/args.h"
#include "capture/notes.h"
#include "output/output.h"

/* The use of the processor by the daemon itself, and its limit. */
struct governor {
	double limit;     /* part of one processor; 0: none */
	double load;      /* smoothed */
	uint64_t wanted_ns, period_ns;
	uint64_t t_last, cpu_last; /* at the last look, in microseconds */
	uint64_t t_changed;
};

/* A closed file, and since when it is known. */
struct kept {
	char *path;
	uint64_t bytes;
	uint64_t t_us;   /* when it was first seen, on CLOCK_BOOTTIME */
	uint64_t age_us; /* how old it was then */
	int is_told;     /* a message said that it cannot be removed */
	struct timespec changed;
};

/* --keep: how many bytes of files stay, and for how long. 0: no limit. */
struct keep {
	uint64_t bytes, age_us;
	struct kept *v; /* by path */
	size_t n;
	int has_looked; /* files seen from now on are of this daemon */
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

/* Names that were given in the current second. */
struct names_given {
	time_t second;
	char **v;
	size_t n;
};

/* A client that is connected to the socket. */
#define MAX_ASKERS 8
struct asker {
	int fd;
	uint64_t t_us;  /* since when */
	char *text;     /* the answer; NULL: no request yet */
	size_t n, done; /* bytes of it */
};

struct daemon {
	const struct args *args;
	struct bob_ctx *ctx;
	const char *pattern;
	char *dir;
	struct place place;
	struct output output; /* format and its options */
	struct notes notes;
	struct bob_attach_opts attach;
	const char *vars[BOB_MAX_CAPTURE_VARS]; /* of attach */
	struct bob_sampler *sampler;
	struct bob_recorder *recorder;
	struct bob_watch *watch;
	int is_bundled; /* one file for all processes */
	uint64_t t_told;  /* since when n_told refusals were reported */
	unsigned n_told;
	int is_full_told; /* said that no descriptor is left */
	int sources_checked; /* --source, with the first process */
	struct governor governor;
	struct keep keep;
	struct bob_sealer *sealer;
	struct names_given given;
	int64_t clock_ahead_us; /* of the date, to CLOCK_BOOTTIME */
	uint64_t rotate_us, rotate_bytes; /* 0: never */
	int listener; /* the socket, or -1 */
	struct asker asker[MAX_ASKERS];
	size_t n_askers;
	char *socket;
	uint64_t t_us; /* now, on the sampler's clock */
	uint64_t t_looked, t_swept;
	time_t started;
};

/* daemon/place.c: place_open makes and opens the directory; place_look checks
 * that it is still the one at its path, and moves to a new one if not. Exit
 * codes, after saying what is wrong. */
int place_open(struct daemon *d);
int place_look(struct daemon *d);
void place_close(struct daemon *d);

/* daemon/files.c: names of files. */

/* Returns a path that was never used: names contain the second, and no name is
 * given twice in a second. The caller frees it; NULL: none is free, or memory
 * is out. */
char *files_new_name(struct daemon *d, const char *what, uint64_t pid);
void files_done(struct daemon *d);

/* All names begin with this. */
#define FILES_PREFIX "bobbin-"

/* daemon/keep.c: removes files by --keep. */
void keep_sweep(struct daemon *d);
void keep_done(struct daemon *d);

/* Says when the clock was set; call it each second. */
void keep_look_at_clock(struct daemon *d);

/* Parses a size ("2G") or an age ("7d") of --keep and --rotate. Returns 1 and
 * sets one of the two; 0 if it is neither. */
int files_parse_limit(const char *s, uint64_t *bytes, uint64_t *age_us);

/* daemon/workers.c: processes. A failure with one of them is reported and does
 * not affect the others. */

/* BOB_OK or FAILED. */
int workers_begin(struct daemon *d);

/* bob_watch_poll; never waits for a process. */
int workers_poll(struct daemon *d);

/* Returns the next process that is sampled, by rising pid, from *at on, and
 * moves *at; NULL behind the last. */
struct bob_proc *workers_next(const struct daemon *d, size_t *at);
size_t workers_count(const struct daemon *d);

/* daemon/recording.c: makes the recorder. BOB_OK or FAILED. */
int recording_begin(struct daemon *d);

/* daemon/sealing.c: seals files that are complete (bobbin/store.h). */

/* Begins, with those that an earlier daemon has left. */
void sealing_begin(struct daemon *d);
void sealing_add(struct daemon *d, const char *path);

/* Waits for the last files, but not for a disk that does not answer: the next
 * daemon seals what is left. */
void sealing_end(struct daemon *d);

/* daemon/refused.c: processes that cannot be sampled. */

/* Reports one of them; the reason is the last error of the context. */
void refused_tell(struct daemon *d, const struct bob_watched *p);

/* Reports, in one line, processes for which no descriptor is left. */
void refused_tell_full(struct daemon *d);

/* Counts them by cause; returns how many there are. */
size_t refused_sum(const struct daemon *d,
    struct refused_sum sum[BOB_N_REFUSALS]);

/* daemon/governor.c: sets g->period_ns. True if it has changed. */
int governor_look(struct governor *g, uint64_t t_us);

/* daemon/status.c: both ends of the socket. status_listen and status_ask:
 * EXIT_OK, or another code after saying what is wrong. */
int status_listen(struct daemon *d);
/* Leaves the file of the socket: it may belong to another daemon now. */
void status_unlisten(struct daemon *d);
void status_answer(struct daemon *d);
void status_close(struct daemon *d);

/* Connects to the daemon of a directory. Returns a descriptor, or -1 and errno;
 * EAGAIN: too many clients wait for it. */
int status_dial(const char *dir);

/* How long either side waits for the other; a machine may be very busy. */
#define STATUS_PATIENCE_MS 10000

/* daemon/ask.c: prints the state of the daemon. Returns an exit code, after
 * saying what is wrong. */
int status_ask(const char *dir, int as_json);

#endif
