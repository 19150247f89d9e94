/*
 * Capturing: sampling the stacks of running processes from outside.
 *
 * Nothing is loaded into the process or written to it, and no program is
 * started. The process is not stopped, unless BOB_ATTACH_PAUSE,
 * BOB_ATTACH_NATIVE or BOB_ATTACH_LOCALS is given, or the runtime is "native".
 *
 * The memory of the process is not trusted. It may be hostile, and it changes
 * while it is read. A stack is given only if it was proven to be one. Otherwise
 * the sample is lost, and counted with its reason. What one sample may read is
 * bounded (bobbin/limits.h, BOB_MAX_CAPTURE_...).
 *
 *     struct bob_attach_opts o = { .size = sizeof(o), .dict = dict };
 *     struct bob_proc *p;
 *
 *     if (bob_attach(ctx, pid, &o, &p) < 0)
 *             ... bob_ctx_error(ctx)->text says what to do about it ...
 *     while (bob_sample(p, time_us, &runs, &n) != BOB_EOF)
 *             bob_write_runs(out, runs, n);
 *     bob_detach(p);
 *
 * To sample any number of processes at a steady rate, use struct bob_sampler.
 * To follow processes that start and end, use bobbin/watch.h.
 *
 * Reading a process needs the rights of ptrace(2): the same user and a process
 * that is dumpable, or CAP_SYS_PTRACE.
 *
 * Threads: a process handle belongs to one thread at a time, together with its
 * dictionary.
 */
#ifndef BOBBIN_CAPTURE_H
#define BOBBIN_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/model.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_attach_flags {
	/* Stop each thread while it is read. Stacks are exact, and the process
	 * is slower. Attach and sample from the same thread. */
	BOB_ATTACH_PAUSE = 1 << 0,
	/* Frames have the opcode that the interpreter executes. */
	BOB_ATTACH_OPCODES = 1 << 1,
	/* Annotate samples with the web request that is served: request.id (1
	 * to 9, different from that of the request before), request.method,
	 * request.uri (without the query), request.route (the uri with numbers
	 * and ids as {n} and {id}) and request.script. */
	BOB_ATTACH_REQUEST = 1 << 2,
	/* Annotations request.query and request.cookie. They may contain
	 * secrets. */
	BOB_ATTACH_QUERY = 1 << 3,
	BOB_ATTACH_COOKIE = 1 << 4,
	/* Annotations memory.usage and memory.peak, in bytes, rounded down to
	 * 64 KiB. */
	BOB_ATTACH_MEMORY = 1 << 5,
	/* Python: find out whether a thread is on a CPU (BOB_STATUS_ON_CPU).
	 * Reads a file for each sample. */
	BOB_ATTACH_ON_CPU = 1 << 6,
	/* Python: add a frame <native> where C code called back into
	 * Python. */
	BOB_ATTACH_NATIVE_MARKS = 1 << 7,
	/* Add the native frames between those of the interpreter. Stops the
	 * thread as BOB_ATTACH_PAUSE does. */
	BOB_ATTACH_NATIVE = 1 << 8,
	/* Python: a thread that runs an asyncio task has the stack of the
	 * task, below a frame <task> for it and for each task that awaits it.
	 * Annotation task.name. */
	BOB_ATTACH_TASKS = 1 << 9,
	/* The same, and one run for each task that waits, without a status. */
	BOB_ATTACH_ALL_TASKS = 1 << 10,
	/* Read the arguments and variables of each frame: bob_proc_locals.
	 * They may contain secrets. Threads of Python are stopped as with
	 * BOB_ATTACH_PAUSE; a thread that cannot be stopped has none. */
	BOB_ATTACH_LOCALS = 1 << 11
};

/* Which threads are sampled. The last two are for Python only. */
enum bob_attach_mode {
	BOB_MODE_WALL = 0,  /* all */
	BOB_MODE_CPU,       /* those on a CPU */
	BOB_MODE_GIL,       /* those that hold the interpreter's lock */
	BOB_MODE_EXCEPTION, /* those that raise or handle an exception */
	BOB_N_MODES
};

/* Returns the name of a mode, such as "cpu"; NULL if there is no such mode. */
BOB_API const char *bob_mode_name(int mode);

/* bob_attach_opts.thread: the main thread only. */
#define BOB_MAIN_THREAD UINT64_MAX

