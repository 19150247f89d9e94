/*
 * Finding out why a process cannot be captured, and how to fix that.
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
 * The checks change nothing and start no program. They stop no thread, unless
 * BOB_ATTACH_PAUSE is given. The error of bob_attach uses the same words.
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
	BOB_HEALTH_WARNING, /* some captures fail or are less exact */
	BOB_HEALTH_PROBLEM  /* no capture is possible */
};

/* The result of one check. Strings are valid during the call. */
struct bob_check {
	const char *name; /* a stable name, such as "ptrace-scope" */
	int health;       /* enum bob_health */
	const char *text; /* what was found, and what it means */
	const char *fix;  /* a command that fixes it; NULL: none */
};

/* Receives one result. */
typedef void bob_check_fn(void *user, const struct bob_check *c);

/* Checks the machine and the calling process. `dir` is the folder that files
 * will be written to, or NULL. Calls fn for each check. Returns BOB_OK. */
BOB_API int bob_check_machine(struct bob_ctx *ctx, const char *dir,
    bob_check_fn *fn, void *user);

/*
 * Checks one process, and takes some samples of it. `opts` are those of
 * bob_attach, but the dictionary may be NULL. Calls fn for each check. Returns
 * BOB_OK whatever was found, or FAILED without memory.
 */
BOB_API int bob_check_process(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, bob_check_fn *fn, void *user);

/* A process that has a runtime, judged by the names of its files. */
struct bob_candidate {
	const struct bob_proc_info *info;
	const char *runtime; /* a name from bob_runtime_get */
	const char *why;     /* why it may not be read; NULL: it may be */
	const char *fix;     /* a command that fixes it; NULL: none */
};

/* Receives one process, during the call. Return 0 to go on; any other value
 * ends the list. */
typedef int bob_candidate_fn(void *user, const struct bob_candidate *c);

/* Calls fn for each process that has a runtime. A process whose files may not
 * be read is judged by its name. Returns BOB_OK or FAILED. */
BOB_API int bob_candidates(struct bob_ctx *ctx, bob_candidate_fn *fn,
    void *user);

#ifdef __cplusplus
}
#endif
#endif
