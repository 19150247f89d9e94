/*
 * Private functions of struct bob_proc, the handle of an attached process, for
 * the sampler, the watch, the recorder and the doctor.
 */
#ifndef CAPTURE_ATTACH_HANDLE_H
#define CAPTURE_ATTACH_HANDLE_H

#include <bobbin/capture.h>
#include <bobbin/watch.h>

#include "core/error.h"

/* What a handle owns if it was attached in a thread of its own. */
struct handle_own {
	struct bob_ctx *ctx;
	struct bob_dict *dict;        /* while attaching */
	struct bob_attach_opts opts;
	char *runtime, *version, *redact;
	const char *vars[BOB_MAX_CAPTURE_VARS];
};

/* Returns a copy of the options, with a context and a dictionary; NULL if
 * memory is out. */
struct handle_own *handle_own_new(const struct bob_attach_opts *o);
void handle_own_free(struct handle_own *own);

/* The handle frees it with itself. */
void handle_set_own(struct bob_proc *p, struct handle_own *own);

/* From here on the handle belongs to a thread that was left behind (hand.h):
 * only its facts and counts may be used. */
void handle_set_silent(struct bob_proc *p);

/* Returns when the process was started, in clock ticks: another process with
 * the same pid has another start. */
uint64_t handle_start(const struct bob_proc *p);

/* Returns the context that its errors are in. */
struct bob_ctx *handle_ctx(const struct bob_proc *p);

/* Its member of a sampler; NULL: it has no sampler. */
struct member;
void handle_set_member(struct bob_proc *p, struct member *m);
struct member *handle_member(const struct bob_proc *p);

/* Its watch; NULL: none. */
void handle_set_watch(struct bob_proc *p, struct bob_watch *w);
struct bob_watch *handle_watch(const struct bob_proc *p);

/* Its lane of a recorder; NULL: none. */
struct lane;
void handle_set_lane(struct bob_proc *p, struct lane *l);
struct lane *handle_lane(const struct bob_proc *p);

/* bob_attach_begin with enum thread_flags. */
int attaching_begin(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, int flags, struct bob_attaching **ret);

/* Sets the error of a process that does not answer, and returns FAILED. */
int attaching_is_silent(struct bob_ctx *ctx, uint64_t pid);

/* Dictionary and counts as the sampling thread sees them. */
struct bob_dict *handle_dict(const struct bob_proc *p);
void handle_set_dict(struct bob_proc *p, struct bob_dict *dict);
const struct bob_capture_counts *handle_counts(const struct bob_proc *p);

/* For one more moment of a process that took several periods to stop, as it
 * waited for a processor with the stack of its sample. Returns 1 if that moment
 * has the same sample. In BOB_MODE_CPU it may be one at which the thread does
 * not count as running: returns 0. Counts it as taken or as idle. */
int handle_stands_for(struct bob_proc *p);

/* Returns the thread that ran code in the last sample, or the main thread if
 * that is not known. Sets *pid to its process, and *is_woken if it was stopped
 * for the sample: then the kernel may have moved it to another processor. */
int handle_busy_thread(const struct bob_proc *p, int *pid, int *is_woken);

/* True if it is stopped for the whole of each sample. With native frames it is
 * not: files are read while it runs. */
int handle_is_stopped(const struct bob_proc *p);

/* After a sample of one thread: true if no other thread of the process can have
 * had one while this one waited for a processor. */
int handle_is_one_thread(const struct bob_proc *p);

#endif