struct bob_attach_opts {
	size_t size;           /* sizeof(struct bob_attach_opts) */
	struct bob_dict *dict; /* dictionary of the ids; it must outlive the
	                        * handle */
	const char *runtime;   /* a name from bob_runtime_get; NULL: detect */
	const char *version;   /* such as "8.2"; NULL: detect */
	uint32_t flags;        /* enum bob_attach_flags */
	uint32_t max_depth;    /* keep this many of the innermost frames; 0:
	                        * all up to BOB_MAX_CAPTURE_DEPTH */
	uint32_t mode;         /* enum bob_attach_mode */
	uint32_t zero;
	uint64_t thread;       /* Python: only the thread with this kernel id
	                        * (tid), or BOB_MAIN_THREAD; 0: all */
	/* PHP: variables whose values become annotations. The text of the
	 * variable is the key: "global::$name",
	 * "local::Class::method()$name[key]",
	 * "static::Class::$name->property", "func_static::function()$name",
	 * "memory::memory_get_usage". */
	const char *const *vars;
	size_t n_vars;         /* at most BOB_MAX_CAPTURE_VARS */
	/* A Perl-compatible pattern. Matches in values of annotations and
	 * variables are replaced by "***"; if matching takes too long, the
	 * whole value is. NULL: nothing is replaced. */
	const char *redact;
};

/* Checks the options without a process; the dictionary may be NULL. Returns
 * BOB_OK, or FAILED (BOB_E_USAGE) if bob_attach would refuse them for any
 * process. */
BOB_API int bob_attach_check(struct bob_ctx *ctx,
    const struct bob_attach_opts *opts);

/* An attached process. */
struct bob_proc;

/* Returns the name of the i-th runtime that can be captured, NULL after the
 * last one. */
BOB_API const char *bob_runtime_get(size_t i);

/* Returns its supported versions, such as "7.0 to 8.5". */
BOB_API const char *bob_runtime_versions(size_t i);

/*
 * Attaches a process, which takes some milliseconds. Returns BOB_OK and sets
 * *ret, or FAILED. The context's error says what to do. Its `sys` is EPERM if
 * the process may not be read, ESRCH if there is no such process. Its `code` is
 * BOB_E_FORMAT if the process has no known runtime; then `sys` is EAGAIN if the
 * process was started less than a second ago, or has just executed another
 * program: it may get a runtime soon. End with bob_detach.
 */
BOB_API int bob_attach(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, struct bob_proc **ret);

/*
 * Begins to attach a process in a thread of its own, so that a process whose
 * files or memory do not respond delays nobody. The options are copied. Returns
 * BOB_OK and sets *ret, or FAILED.
 */
struct bob_attaching;
BOB_API int bob_attach_begin(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, struct bob_attaching **ret);

/*
 * Asks for the result, without waiting. Returns BOB_AGAIN while there is none;
 * BOB_OK and sets *ret, whose ids are those of `dict`; FAILED as bob_attach.
 * BOB_OK and FAILED free `a`.
 */
BOB_API int bob_attach_poll(struct bob_ctx *ctx, struct bob_attaching *a,
    struct bob_dict *dict, struct bob_proc **ret);

/* Returns 1 if bob_attach_poll has a result. */
BOB_API int bob_attach_is_done(struct bob_attaching *a);

/* Waits at most `us` microseconds for the result, then gives up. Returns BOB_OK
 * and sets *ret, or FAILED: `sys` is ETIMEDOUT if it gave up. Frees `a` in
 * either case. */
BOB_API int bob_attach_wait(struct bob_ctx *ctx, struct bob_attaching *a,
    struct bob_dict *dict, uint64_t us, struct bob_proc **ret);

/* Returns for how many microseconds the attempt has been running. An ordinary
 * process takes some milliseconds, the largest ones some hundred. */
BOB_API uint64_t bob_attach_age(const struct bob_attaching *a);

/* Gives up and frees `a`; never waits. NULL is allowed. */
BOB_API void bob_attach_drop(struct bob_attaching *a);

/* Detaches and frees the handle; the process runs on. NULL is allowed. */
BOB_API void bob_detach(struct bob_proc *p);

/*
 * Samples all threads of the process that run something. Sets *ret to *ret_n
 * runs of one sample each, with stack, track, annotations, status, and the time
 * that the caller passes. Valid until the next call for this process.
 *
 * Returns BOB_OK (with 0 runs: nothing ran); BOB_AGAIN if something ran but no
 * stack could be proven, see bob_proc_counts; BOB_EOF if the process has ended
 * or executed another program: detach it; FATAL without memory.
 */
BOB_API int bob_sample(struct bob_proc *p, uint64_t time_us,
    const struct bob_run **ret, size_t *ret_n);

/*
 * The same, but the moment is independent of the scheduler: waits for some
 * milliseconds, and samples with real-time priority if the thread may have it.
 * For a single look; a sampler does this by itself.
 */
