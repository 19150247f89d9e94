/*
 * Capturing: stacks of processes that run, read from outside.
 *
 * Nothing is loaded into the process, nothing is written to it, no other
 * program is started, and it is not stopped unless BOB_ATTACH_PAUSE or
 * BOB_ATTACH_NATIVE is given, or the runtime "native" asked for.
 * What is read from it is not trusted: a stack is given only when it could be
 * shown to be one, otherwise the sample is lost, and counted with its reason.
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
 * or, for any number of processes at a steady rate, struct bob_sampler.
 *
 * Reading needs what ptrace(2) needs: the same user and a process that may be
 * dumped, or CAP_SYS_PTRACE.
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
	/* Stop the thread for the moment of reading. Stacks are exact, and
	 * the process is slower. Attach and sample from one thread. */
	BOB_ATTACH_PAUSE = 1 << 0,
	BOB_ATTACH_OPCODES = 1 << 1, /* what the interpreter executes */
	/* Annotations of what a web server asked for: request.id (1 to 9,
	 * another one than that of the request before), request.method,
	 * request.uri (without the query), request.route (numbers and ids in
	 * the uri as {n}, {id}) and request.script. */
	BOB_ATTACH_REQUEST = 1 << 2,
	/* May hold secrets: request.query, request.cookie. */
	BOB_ATTACH_QUERY = 1 << 3,
	BOB_ATTACH_COOKIE = 1 << 4,
	/* Annotations memory.usage and memory.peak, in bytes, rounded down to
	 * 64 KiB. */
	BOB_ATTACH_MEMORY = 1 << 5,
	/* Python: whether a thread is on a CPU (BOB_STATUS_ON_CPU), which
	 * takes the reading of a file for each sample. */
	BOB_ATTACH_ON_CPU = 1 << 6,
	/* Python: a frame <native> where C has called back into Python. */
	BOB_ATTACH_NATIVE_MARKS = 1 << 7,
	/* Frames of C between those of the interpreter, where they were
	 * called. Stops the thread as BOB_ATTACH_PAUSE does. */
	BOB_ATTACH_NATIVE = 1 << 8,
	/* Python: the stack of a thread that runs a task of asyncio is that of
	 * the task, under frames <task> of it and of those that await it, with
	 * the annotation task.name. */
	BOB_ATTACH_TASKS = 1 << 9,
	/* And a run for each task that waits, without any status. */
	BOB_ATTACH_ALL_TASKS = 1 << 10,
	/* Arguments and variables of each frame, see bob_proc_locals; they may
	 * hold secrets. Threads of Python are stopped as BOB_ATTACH_PAUSE does
	 * it, those that cannot be have none. */
	BOB_ATTACH_LOCALS = 1 << 11
};

/* Which threads are sampled at a moment; the last two are Python's. */
enum bob_attach_mode {
	BOB_MODE_WALL = 0,  /* all */
	BOB_MODE_CPU,       /* those on a CPU */
	BOB_MODE_GIL,       /* those that hold the interpreter's lock */
	BOB_MODE_EXCEPTION, /* those that raise or handle an exception */
	BOB_N_MODES
};

/* As "cpu"; NULL for what is none. */
BOB_API const char *bob_mode_name(int mode);

/* For bob_attach_opts.thread: the main one only. */
#define BOB_MAIN_THREAD UINT64_MAX

struct bob_attach_opts {
	size_t size;           /* sizeof(struct bob_attach_opts) */
	struct bob_dict *dict; /* ids come from here; it outlives the handle */
	const char *runtime;   /* a name from bob_runtime_get; NULL: find out */
	const char *version;   /* as "8.2"; NULL: find out */
	uint32_t flags;        /* enum bob_attach_flags */
	uint32_t max_depth;    /* frames that are kept, those on top; 0: all
	                        * up to BOB_MAX_LIVE_DEPTH */
	uint32_t mode;         /* enum bob_attach_mode */
	uint32_t zero;
	uint64_t thread;       /* Python: only the thread with this number of
	                        * the kernel, or BOB_MAIN_THREAD; 0: all */
	/* PHP: variables that become annotations of samples, each under its
	 * text as key, as "global::$name", "local::Class::method()$name[key]",
	 * "static::Class::$name->property", "func_static::function()$name"
	 * and "memory::memory_get_usage". */
	const char *const *vars;
	size_t n_vars;         /* at most BOB_MAX_LIVE_VARS */
	/* What matches this pattern, as Perl has them, within the value of an
	 * annotation or a variable is told as "***"; a value on which it takes
	 * too long is so as a whole. NULL: everything is told. */
	const char *redact;
};

