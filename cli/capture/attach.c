/* Attaching to one process; see the header. */
#include "attach.h"

#include <errno.h>
#include <time.h>

/* Attaching to large programs was seen to take 0.3 s. */
#define ANSWER_US 10000000

int
attach_process(struct bob_ctx *ctx, const struct process *p,
    const struct bob_attach_opts *opts, struct bob_attaching *begun,
    struct bob_proc **ret)
{
	const struct timespec nap = { 0, 10 * 1000 * 1000 };
	struct bob_attaching *a = begun;
	uint64_t age;
	int r;

	for (;;) {
		if (a == NULL) {
			r = bob_attach_begin(ctx, p->pid, opts, &a);
			if (r < 0)
				return r;
		}
		age = bob_attach_age(a);
		r = bob_attach_wait(ctx, a, opts->dict, age < ANSWER_US
		    ? ANSWER_US - age : 0, ret);
		if (r == BOB_OK || !p->is_named ||
		    bob_ctx_error(ctx)->sys != EAGAIN)
			return r;
		a = NULL;
		(void)nanosleep(&nap, NULL);
	}
}