BOB_API int bob_look(struct bob_proc *p, uint64_t time_us,
    const struct bob_run **ret, size_t *ret_n);

enum bob_local_flags {
	BOB_LOCAL_ARGUMENT = 1 << 0 /* an argument of the call */
};

/* A variable of a frame. The value is one line of text: as Python's repr, or
 * in the notation of PHP's annotations. */
struct bob_local {
	uint32_t run;    /* index of the run in the last sample */
	bob_stack stack; /* the frame is the innermost one of this stack, which
	                  * is a part of the run's stack; 0: the frame is not
	                  * in the run's stack */
	bob_str name;
	bob_str value;   /* 0: it could not be read, or changed meanwhile */
	uint32_t flags;  /* enum bob_local_flags */
};

/*
 * With BOB_ATTACH_LOCALS: sets *ret to the *ret_n variables of the last sample
 * that have a value, at most BOB_MAX_CAPTURE_LOCALS. The innermost frame of
 * each run comes first. Valid until the next sample. Returns 1 if there were
 * more.
 */
BOB_API int bob_proc_locals(const struct bob_proc *p,
    const struct bob_local **ret, size_t *ret_n);

/* Switches to another dictionary, from the next sample on. The handle forgets
 * all ids of the old one, so a long capture can free it. */
BOB_API void bob_proc_set_dict(struct bob_proc *p, struct bob_dict *dict);

/* Why a sample was lost. */
enum bob_lost {
	BOB_LOST_READ = 0, /* a pointer leads to memory that is not mapped */
	BOB_LOST_MOVED,    /* the stack changed while it was read */
	BOB_LOST_ROOT,     /* the stack does not lead to the program's start */
	BOB_LOST_NAME,     /* the name of a function cannot be read */
	BOB_LOST_DEPTH,    /* deeper than BOB_MAX_CAPTURE_DEPTH, or a circle */
	BOB_LOST_PAUSE,    /* the thread did not stop in time */
	BOB_LOST_THREADS,  /* the list of threads has a circle, is longer than
	                    * the process can have, or longer than
	                    * BOB_MAX_CAPTURE_THREADS. Counted once for each
	                    * sample of the process. */
	BOB_LOST_STEPS,    /* it took more reads than BOB_MAX_CAPTURE_READS or
	                    * BOB_MAX_CAPTURE_BYTES; or the process was skipped
	                    * because it delays others */
	BOB_LOST_LOADING,  /* a file that is needed to unwind the stack, or to
	                    * name its functions, is still being read */
	BOB_N_LOST
};

/* Returns the name of a reason, such as "moved"; NULL if there is none. */
BOB_API const char *bob_lost_name(int why);

/* Number of delay[] counters. The last one counts delays above 4 s. */
#define BOB_N_DELAYS 24

struct bob_capture_counts {
	uint64_t taken;    /* samples given, one per thread */
	uint64_t idle;     /* calls that found nothing running */
	uint64_t lost;     /* samples lost: the sum of lost_by */
	uint64_t lost_by[BOB_N_LOST]; /* by enum bob_lost */
	uint64_t retried;  /* times that a stack was read again */
	uint64_t repaired; /* samples from which frames were removed that
	                    * returned while they were read */
	uint64_t cut;      /* samples deeper than max_depth */
	uint64_t missed;   /* sampler: moments without a sample, as it was
	                    * late */
	uint64_t stops;    /* times that a thread was stopped */
	uint64_t stopped_ns; /* for how long, in all */
	uint64_t broken;   /* native stacks that could not be unwound to the
	                    * start of their thread */
	uint64_t unmerged; /* samples whose native frames could not be merged
	                    * with the interpreter's */
	uint64_t unread;   /* variables that changed while they were read */
	/* Sampler: samples by how late they were. delay[0] counts those less
	 * than 1 us late, delay[i] those 2^(i-1) to 2^i us late. */
	uint64_t delay[BOB_N_DELAYS];
	uint64_t demoted;  /* sampler: seconds in which its budget of real-time
	                    * priority was used up */
	uint64_t inferred; /* samples whose stack changed while it was read */
};

/* Returns a percentile of the delays, in microseconds: with 99, 99 % of the
 * samples were at most this late. */
BOB_API double bob_late_us(const struct bob_capture_counts *c, double percent);

/*
 * Returns the percentage of moments that were missed, or whose sample was more
 * than BOB_LATE_US late. A late sampler gets a processor when another thread
 * gives one up, and that is often the sampled thread. So this is a bound on the
 * error of shares, in percentage points.
 */
#define BOB_LATE_US 256
BOB_API double bob_late_percent(const struct bob_capture_counts *c);

