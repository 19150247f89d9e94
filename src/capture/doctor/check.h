/* Private functions of the doctor's checks (bobbin/doctor.h). */
#ifndef CAPTURE_DOCTOR_CHECK_H
#define CAPTURE_DOCTOR_CHECK_H

#include <bobbin/doctor.h>

#include "capture/proc/proc.h"
#include "capture/runtime.h"

struct checks {
	struct bob_ctx *ctx;
	bob_check_fn *fn;
	void *user;
	int worst; /* enum bob_health, so far */
};

/* Reports a result to c->fn, and keeps the worst in c->worst. `fix` may be NULL
 * or "". */
void check_say(struct checks *c, const char *name, int health,
    const char *fix, const char *fmt, ...) BOB_PRINTF(5, 6);

/* --- process.c: reads files and memory of a process, and may block -------- */

/* bob_check_process() in the caller's thread. */
int check_process(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, bob_check_fn *fn, void *user);

/* Reads the mappings and a word of memory, as a capture does first. Returns 0,
 * or -errno; call maps_done() in either case. */
int check_may_read(struct bob_ctx *ctx, int pid, struct maps *maps);

/* Returns the first file that a runtime knows by its name, and sets *ret to
 * that runtime; NULL if there is none. */
const char *check_named_module(const struct maps *m,
    const struct runtime **ret);

#endif
