/*
 * Watching: choosing the processes that a sampler samples, as they start and
 * end.
 *
 *     struct bob_watch_events ev = { .came = on_came, .user = me };
 *     struct bob_watch_opts o = { .size = sizeof(o), .sampler = sampler,
 *             .attach = &attach, .pattern = "php-fpm: pool", .events = &ev };
 *
 *     bob_watch_new(ctx, &o, &w);
 *     bob_watch_settle(w, 1000000);
 *     bob_sampler_run(sampler);   its tick event calls bob_watch_poll(w)
 *     bob_sampler_free(sampler);
 *     bob_watch_free(w);
 *
 * No call waits for a process. A thread lists processes, and another thread
 * attaches each of them, so a process whose files or memory do not respond
 * delays nobody.
 *
 * When a process cannot be attached, it is tried again by these rules:
 *
 *   - It has no runtime yet: after 1 s, then after 2, 4, 8 s and so on, up to a
 *     minute. If it was just started, or has executed another program, the
 *     first wait is 0.1 s.
 *   - It may not be read: after the same waits, from 1 s on.
 *   - No file descriptor is left: each second.
 *   - It stopped responding while it was sampled: after the same waits, from 1
 *     s on.
 *   - It did not respond for 10 s while it was being attached: never, because
 *     each try may cost a thread that waits for ever.
 *   - It has ended: it is forgotten.
 *
 * Threads: a watch belongs to the thread that gets its sampler's events.
 */
#ifndef BOBBIN_WATCH_H
#define BOBBIN_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/capture.h>
#include <bobbin/model.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a process is not sampled. */
enum bob_refusal {
	BOB_REFUSED_NOT = 0,     /* it is sampled, or was not tried yet */
	BOB_REFUSED_DESCRIPTORS, /* this process has too many open files */
	BOB_REFUSED_PERMISSION,
	BOB_REFUSED_MEMORY,      /* this process is out of memory */
	BOB_REFUSED_RUNTIME,     /* it has no known runtime */
	BOB_REFUSED_SILENT,      /* its memory or files do not respond */
	BOB_REFUSED_OTHER,
	BOB_REFUSED_ENDED,       /* there is no such process */
	BOB_N_REFUSALS
};

/* Returns the name of a cause, such as "permission"; NULL if there is none. */
BOB_API const char *bob_refusal_name(int cause);

/* A process that is watched. */
struct bob_watched {
	uint64_t pid;
	struct bob_proc *proc; /* NULL: it is not sampled now */
	int cause;             /* enum bob_refusal */
	int is_named;          /* it was added by bob_watch_add */
	int was_sampled;       /* it was sampled before */
};

/*
 * Events are called by bob_watch_poll and bob_watch_settle; `refused` is also
 * called when a process of the sampler stops responding. Each may be NULL. They
 * must not call bob_watch_add, _poll, _settle or _free.
 */
struct bob_watch_events {
	/* A process was attached and added to the sampler. Set its user pointer
	 * (bob_proc_set_user) and its dictionary here. Return 0 to go on; any
	 * other value ends the poll, which returns it. The end of a process is
	 * reported by the sampler (`gone`). */
	int (*came)(void *user, struct bob_proc *p);
	/* A process cannot be sampled now; the context's error says why. Called
	 * once for each process and cause. For a process that was not named and
	 * has no runtime it is called after the second try, or when the process
	 * is older than a second. */
	void (*refused)(void *user, const struct bob_watched *p);
	/* Processes cannot be listed, or there are more than BOB_MAX_WATCHED;
	 * the context's error says which. The watch goes on with those it has.
	 * Called once, until that changes. */
	void (*limited)(void *user);
	void *user;
};

enum bob_watch_flags {
	/* Also watch the children of watched processes, their children and so
	 * on. Processes are then listed ten times a second. */
	BOB_WATCH_CHILDREN = 1 << 0,
	/* Look for the pattern once, at the start. */
	BOB_WATCH_ONCE = 1 << 1,
	/* With BOB_ATTACH_NATIVE: sample native frames alone of a process that
	 * has no runtime after 2 s. */
	BOB_WATCH_PLAIN = 1 << 2,
	/* Also watch the children of a watched process that has no runtime (a
	 * shell, timeout(1)), and their children, but not those of a process
	 * that is or was sampled. */
	BOB_WATCH_WRAPPED = 1 << 3
};

struct bob_watch_opts {
	size_t size;          /* sizeof(struct bob_watch_opts) */
	struct bob_sampler *sampler;
	const struct bob_attach_opts *attach; /* copied; bob_watch_set_dict
	                                       * sets the dictionary */
	const char *pattern;  /* Perl-compatible, for command lines. Processes
	                       * that match are looked for each second, but
	                       * this one and its ancestors. NULL: none */
	uint32_t flags;       /* enum bob_watch_flags */
	uint32_t spare_fds;   /* file descriptors to leave to the caller: with
	                       * fewer, no process is attached. At most 64 */
	const struct bob_watch_events *events;
};

struct bob_watch;

/* Returns BOB_OK and sets *ret, or FAILED (BOB_E_USAGE for a bad pattern, or
 * options that bob_attach_check refuses). */
BOB_API int bob_watch_new(struct bob_ctx *ctx,
    const struct bob_watch_opts *opts, struct bob_watch **ret);

/* Frees a watch, before or after its sampler. Its processes stay in the
 * sampler. Never waits. NULL is allowed. */
BOB_API void bob_watch_free(struct bob_watch *w);

/*
 * Adds a process by its pid. For patience_us microseconds it need not have a
 * runtime yet (a script may start one): until then it is tried at each poll,
 * and not refused. Without BOB_WATCH_CHILDREN and BOB_WATCH_WRAPPED this also
 * holds for a process that was started less than a second ago. A process that
 * is already watched just becomes named. Returns BOB_OK or FATAL.
 */
BOB_API int bob_watch_add(struct bob_watch *w, uint64_t pid,
    uint64_t patience_us);

/* Sets the dictionary of processes that are attached from now on. */
BOB_API void bob_watch_set_dict(struct bob_watch *w, struct bob_dict *dict);

/*
 * Does what is due, and never waits. Call it some times a second. Returns
 * BOB_OK if nothing is in progress; BOB_AGAIN if processes are being listed or
 * attached (an attempt of more than 0.5 s counts only if nothing is sampled);
 * FATAL; or the value that `came` returned.
 */
BOB_API int bob_watch_poll(struct bob_watch *w);

/* Polls until the result is not BOB_AGAIN, and returns it. Returns BOB_AGAIN
 * after `us` microseconds, or when the sampler is to stop. Call it before
 * bob_sampler_run, so that the first samples are of all processes. */
BOB_API int bob_watch_settle(struct bob_watch *w, uint64_t us);

/* Returns 1 if nothing is sampled and nothing will be: no pattern is looked
 * for, no process may still get a runtime, and with BOB_WATCH_CHILDREN
 * or BOB_WATCH_WRAPPED no named process is left. */
BOB_API int bob_watch_is_over(const struct bob_watch *w);

/* Gives the i-th process, by rising pid. Returns 1 and fills *ret; 0 after the
 * last one. */
BOB_API int bob_watch_get(const struct bob_watch *w, size_t i,
    struct bob_watched *ret);

#ifdef __cplusplus
}
#endif
#endif