/* Checks what bob_attach would refuse whatever the process; the dictionary may
 * still be missing. BOB_OK or FAILED (BOB_E_USAGE). */
BOB_API int bob_attach_check(struct bob_ctx *ctx,
    const struct bob_attach_opts *opts);

/* A process that is read. Belongs to one thread at a time, as its dictionary
 * does. */
struct bob_proc;

/* The name of the i-th runtime that can be read; NULL behind the last. */
BOB_API const char *bob_runtime_get(size_t i);

/* Which versions of it, for people: "7.0 to 8.5". */
BOB_API const char *bob_runtime_versions(size_t i);

/*
 * Gets ready to sample a process; takes some milliseconds. BOB_OK and *ret,
 * or FAILED with *ret untouched and, in the context, what is in the way:
 * bob_error.sys is EPERM when it may not be read, ESRCH when it is gone, and
 * the code BOB_E_FORMAT when no runtime knows it. If it was started less than a
 * second ago, or became another program meanwhile, bob_error.sys is EAGAIN
 * then: it may still become one.
 */
BOB_API int bob_attach(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, struct bob_proc **ret);

/*
 * The same in a thread of its own, so that a process whose files or memory do
 * not answer delays nobody. The options are copied. BOB_OK and *ret, or FAILED.
 */
struct bob_attaching;
BOB_API int bob_attach_begin(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, struct bob_attaching **ret);

/*
 * Asks how it went. BOB_AGAIN: not ready yet. BOB_OK and *ret, whose ids come
 * from `dict`, or FAILED as bob_attach; both end the handle of the attempt.
 */
BOB_API int bob_attach_poll(struct bob_ctx *ctx, struct bob_attaching *a,
    struct bob_dict *dict, struct bob_proc **ret);

/* The same, after waiting for so many microseconds at most: then it is given
 * up, and FAILED (ETIMEDOUT). */
BOB_API int bob_attach_wait(struct bob_ctx *ctx, struct bob_attaching *a,
    struct bob_dict *dict, uint64_t us, struct bob_proc **ret);

/* For how long it goes on, in microseconds: an ordinary process takes some
 * milliseconds, the largest ones some hundred. */
BOB_API uint64_t bob_attach_age(const struct bob_attaching *a);

/* Gives it up; never waits. NULL is allowed. */
BOB_API void bob_attach_drop(struct bob_attaching *a);

/* Lets go; the process runs on. NULL is allowed. */
BOB_API void bob_detach(struct bob_proc *p);

/*
 * Reads the stacks of all threads that run something, now: *ret_n runs of one
 * sample each, valid until the next call, with the time that the caller says
 * it is, track, annotations and status.
 *
 * BOB_OK (with 0 runs: nothing ran); BOB_AGAIN: something ran, but none of it
 * could be proven, see bob_proc_counts; BOB_EOF: the process has ended or
 * become another program, and with it this handle; FATAL: out of memory.
 */
BOB_API int bob_sample(struct bob_proc *p, uint64_t time_us,
    const struct bob_run **ret, size_t *ret_n);

enum bob_local_flags {
	BOB_LOCAL_ARGUMENT = 1 << 0 /* one of those it was called with */
};

/* A variable of a frame, as text of one line: as Python writes it, or as
 * annotations have those of PHP. */
struct bob_local {
	uint32_t run;    /* which of the runs of the sample */
	bob_stack stack; /* the frame is the one that this stack ends with,
	                  * part of the run's; 0: the run does not have it */
	bob_str name;
	bob_str value;   /* 0: it could not be read, or changes too fast */
	uint32_t flags;  /* enum bob_local_flags */
};

