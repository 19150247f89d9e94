/*
 * A runtime: how the stacks of one kind of interpreter are found and read.
 *
 * Each is a folder of its own with one const table; nothing outside that
 * folder names it, except the list in registry.c. The runtime reads through
 * process->mem alone (a test's memory is as good as a process), puts names
 * into the dictionary it is given, and hands out runs.
 */
#ifndef CAPTURE_RUNTIME_H
#define CAPTURE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "capture/quota.h"
#include "capture/proc/maps.h"
#include "capture/proc/mem.h"
#include "capture/proc/pause.h"
#include "core/error.h"
#include "model/dict.h"

#define RUNTIME_MAX_VERSION 32

/* A process that is looked at, and what the runtime finds out about it. */
struct process {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	int pid;
	struct mem mem;
	struct maps maps;      /* while probing and attaching only */
	struct quota quota;  /* for its files */
	unsigned n_silent;     /* files of it that do not answer, see load.h */
	uint32_t flags;        /* enum bob_attach_flags */
	uint32_t max_depth;    /* never 0 */
	uint32_t mode;         /* enum bob_attach_mode */
	uint64_t only_thread;  /* 0: all, or BOB_MAIN_THREAD */
	const char *want_version; /* NULL: find out */
	struct pattern *redact; /* NULL: everything is told */
	const char *const *vars; /* while attaching only */
	size_t n_vars;
	int looks_everywhere;  /* no file has a telling name: look into any */
	struct bob_capture_counts counts;
	uint64_t time_us;      /* of the sample that is taken */
	/* Set by attach. */
	char version[RUNTIME_MAX_VERSION];
	const char *flavour;
	const char *module; /* path, in the arena of maps */
	/* What sample gives; made room for with process_add_run. */
	struct bob_run *run;
	size_t n_run, cap_run;
	/* And variables; added with process_add_local. */
	struct bob_local *local;
	size_t n_local, cap_local;
	int has_more_locals;
};

struct runtime {
	const char *name;
	int is_asked_for; /* by name only: it never looks for itself */
	/* Options that are wrong whatever the process: BOB_OK or FAILED. May
	 * be NULL. */
	int (*check)(struct bob_ctx *ctx, const struct bob_attach_opts *opts);
	/* True when a mapped file may hold this runtime, by its name alone. */
	int (*is_module)(const struct map_file *f);
	/*
	 * Finds the interpreter in process->maps. BOB_OK and *ret, its state;
	 * BOB_EOF: not one of ours; FAILED: ours, but it cannot be read, and
	 * the context says why.
	 */
	int (*attach)(struct process *p, void **ret);
	/*
	 * Adds a run per thread with a stack (stack, track, annot, status and
	 * the flag of status; the rest is set by the caller), and counts what
	 * is lost, retried and repaired. BOB_OK; FATAL; or BOB_EOF when
	 * reading says that there is no such process.
	 */
	int (*sample)(void *state, struct process *p);
	/* A file that samples had native frames of: 1, or 0 behind the last.
	 * NULL: there are none. */
	int (*module)(const void *state, size_t i, struct bob_module *ret);
	/* Forgets all ids of the old dictionary; process->dict is the new. */
	void (*forget)(void *state);
	void (*detach)(void *state);
};

/* The i-th runtime; NULL behind the last. */
const struct runtime *runtime_get(size_t i);

/* A cleared run to fill in, or NULL (the context has the error). */
struct bob_run *process_add_run(struct process *p);

/* A variable more; beyond BOB_MAX_LIVE_LOCALS none is taken. BOB_OK; FATAL,
 * also for an id that could not be made. */
int process_add_local(struct process *p, const struct bob_local *local);

/* Those from the first on, which were added for frames of the interpreter, are
 * a run's: its stack may have others between them. */
void process_settle_locals(struct process *p, size_t first, size_t run,
    bob_stack stack);

/* Lets go of a thread that pause_begin has stopped, and counts the time. */
void process_go(struct process *p, struct pause *pause);

/*
 * A value of an annotation that may hold what is not to be told: copied with
 * *** in place of it. `is_cut`: the value goes on behind its n bytes. At most
 * cap bytes; their number, or REDACT_FATAL without memory.
 */
#define REDACT_FATAL SIZE_MAX
size_t process_redact(struct process *p, const char *s, size_t n, int is_cut,
    char *buf, size_t cap);

/* Puts such a value, of at most REDACT_MAX_BYTES, into the dictionary. */
#define REDACT_MAX_BYTES 2048
bob_str process_put_value(struct process *p, const char *s, size_t n,
    int is_cut);

/*
 * For a sampler of several processes: each may take so many microseconds for
 * one sample, and one that took more waits until it has made up for that. True
 * when it has to wait now; that sample is lost.
 */
int proc_must_wait(struct bob_proc *p, uint64_t us);

/* A sample that was begun at a time of the clock is done. How long it took, in
 * ns, without the time for which somebody else had the processor. */
uint64_t proc_took(struct bob_proc *p, uint64_t t_ns);

/* Counts a lost sample. */
void process_lose(struct process *p, enum bob_lost why);

#endif