/*
 * Returns the percentage of samples that do not show the stack of the moment
 * that was chosen: it changed while it was read and was inferred, or was lost.
 * Functions that return within microseconds may be counted for their callers
 * then. So this is a bound on the error of shares, in percentage points, beside
 * bob_late_percent(). It is close to 0 if threads do not run while they are
 * read: with BOB_ATTACH_PAUSE, or from the processor of the process.
 */
BOB_API double bob_inferred_percent(const struct bob_capture_counts *c);

/* Fills *ret with the counts of one process since it was attached. */
BOB_API void bob_proc_counts(const struct bob_proc *p,
    struct bob_capture_counts *ret);

/* What is known about a process. Valid as long as the handle. Strings may
 * contain any bytes: the process chooses them. */
struct bob_proc_facts {
	uint64_t pid, ppid;
	uint64_t uid;
	uint64_t start_us;   /* unix time of its start */
	const char *runtime; /* "php" */
	const char *version; /* "8.2.35", or "8.2" if no more is known */
	const char *flavour; /* of the runtime, such as "nts"; may be "" */
	const char *module;  /* the file that contains the runtime */
	const char *command; /* arguments, separated by blanks */
};

BOB_API const struct bob_proc_facts *bob_proc_facts(const struct bob_proc *p);

/* Set and get a pointer of the caller; NULL unless it was set. */
BOB_API void bob_proc_set_user(struct bob_proc *p, void *user);
BOB_API void *bob_proc_user(const struct bob_proc *p);

struct bob_sources;

/*
 * Adds the process's view of files to `s` (bob_sources_new_processes): its root
 * directory, and the user and groups that it has now. These may change, so call
 * this again from time to time. Does not wait for the process. Returns 0 or an
 * errno. After an errno `s` opens no file any more, except after ESRCH: the
 * process has ended, and its last view stays.
 */
BOB_API int bob_proc_show_source(const struct bob_proc *p,
    struct bob_sources *s);

/* Returns 1 if reading the process took so long that the sampler went on
 * without it. A page of its memory or one of its files does not respond, for
 * example because it is on a network. */
BOB_API int bob_proc_is_silent(const struct bob_proc *p);

/* An executable or a library. Strings are valid until the next call of
 * bob_proc_module. */
struct bob_module {
	const char *path;     /* as the process names it */
	const char *build_id; /* hexadecimal digits; "" if it has none */
	/* Why its functions have no names: reading its symbols exceeds a
	 * limit. Otherwise "". */
	const char *unnamed;
};

/* Gives the i-th module that native frames of samples are in, so that their
 * names can be found later. Returns 1 and fills *ret; 0 after the last one. */
BOB_API int bob_proc_module(struct bob_proc *p, size_t i,
    struct bob_module *ret);

/* --- a list of processes ---------------------------------------------- */

/* Strings are valid during the call, and may contain any bytes. */
struct bob_proc_info {
	uint64_t pid, ppid;
	uint64_t uid;
	uint64_t start;      /* pid and start together identify a process */
	const char *name;    /* of its main thread */
	const char *command; /* as in struct bob_proc_facts; "" for a kernel
	                      * thread, and if is_silent is set */
	int is_silent;       /* its memory does not respond, so its command
	                      * line is unknown */
};

/* Receives one process. Return 0 to go on; any other value ends the list. */
typedef int bob_proc_fn(void *user, const struct bob_proc_info *info);

/* Calls fn for all visible processes. Reading a command line reads memory of
 * the process; if that takes more than 0.2 s, is_silent is set. Returns BOB_OK;
 * FAILED if some processes could not be read (EMFILE, ENOMEM): then a process
 * that is not listed has not necessarily ended. */
BOB_API int bob_proc_list(struct bob_ctx *ctx, bob_proc_fn *fn, void *user);

/* Calls fn for the processes whose command line matches a Perl-compatible
 * pattern, and for silent ones, as they may match; never for the calling
 * process and its ancestors. Returns BOB_OK or FAILED (BOB_E_USAGE for a bad
 * pattern). */
BOB_API int bob_proc_find(struct bob_ctx *ctx, const char *pattern,
    bob_proc_fn *fn, void *user);

/* --- a steady rate ---------------------------------------------------- */

/*
 * Samples processes at a steady rate that does not drift. Each period has one
 * moment for a sample, chosen at random, so that nothing in a process can run
 * in step with it. A moment that passes while the sampler is late is counted
 * as missed.
 */
struct bob_sampler;

/*
 * The sampler takes samples in a thread of its own, with real-time priority if
 * it may. That thread has its own context and dictionary and does nothing else.
 * Events are called in the thread that called bob_sampler_run, some fifty times
 * a second. They may take long; samples wait for them.
 */