/*
 * With BOB_ATTACH_LOCALS: the variables of the frames of the last sample that
 * have a value, those of the innermost frame of each run first; of at most
 * BOB_MAX_LIVE_LOCALS. Valid until the next sample. True when there were
 * more.
 */
BOB_API int bob_proc_locals(const struct bob_proc *p,
    const struct bob_local **ret, size_t *ret_n);

/* From here on ids come from another dictionary: what the handle remembers
 * of the old one is dropped. For captures that never end. */
BOB_API void bob_proc_set_dict(struct bob_proc *p, struct bob_dict *dict);

/* Why a sample was lost. */
enum bob_lost {
	BOB_LOST_READ = 0, /* memory that should be there is not */
	BOB_LOST_MOVED,    /* the stack changed while it was read */
	BOB_LOST_ROOT,     /* it does not lead to where a program begins */
	BOB_LOST_NAME,     /* functions whose names cannot be read */
	BOB_LOST_DEPTH,    /* deeper than BOB_MAX_LIVE_DEPTH, or a circle */
	BOB_LOST_PAUSE,    /* it did not stop in time */
	BOB_LOST_THREADS,  /* a list of threads was not followed to its end: a
	                    * circle, more than the process can have, or more
	                    * than BOB_MAX_LIVE_THREADS. One for each sample of
	                    * the process. */
	BOB_LOST_STEPS,    /* it took more reads than one sample may
	                    * (BOB_MAX_LIVE_READS, BOB_MAX_LIVE_BYTES), or was
	                    * left out since it holds up others */
	BOB_LOST_LOADING,  /* a file that it takes to follow the stack, or to
	                    * name its functions, is still being read */
	BOB_N_LOST
};

/* As "moved"; NULL for what is none. */
BOB_API const char *bob_lost_name(int why);

/* The last of them has all that took more than 4 s. */
#define BOB_N_DELAYS 24

struct bob_capture_counts {
	uint64_t taken;    /* samples given, one per thread */
	uint64_t idle;     /* calls that found nothing running */
	uint64_t lost;     /* samples that could not be proven: the sum of */
	uint64_t lost_by[BOB_N_LOST];
	uint64_t retried;  /* times that a stack was read once more */
	uint64_t repaired; /* samples without frames that had just returned */
	uint64_t cut;      /* samples deeper than max_depth */
	uint64_t missed;   /* a sampler's: moments that passed unused */
	uint64_t stops;    /* times that a thread was stopped */
	uint64_t stopped_ns; /* and for how long, in all */
	uint64_t broken;   /* native stacks that could not be followed to
	                    * where their thread began */
	uint64_t unmerged; /* samples whose native frames could not be put
	                    * between the interpreter's */
	uint64_t unread;   /* variables that changed while they were read */
	/* A sampler's: for how long after its moment a sample was waited for
	 * a processor. The first are those of less than a microsecond, each
	 * other one goes to twice of what the one before it does. */
	uint64_t delay[BOB_N_DELAYS];
	uint64_t demoted;  /* a sampler's: seconds in which its budget of
	                    * real-time priority was used up */
};

/* So many of a hundred samples were taken within so many microseconds of their
 * moment. */
BOB_API double bob_late_us(const struct bob_capture_counts *c, double percent);

/*
 * Of a hundred moments, those that were missed or later than BOB_LATE_US. Who
 * has to wait for a processor gets it when somebody gives it up, which is often
 * the process that is sampled. So shares may be off by so many points at most.
 */
#define BOB_LATE_US 256
BOB_API double bob_late_percent(const struct bob_capture_counts *c);

/* Of one process, since it was attached. */
BOB_API void bob_proc_counts(const struct bob_proc *p,
    struct bob_capture_counts *ret);

