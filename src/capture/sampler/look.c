/* bob_look(): one sample, at a moment that does not depend on what the process
 * does. */
#include <time.h>

#include <bobbin/capture.h>

#include "capture/sampler/realtime.h"
#include "core/clock.h"

/* The sample is taken after 1 to 6 ms: a process that was just attached may
 * wait for the processor that we have. */
#define LEAST_NS 1000000
#define RANGE_NS 5000000

static void
sleep_randomly(void)
{
	/* The last digits of the time are as good as random. */
	const struct timespec t = { 0,
		(long)(LEAST_NS + clock_ns() % RANGE_NS) };

	(void)nanosleep(&t, NULL);
}

int
bob_look(struct bob_proc *p, uint64_t time_us, const struct bob_run **ret,
    size_t *ret_n)
{
	struct realtime rt = { .is_on = 0 };
	int r;

	(void)realtime_begin(&rt, clock_ns());
	sleep_randomly();
	r = bob_sample(p, time_us, ret, ret_n);
	realtime_end(&rt);
	return r;
}
