/*
 * Recording: writing samples of processes to files, for seconds or for weeks.
 *
 *     struct bob_recorder_events ev = { .name = next_name, .user = me };
 *     struct bob_recorder_opts o = { .size = sizeof(o), .sampler = sampler,
 *             .format = "rbt", .events = &ev };
 *
 *     bob_recorder_new(ctx, &o, &rec);
 *     bob_recorder_begin(rec);
 *     bob_sampler_run(sampler);
 *     bob_recorder_end(rec);
 *     bob_recorder_free(rec);
 *
 * The caller passes events on: `came` of a watch to bob_recorder_add; `runs`,
 * `gone` and `tick` of the sampler to bob_recorder_runs, _gone and _tick. A
 * program that wants one file and no more calls bob_record, which connects the
 * three handles.
 *
 * A file is written in place, and only its owner may read it. Samples are
 * passed to the system each second, so a recording that is killed loses one
 * second at most. A format that only adds up samples is written at the end.
 * Each file has its own dictionary, so the memory for names is freed with it.
 * Its metadata say what was sampled (process.*), how, how well, and what was
 * lost (profiler.*).
 *
 * Every sample is counted in exactly one place:
 *
 *     taken = written + pending + filtered + lost (by cause)
 *
 * Threads: a recorder belongs to the thread that gets its sampler's events.
 */
#ifndef BOBBIN_RECORDER_H
#define BOBBIN_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/capture.h>
#include <bobbin/filter.h>
#include <bobbin/option.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_recorder_flags {
	/* Write one file for each process. Otherwise one file for all. */
	BOB_RECORDER_EACH = 1 << 0,
	/* There is one process at a time. The metadata of a segment name it;
	 * the next process begins another segment. */
	BOB_RECORDER_SINGLE = 1 << 1,
	/* Rotation ends a file and begins the next. Otherwise it begins a
	 * segment in the same file. */
	BOB_RECORDER_FILES = 1 << 2,
	/* A file that cannot be written does not end the recording. The
	 * recorder tries to open another one, again and again. Samples are
	 * lost meanwhile, and counted. */
	BOB_RECORDER_PERSIST = 1 << 3
};

enum bob_recorder_note_kind {
	BOB_NOTE_BLOCKED,  /* no file can be written; `text` says why */
	BOB_NOTE_RESUMED,  /* a file can be written again, after `us`
	                    * microseconds; `lost` samples were lost */
	BOB_NOTE_REMOVED,  /* another program has removed or cut the file at
	                    * `path`; its samples are lost */
	BOB_NOTE_STAYS,    /* no new file can be opened, `text` says why; the
	                    * file at `path` is continued */
	BOB_NOTE_MISSING,  /* the file at `path` was ended, but is not there */
	BOB_NOTE_SYMBOLS,  /* the module at `path` has no symbols; `text` says
	                    * why */
	BOB_NOTE_SOURCE,   /* no source is shown, because of process `pid`;
	                    * `text` says why */
	BOB_NOTE_ENDED     /* nothing more will be written to the file at
	                    * `path`, which is closed */
};

/* Strings are valid during the call. */
struct bob_recorder_note {
	int kind; /* enum bob_recorder_note_kind */
	const char *path, *text; /* "" if it has none */
	uint64_t pid, us, lost;
};

struct bob_recorder_events {
	/*
	 * Returns the path of the next file, allocated with malloc(3); the
	 * recorder frees it. The file is for process p, or for all processes
	 * if p is NULL. is_again: the file before was removed. Returns NULL if
	 * there is no path.
	 */
	char *(*name)(void *user, const struct bob_proc *p, int is_again);
	/* Receives what the user may want to know. May be NULL. BLOCKED and
	 * RESUMED come once a minute at most. */
	void (*note)(void *user, const struct bob_recorder_note *note);
	void *user;
};

struct bob_recorder_opts {
	size_t size;        /* sizeof(struct bob_recorder_opts) */
	struct bob_sampler *sampler; /* must outlive the recorder */
	const char *format; /* a name from bob_format_get */
	/* Options of the format; they must outlive the recorder. Source files
	 * (option `source`) are opened as the processes see them. */
	const struct bob_option *options;
	size_t n_options;
	const struct bob_filter *filter; /* must outlive the recorder; NULL:
	                                  * all samples are written */
	uint64_t period_ns; /* of the sampler, for the metadata */
	uint32_t mode;      /* enum bob_attach_mode, for the metadata */
	uint32_t flags;     /* enum bob_recorder_flags */
	uint64_t rotate_us, rotate_bytes; /* when to rotate; 0: never */
	const struct bob_recorder_events *events;
	/* What the processes are a part of, for the metadata (`service`); must
	 * outlive the recorder. NULL: nothing is said. */
	const char *service;
};

struct bob_recorder;

/* Makes a recorder. Checks the options, but opens no file. Returns BOB_OK and
 * sets *ret, or FAILED. */
BOB_API int bob_recorder_new(struct bob_ctx *ctx,
    const struct bob_recorder_opts *opts, struct bob_recorder **ret);