/* What is known about a process. Strings live as long as the handle. */
struct bob_proc_facts {
	uint64_t pid, ppid;
	uint64_t uid;
	uint64_t start_us;   /* unix time of its start */
	const char *runtime; /* "php" */
	const char *version; /* "8.2.35", or "8.2" when that is all there is */
	const char *flavour; /* of the runtime, as "nts"; "" when it has none */
	const char *module;  /* the file that holds the runtime */
	const char *command; /* arguments with blanks between; bytes as the
	                      * process has them */
};

BOB_API const struct bob_proc_facts *bob_proc_facts(const struct bob_proc *p);

struct bob_sources;

/*
 * From here on, source is shown as this process sees it too
 * (bob_sources_new_live): its root directory, and the user and groups that it
 * has now. They may change: to be called again from time to time. Does not wait
 * for it. Returns 0, or an errno; then nothing is shown any more, unless it is
 * ESRCH: it has ended, and how it was seen before counts.
 */
BOB_API int bob_proc_show_source(const struct bob_proc *p,
    struct bob_sources *s);

/* True when reading it has taken so long that the others went on without it: a
 * page of its memory, or a file, is one that somebody has to bring. */
BOB_API int bob_proc_is_silent(const struct bob_proc *p);

/* A file with machine code. Strings live until the next is asked for. */
struct bob_module {
	const char *path;     /* as the process names it */
	const char *build_id; /* hexadecimal digits; "" when it has none */
	/* Why its functions have no names, when reading them takes more than
	 * a file may; "" otherwise. */
	const char *unnamed;
};

/* The i-th of those that samples had native frames of, so that names can be
 * found later. 1 and *ret, or 0 behind the last. */
BOB_API int bob_proc_module(struct bob_proc *p, size_t i,
    struct bob_module *ret);

/* --- a list of processes ---------------------------------------------- */

struct bob_proc_info {
	uint64_t pid, ppid;
	uint64_t uid;
	uint64_t start;      /* with pid: names a process for ever */
	const char *name;    /* of its main thread */
	const char *command; /* as in struct bob_proc_facts; "" for a kernel
	                      * thread */
	int is_silent;       /* of bob_scout_poll: its memory does not answer,
	                      * so that its command line is not known */
};

/* Called for each process; a return value other than 0 ends the list. */
typedef int bob_proc_fn(void *user, const struct bob_proc_info *info);

/* All processes that can be seen. BOB_OK or FAILED: then some could not be
 * looked at (EMFILE, ENOMEM), and a process that was not given need not have
 * ended. */
BOB_API int bob_proc_list(struct bob_ctx *ctx, bob_proc_fn *fn, void *user);

/* Those whose command line matches a pattern, as Perl has them; not the one
 * that asks. BOB_OK or FAILED (BOB_E_USAGE for a bad pattern). */
BOB_API int bob_proc_find(struct bob_ctx *ctx, const char *pattern,
    bob_proc_fn *fn, void *user);

/*
 * The same in a thread of its own: a command line is memory of its process, and
 * may never answer. One list at a time; `pattern` NULL: all processes.
 */
struct bob_scout;

/* BOB_OK and *ret, or FAILED (BOB_E_USAGE for a bad pattern). */
BOB_API int bob_scout_new(struct bob_ctx *ctx, const char *pattern,
    struct bob_scout **ret);

/* Begins with a list, unless one is being made. BOB_OK or FAILED. */
BOB_API int bob_scout_ask(struct bob_scout *s);

/*
 * BOB_OK and fn was called for each process of the list; those that do not
 * answer are among them, whatever the pattern. BOB_AGAIN: it is not ready yet.
 * BOB_EOF: nobody has asked. FAILED.
 */
BOB_API int bob_scout_poll(struct bob_scout *s, bob_proc_fn *fn, void *user);

/* Never waits. NULL is allowed. */
BOB_API void bob_scout_free(struct bob_scout *s);

/* --- a steady rate ---------------------------------------------------- */

/*
 * Samples processes at fixed times that do not drift: each period has one
 * moment, at random one of a few that move on slowly, so that nothing in a
 * process can keep step with them. A moment that passes while the sampler is
 * late is missed, and counted.
 */
struct bob_sampler;

