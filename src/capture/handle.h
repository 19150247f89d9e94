/* What the parts of the library that deal with struct bob_proc share. */
#ifndef CAPTURE_HANDLE_H
#define CAPTURE_HANDLE_H

#include <bobbin/capture.h>

#include "core/error.h"

/* What a handle owns that was attached in a thread of its own. */
struct handle_own {
	struct bob_ctx *ctx;
	struct bob_dict *dict;        /* while attaching */
	struct bob_attach_opts opts;
	char *runtime, *version, *redact;
	const char *vars[BOB_MAX_LIVE_VARS];
};

/* A copy of the options, with a context and a dictionary; NULL without
 * memory. */
struct handle_own *handle_own_new(const struct bob_attach_opts *o);
void handle_own_free(struct handle_own *own);

/* The handle frees it in the end. */
void handle_set_own(struct bob_proc *p, struct handle_own *own);

/* From here on the handle is a thread's that is left behind: nothing of it is
 * touched but its facts and counts. */
void handle_set_silent(struct bob_proc *p);

/* When it began, in clock ticks: another process with its number differs. */
uint64_t handle_start(const struct bob_proc *p);

/* The context that its errors are in. */
struct bob_ctx *handle_ctx(const struct bob_proc *p);

/* While it is sampled by a sampler; NULL: it is the caller's. */
struct member;
void handle_set_member(struct bob_proc *p, struct member *m);
struct member *handle_member(const struct bob_proc *p);

/* What the one who samples has of it: ids and counts. */
struct bob_dict *handle_dict(const struct bob_proc *p);
void handle_set_dict(struct bob_proc *p, struct bob_dict *dict);
const struct bob_capture_counts *handle_counts(const struct bob_proc *p);

/* A process that is stopped for a sample stops when it has a processor. Then
 * the sample stands for n more moments, in which it waited for one: samples of
 * the same stack, or idle ones where only those on a processor are taken. True
 * when they are samples. */
int handle_stands_for(struct bob_proc *p, uint64_t n);

/* True when it is stopped for each sample, and stands as long as that takes:
 * libraries, for native frames, are read while it runs. */
int handle_is_stopped(const struct bob_proc *p);

#endif
