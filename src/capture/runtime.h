/*
 * The interface of a runtime: how the stacks of one kind of interpreter are
 * found and read.
 *
 * Each runtime is a folder with one const table. Nothing outside that folder
 * names it, except the list in registry.c. A runtime reads through process->mem
 * alone, so that tests can offer memory of their own; it puts names into
 * process->dict, and adds runs to the process.
 */
#ifndef CAPTURE_RUNTIME_H
#define CAPTURE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/capture.h>

#include "capture/proc/maps.h"
#include "capture/proc/mem.h"
#include "capture/proc/oncpu.h"
#include "capture/proc/pause.h"
#include "capture/quota.h"
#include "core/error.h"
#include "model/dict.h"

#define RUNTIME_MAX_VERSION 32

/* A process that is sampled, and what the runtime finds out about it. */
struct process {
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	int pid;
	struct mem mem;
	struct maps maps;      /* while probing and attaching only */
	struct quota quota;    /* for its files */
	unsigned n_silent;     /* files of it that do not answer, see load.h */
	uint32_t flags;        /* enum bob_attach_flags */
	uint32_t max_depth;    /* never 0 */
	uint32_t mode;         /* enum bob_attach_mode */
	uint64_t only_thread;  /* 0: all, or BOB_MAIN_THREAD */
	const char *want_version; /* NULL: find out */
	struct pattern *redact; /* of secrets; NULL: there are none */
	const char *const *vars; /* while attaching only */
	size_t n_vars;
	int looks_everywhere;  /* no file has the name of a runtime: try all */
	struct bob_capture_counts counts;
	uint64_t time_us;      /* of the sample that is taken */
	int busy_tid;          /* thread that runs code; 0: not known */
	struct oncpu running;  /* of the last thread that counted as running */
	/* Set by attach. */
	char version[RUNTIME_MAX_VERSION];
	const char *flavour;
	const char *module; /* path, in the arena of maps */
	/* Of the last sample; added with process_add_run(). */
	struct bob_run *run;
	size_t n_run, cap_run;
	/* Variables of the last sample; added with process_add_local(). */
	struct bob_local *local;
	size_t n_local, cap_local;
	int has_more_locals;
};

struct runtime {
	const char *name;
	int is_asked_for; /* used only if the user names it */
	/* Checks options without a process. Returns BOB_OK or FAILED. May be
	 * NULL. */
	int (*check)(struct bob_ctx *ctx, const struct bob_attach_opts *opts);
	/* True if a mapped file may hold this runtime, by its name alone. */
	int (*is_module)(const struct map_file *f);
	/*
	 * Finds the interpreter in process->maps. Returns BOB_OK and sets *ret
	 * to its state; BOB_EOF if the process does not have this runtime;
	 * FAILED if it has, but it cannot be read, and the context says why.
	 */
	int (*attach)(struct process *p, void **ret);
	/*
	 * Adds a run for each thread with a stack (stack, track, annot, status
	 * and its flag; the caller sets the rest), and counts what is lost,
	 * retried and repaired. Returns BOB_OK; FATAL; or BOB_EOF if reading
	 * says that there is no such process.
	 */
	int (*sample)(void *state, struct process *p);
	/* Sets *ret to the i-th file that samples had native frames of. Returns
	 * 1; 0 behind the last. May be NULL. */
	int (*module)(const void *state, size_t i, struct bob_module *ret);
	/* Forgets all ids, as process->dict is another dictionary now. */
	void (*forget)(void *state);
	void (*detach)(void *state);
};

/* Returns the i-th runtime; NULL behind the last. */
const struct runtime *runtime_get(size_t i);

/* Adds a run. Returns it, cleared; NULL if memory is out (the context has the
 * error). */
struct bob_run *process_add_run(struct process *p);

/* Adds a variable; beyond BOB_MAX_CAPTURE_LOCALS it is left out. Returns BOB_OK
 * or FATAL, also if an id of it is BOB_NO_ID. */
int process_add_local(struct process *p, const struct bob_local *local);

/* Assigns the variables from index `first` on to a run. They were added with
 * stacks of the interpreter alone; here they get the frames of the run's stack,
 * which may have C frames in between. */
void process_settle_locals(struct process *p, size_t first, size_t run,
    bob_stack stack);

/* For a thread in state R: returns 1 if it counts as running, see
 * oncpu_is_running(). */
int process_is_running(struct process *p, struct oncpu *o, int tid);

/* Releases a thread that pause_begin() has stopped, and counts the time. */
void process_go(struct process *p, struct pause *pause);

/*
 * Copies a value with *** in place of secrets (process->redact), at most cap
 * bytes. `is_cut`: the value goes on behind its n bytes. Returns the number of
 * bytes, or REDACT_FATAL if memory is out.
 */
#define REDACT_FATAL SIZE_MAX
size_t process_redact(struct process *p, const char *s, size_t n, int is_cut,
    char *buf, size_t cap);

/* Puts a value of at most REDACT_MAX_BYTES into the dictionary, with *** in
 * place of secrets. Returns its id, or BOB_NO_ID. */
#define REDACT_MAX_BYTES 2048
bob_str process_put_value(struct process *p, const char *s, size_t n,
    int is_cut);

/*
 * For a sampler of several processes: a sample of each may take `us`
 * microseconds. A process that took more is left out of some samples, which
 * count as lost. Returns 1 if it is left out now.
 */
int proc_must_wait(struct bob_proc *p, uint64_t us);

/* To be called after a sample that began at a time of the clock. Returns how
 * many ns it took, without the time in which we had no processor. */
uint64_t proc_took(struct bob_proc *p, uint64_t t_ns);

/* Counts a lost sample. */
void process_lose(struct process *p, enum bob_lost why);

#endif
