/*
 * What would keep a process from being captured, and what to do about it.
 *
 *     static void
 *     show(void *user, const struct bob_check *c)
 *     {
 *             printf("%s: %s\n", c->name, c->text);
 *             if (c->fix != NULL)
 *                     printf("  %s\n", c->fix);
 *     }
 *
 *     bob_check_process(ctx, pid, &opts, show, NULL);
 *
 * Nothing is changed, no other program is started, and nothing is stopped
 * unless BOB_ATTACH_PAUSE is given. The same words are in the error when
 * bob_attach is refused.
 */
#ifndef BOBBIN_DOCTOR_H
#define BOBBIN_DOCTOR_H

#include <stdint.h>

#include <bobbin/api.h>
#include <bobbin/capture.h>
#include <bobbin/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bob_health {
	BOB_HEALTH_OK = 0,
	BOB_HEALTH_WARNING, /* some captures fail or are worse for it */
	BOB_HEALTH_PROBLEM  /* there can be no capture */
};

/* Strings are valid during the call. */
struct bob_check {
	const char *name; /* stays the same, as "ptrace-scope" */
	int health;       /* enum bob_health */
	const char *text; /* what there is, and what follows from it */
	const char *fix;  /* a command, where there is one; NULL: nothing */
};

typedef void bob_check_fn(void *user, const struct bob_check *c);

/* The machine and ourselves; `dir` is where files would be written, or NULL.
 * BOB_OK. */
BOB_API int bob_check_machine(struct bob_ctx *ctx, const char *dir,
    bob_check_fn *fn, void *user);

/*
 * One process, up to some samples of it. `opts` as for bob_attach, but its
 * dictionary may be NULL. BOB_OK whatever was found, or FAILED without memory.
 */
BOB_API int bob_check_process(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, bob_check_fn *fn, void *user);

/* A process that has a runtime, by the names of its files. */
struct bob_candidate {
	const struct bob_proc_info *info;
	const char *runtime; /* a name from bob_runtime_get */
	const char *why;     /* why it may not be read; NULL: it may */
	const char *fix;     /* NULL: it may, or there is no way */
};

/* A value other than 0 ends the list. */
typedef int bob_candidate_fn(void *user, const struct bob_candidate *c);

/* Those there are. Where its files cannot be seen, a process counts by its
 * name. BOB_OK or FAILED. */
BOB_API int bob_candidates(struct bob_ctx *ctx, bob_candidate_fn *fn,
    void *user);

#ifdef __cplusplus
}
#endif
#endif