/*
 * Samples are taken by a thread of the sampler's own, with real-time priority
 * where it may. It does nothing else, and has its own context and dictionary.
 * Events come in the thread that called bob_sampler_run, some fifty times a
 * second, and may take their time: samples wait for them.
 */
struct bob_sampler_events {
	/* One sample of a process, as bob_sample gives it, with ids of the
	 * dictionary of that process. Times are microseconds since
	 * bob_sampler_run was called. A value other than 0 ends the run, which
	 * returns it. */
	int (*runs)(void *user, struct bob_proc *p, const struct bob_run *runs,
	    size_t n);
	/* The process has ended, or does not answer (bob_proc_is_silent); its
	 * handle is freed afterwards. May be NULL. */
	void (*gone)(void *user, struct bob_proc *p);
	/* Ten times a second, and once at the end: all samples until that time
	 * were given. Here processes may be added. As runs for its value; may
	 * be NULL. */
	int (*tick)(void *user, uint64_t time_us);
	void *user;
};

enum bob_sampler_flags {
	BOB_SAMPLER_STAY = 1 << 0, /* go on when there is no process left */
	/* A process that is the only one is waited for: for 10 s, in which
	 * there are no ticks, instead of 80 ms. */
	BOB_SAMPLER_PATIENT = 1 << 1,
	/* An ordinary priority. Where processors are few, shares are biased
	 * then: see bob_capture_counts.delay. */
	BOB_SAMPLER_NO_REALTIME = 1 << 2
};

struct bob_sampler_opts {
	size_t size;          /* sizeof(struct bob_sampler_opts) */
	uint64_t period_ns;   /* 0: as fast as possible */
	uint64_t duration_us; /* 0: until it is stopped */
	uint64_t max_samples; /* 0: any number */
	uint32_t flags;       /* enum bob_sampler_flags */
	/* Set from a signal handler or another thread: the run ends. NULL:
	 * nobody does. A signal also ends waiting. */
	const volatile int *stop;
	const struct bob_sampler_events *events;
};

/* BOB_OK and *ret, or FAILED. */
BOB_API int bob_sampler_new(struct bob_ctx *ctx,
    const struct bob_sampler_opts *opts, struct bob_sampler **ret);

/* Takes over an attached process. BOB_OK, or FATAL and p is still the
 * caller's. */
BOB_API int bob_sampler_add(struct bob_sampler *s, struct bob_proc *p);

/* Changes the rate from the next moment on. */
BOB_API void bob_sampler_set_period(struct bob_sampler *s, uint64_t period_ns);

/* The share of a processor that the sampler may take, 0 to 1 (all of it, unless
 * set). It does not slow down by itself; but of several processes, one that
 * alone takes more than that is read less often, and what is left out counts as
 * lost (BOB_LOST_STEPS). So none can take the samples of others. */
BOB_API void bob_sampler_set_share(struct bob_sampler *s, double share);

/*
 * Samples until it is stopped, its time is up, or there is no process left.
 * BOB_OK; FATAL; or what an event returned.
 */
BOB_API int bob_sampler_run(struct bob_sampler *s);

/* Of all processes there were, since the sampler was made. */
BOB_API void bob_sampler_counts(const struct bob_sampler *s,
    struct bob_capture_counts *ret);

/* The i-th process that is sampled now; NULL behind the last. The order
 * changes when one ends. */
BOB_API struct bob_proc *bob_sampler_get(const struct bob_sampler *s,
    size_t i);

/* The priority with which samples are taken. */
enum bob_realtime {
	BOB_REALTIME_OFF = 0, /* not wanted, or nothing was sampled yet */
	BOB_REALTIME_REFUSED, /* neither CAP_SYS_NICE nor RLIMIT_RTPRIO */
	BOB_REALTIME_ON
};

/* Of enum bob_realtime, since the last run began. */
BOB_API int bob_sampler_realtime(const struct bob_sampler *s);

/* Detaches what is left. NULL is allowed. */
BOB_API void bob_sampler_free(struct bob_sampler *s);

#ifdef __cplusplus
}
#endif
#endif