/* Frees a recorder; call it before you free the sampler. Files that were not
 * ended stay as they are. NULL is allowed. */
BOB_API void bob_recorder_free(struct bob_recorder *r);

/* Returns the dictionary for a process that is attached now, until it is added:
 * pass it to bob_watch_set_dict, or in struct bob_attach_opts. */
BOB_API struct bob_dict *bob_recorder_dict(const struct bob_recorder *r);

/*
 * Begins the recording: opens the file of all processes. With BOB_RECORDER_EACH
 * files are opened by bob_recorder_add. Returns BOB_OK, or FAILED if the file
 * cannot be opened; with BOB_RECORDER_PERSIST that is a note, and BOB_OK.
 */
BOB_API int bob_recorder_begin(struct bob_recorder *r);

/* Add a process of the sampler, and write n runs of it. Return BOB_OK or FATAL;
 * always BOB_OK with BOB_RECORDER_PERSIST. So do all functions below that
 * return a status. */
BOB_API int bob_recorder_add(struct bob_recorder *r, struct bob_proc *p);
BOB_API int bob_recorder_runs(struct bob_recorder *r, struct bob_proc *p,
    const struct bob_run *runs, size_t n);

/* The sampler no longer samples a process. */
BOB_API void bob_recorder_gone(struct bob_recorder *r, struct bob_proc *p);

/* Tells the time of the sampler, some times a second. Each second everything is
 * passed to the system, and what is due is rotated. Other calls use the time of
 * the last tick. */
BOB_API int bob_recorder_tick(struct bob_recorder *r, uint64_t t_us);

/* Rotates now, or as soon as a file can be written. */
BOB_API int bob_recorder_rotate(struct bob_recorder *r);

/* Returns the number of rotations that were due and took place. */
BOB_API uint64_t bob_recorder_rotations(const struct bob_recorder *r);

/* The sampler has another period from now on. Begins new segments. */
BOB_API int bob_recorder_set_period(struct bob_recorder *r, uint64_t period_ns);

/* Ends all files and begins new ones, because `name` now returns paths in
 * another folder. */
BOB_API int bob_recorder_move(struct bob_recorder *r);

/* Ends all files. Their metadata say how the capture went. */
BOB_API int bob_recorder_end(struct bob_recorder *r);

/* Ends the recording after a failure. What is in the files stays. Samples that
 * are in no file count as lost, by the cause in the context's error. */
BOB_API void bob_recorder_give_up(struct bob_recorder *r);

/* Where all samples are. */
struct bob_recorded {
	uint64_t taken;    /* passed to bob_recorder_runs */
	uint64_t written;  /* in files */
	uint64_t pending;  /* in memory, for a second at most */
	uint64_t filtered; /* dropped by the filter */
	uint64_t lost[BOB_N_UNKEPT]; /* by enum bob_unkept_cause */
	uint64_t n_files, n_bytes;
};

BOB_API struct bob_recorded bob_recorder_sum(const struct bob_recorder *r);

/* Returns the path of the file for samples of process p, or of the file of all
 * processes; NULL if there is none now. Valid until the next call that may
 * rotate. */
BOB_API const char *bob_recorder_path(const struct bob_recorder *r,
    const struct bob_proc *p);

/* Returns 1 if a path is that of a file that is being written, or of its side
 * file. */
BOB_API int bob_recorder_has(const struct bob_recorder *r, const char *path);

/* Returns what the file of all processes can store (enum bob_caps). */
BOB_API uint32_t bob_recorder_caps(const struct bob_recorder *r);

/* Returns why no file can be written, and sets *ret_us to for how long; NULL if
 * files can be written. */
BOB_API const char *bob_recorder_blocked(const struct bob_recorder *r,
    uint64_t *ret_us);

/* Returns the first directory of the option `source` that no process has, or
 * NULL. */
BOB_API const char *bob_recorder_missing_source(const struct bob_recorder *r);

/* --- all in one call ------------------------------------------------------ */

struct bob_record_opts {
	size_t size;          /* sizeof(struct bob_record_opts) */
	const char *path;     /* the file, written in place */
	const char *format;   /* NULL: rbt */
	uint64_t pid;         /* a process; 0: none */
	const char *pattern;  /* processes by their command line, as they come
	                       * and go; NULL: none */
	const struct bob_attach_opts *attach; /* NULL: the defaults. Its
	                                       * dictionary is not used */
	uint64_t period_ns;   /* 0: 10 ms */
	uint64_t duration_us; /* 0: until `stop`, or until the process ends */
	const volatile int *stop; /* as in struct bob_sampler_opts */
};

/*
 * Records a process, those that match a pattern, or both into one file, and
 * returns when that is done. The file is opened when the first process is
 * attached. Returns BOB_OK, also when no process has matched; FAILED when the
 * process that was named cannot be sampled, as the context's error says; or
 * FATAL: what was written before stays. Fills *ret, unless it is NULL, whenever
 * a recorder could be made.
 */
BOB_API int bob_record(struct bob_ctx *ctx,
    const struct bob_record_opts *opts, struct bob_recorded *ret);

#ifdef __cplusplus
}
#endif
#endif
