/* Samples of an attached process, and how much of the time they may take; see
 * inside.h. */
#include "capture/attach/inside.h"
#include "core/clock.h"

/* How often it is checked whether it is the same process: by its memory, and by
 * /proc/PID/stat. */
#define CHECK_US 50000
#define CHECK_NUMBER_US 1000000

enum oddity { ODD_NOT, ODD_LOST, ODD_NO_PROCESS };

/* Checks whether it is the same process, now and then, and after something odd.
 * Returns 1; 0 if it is not, and then is_gone is set. */
static int
check_identity(struct bob_proc *h, uint64_t t, enum oddity odd)
{
	int by_number = odd == ODD_NO_PROCESS ||
	    t - h->t_number >= CHECK_NUMBER_US;

	if (odd == ODD_NOT && t - h->t_checked < CHECK_US)
		return 1;
	h->t_checked = t;
	if (by_number)
		h->t_number = t;
	if (!proc_is_same(h, by_number))
		h->is_gone = 1;
	return !h->is_gone;
}

/* Local variables are read rarely, and take many small reads. */
static uint64_t
max_reads(const struct process *p)
{
	return (p->flags & BOB_ATTACH_LOCALS) != 0 ? 8 * BOB_MAX_CAPTURE_READS
	                                           : BOB_MAX_CAPTURE_READS;
}

int
bob_sample(struct bob_proc *h, uint64_t time_us, const struct bob_run **ret,
    size_t *ret_n)
{
	struct process *p = &h->p;
	struct bob_capture_counts old = p->counts;
	size_t i;
	int r;

	*ret_n = 0;
	*ret = NULL;
	p->n_run = p->n_local = 0;
	p->has_more_locals = 0;
	if (h->is_gone || !check_identity(h, time_us, ODD_NOT))
		return BOB_EOF;
	p->time_us = time_us;
	mem_allow(&p->mem, max_reads(p), BOB_MAX_CAPTURE_BYTES);
	r = h->runtime->sample(h->state, p);
	if (r == BOB_FATAL)
		return r;
	h->steps = mem_steps(&p->mem, max_reads(p), BOB_MAX_CAPTURE_BYTES);
	if (mem_is_used_up(&p->mem))
		process_lose(p, BOB_LOST_STEPS);
	if ((r == BOB_EOF || p->counts.lost > old.lost) &&
	    !check_identity(h, time_us, r == BOB_EOF ? ODD_NO_PROCESS
	                                             : ODD_LOST)) {
		/* Nothing is lost: the process had ended. */
		p->counts = old;
		return BOB_EOF;
	}
	/* The process exists, but may not be read any more. */
	if (r == BOB_EOF && p->n_run == 0 && p->counts.lost == old.lost)
		process_lose(p, BOB_LOST_READ);
	for (i = 0; i < p->n_run; i++) {
		p->run[i].count = 1;
		p->run[i].t_first = p->run[i].t_last = time_us;
		p->run[i].flags |= BOB_RUN_TIMED;
	}
	p->counts.taken += p->n_run;
	*ret = p->run;
	*ret_n = p->n_run;
	if (p->n_run > 0)
		return BOB_OK;
	if (p->counts.lost > old.lost || r == BOB_EOF)
		return BOB_AGAIN;
	p->counts.idle++;
	return BOB_OK;
}

/* A process whose sample takes too long delays the others. So of its debt only
 * a part is repaid with each moment that it is left out. */
#define REPAY 16

/* Limit of moments in a row that a process is left out, so that its end is
 * noticed. */
#define MAX_WAIT 512

/* A step takes a microsecond, on a busy machine up to SLOWEST_STEP. Time above
 * that is time in which we had no processor, which is not charged. A sample has
 * some steps even if nothing is read. */
#define SLOWEST_STEP 4
#define OTHER_STEPS 10

uint64_t
proc_took(struct bob_proc *h, uint64_t t_ns)
{
	uint64_t took = clock_ns() - t_ns;
	uint64_t most = SLOWEST_STEP * (h->steps + OTHER_STEPS) * 1000;
	uint64_t us;

	if (took > most)
		took = most;
	us = took / 1000;
	h->debt += us < h->steps ? h->steps : us;
	return took;
}

int
proc_must_wait(struct bob_proc *h, uint64_t us)
{
	uint64_t repaid = h->must_wait ? us / REPAY : us;

	if (h->debt / MAX_WAIT > us / REPAY)
		h->debt = MAX_WAIT * (us / REPAY);
	h->must_wait = h->debt > repaid;
	if (!h->must_wait) {
		h->debt = 0;
		return 0;
	}
	h->debt -= us / REPAY;
	process_lose(&h->p, BOB_LOST_STEPS);
	return 1;
}