struct bob_sampler_events {
	/* One sample of a process, as in bob_sample, with ids of the
	 * dictionary of that process. Times are microseconds since
	 * bob_sampler_run was called. Return 0 to go on; any other value ends
	 * the run, which returns it. */
	int (*runs)(void *user, struct bob_proc *p, const struct bob_run *runs,
	    size_t n);
	/* The process has ended, or does not respond (bob_proc_is_silent). Its
	 * handle is freed after the call. May be NULL. */
	void (*gone)(void *user, struct bob_proc *p);
	/* Ten times a second and once at the end: all samples before that time
	 * were given. Processes may be added here. Returns as runs. May be
	 * NULL. */
	int (*tick)(void *user, uint64_t time_us);
	void *user;
};

enum bob_sampler_flags {
	/* Go on when no process is left. */
	BOB_SAMPLER_STAY = 1 << 0,
	/* Wait 10 s instead of 80 ms for a process that does not respond, if
	 * it is the only one. There are no ticks meanwhile. */
	BOB_SAMPLER_PATIENT = 1 << 1,
	/* Use no real-time priority. If processors are few, shares are then
	 * biased: see bob_capture_counts.delay. */
	BOB_SAMPLER_NO_REALTIME = 1 << 2,
	/* Sample from any processor. Without this flag, a sampler with
	 * real-time priority samples a single process at up to 200 Hz from the
	 * processor that it runs on. The process then waits some microseconds
	 * while it is read, and its stack does not change. For threads that are
	 * stopped for each sample this holds at up to 1,000 Hz, on one
	 * processor after the other. */
	BOB_SAMPLER_APART = 1 << 3,
	/* Sample from the process's own processor at up to 1,000 Hz in any
	 * case. */
	BOB_SAMPLER_NEAR = 1 << 4
};

struct bob_sampler_opts {
	size_t size;          /* sizeof(struct bob_sampler_opts) */
	uint64_t period_ns;   /* 0: as fast as possible */
	uint64_t duration_us; /* 0: until it is stopped */
	uint64_t max_samples; /* 0: any number */
	uint32_t flags;       /* enum bob_sampler_flags */
	/* The run ends when *stop is not 0. A signal handler or another thread
	 * may set it; a signal also ends waiting. NULL: none. */
	const volatile int *stop;
	const struct bob_sampler_events *events;
};

/* Returns BOB_OK and sets *ret, or FAILED. */
BOB_API int bob_sampler_new(struct bob_ctx *ctx,
    const struct bob_sampler_opts *opts, struct bob_sampler **ret);

/* Adds an attached process, which the sampler then owns. Returns BOB_OK; FATAL
 * without memory: the caller still owns p. */
BOB_API int bob_sampler_add(struct bob_sampler *s, struct bob_proc *p);

/* Changes the period, from the next moment on. */
BOB_API void bob_sampler_set_period(struct bob_sampler *s, uint64_t period_ns);

/* Sets the share of a processor that the sampler may use, 0 to 1 (default 1).
 * It does not slow down by itself. But if one of several processes alone needs
 * more than this share, it is sampled less often, and the skipped samples count
 * as lost (BOB_LOST_STEPS), so that it cannot take the time of the others. */
BOB_API void bob_sampler_set_share(struct bob_sampler *s, double share);

/*
 * Samples until it is stopped, its duration is over, or no process is left.
 * Returns BOB_OK; FATAL; or the value that an event returned.
 */
BOB_API int bob_sampler_run(struct bob_sampler *s);

/* Fills *ret with the counts of all processes, past and present. */
BOB_API void bob_sampler_counts(const struct bob_sampler *s,
    struct bob_capture_counts *ret);

/* Returns the i-th process that is sampled now, NULL after the last one. The
 * order changes when one ends. The sampler owns it. */
BOB_API struct bob_proc *bob_sampler_get(const struct bob_sampler *s,
    size_t i);

/* The priority with which samples are taken. */
enum bob_realtime {
	BOB_REALTIME_OFF = 0, /* not wanted, or nothing was sampled yet */
	BOB_REALTIME_REFUSED, /* neither CAP_SYS_NICE nor RLIMIT_RTPRIO */
	BOB_REALTIME_ON
};

/* Returns an enum bob_realtime, for the last run. */
BOB_API int bob_sampler_realtime(const struct bob_sampler *s);

/* Detaches its processes and frees the sampler. NULL is allowed. */
BOB_API void bob_sampler_free(struct bob_sampler *s);

#ifdef __cplusplus
}
#endif
#endif
