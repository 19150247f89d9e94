/* Binds our thread with sched_setaffinity(2); see near.h. */
#include "capture/sampler/near.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/proc/proc.h"

/* --- the processor of a thread -------------------------------------------- */

void
seat_init(struct seat *seat)
{
	memset(seat, 0, sizeof(*seat));
	seat->fd = seat->cpu = -1;
}

void
seat_done(struct seat *seat)
{
	if (seat->fd >= 0)
		(void)close(seat->fd);
	seat_init(seat);
}

/* Opens the file and keeps it open, as opening takes longer than reading. */
static void
seat_open(struct seat *seat, int pid, int tid)
{
	seat_done(seat);
	seat->tid = tid;
	seat->fd = proc_stat_open(pid, tid);
	if (seat->fd < 0 || proc_may_hold(seat->fd))
		return;
	(void)close(seat->fd);
	seat->fd = -1;
}

void
seat_look(struct seat *seat, int pid, int tid)
{
	struct proc_stat stat;
	int r;

	if (seat->tid != tid)
		seat_open(seat, pid, tid);
	r = seat->fd >= 0 ? proc_stat_read(seat->fd, &stat)
	                  : proc_stat(pid, tid, &stat);
	seat->cpu = r == 0 ? stat.cpu : -1;
	seat->is_running = r == 0 && stat.state == 'R';
}

/* --- our own processor ---------------------------------------------------- */

static int
set_mask(const uint64_t *mask, long n_bytes)
{
	return syscall(SYS_sched_setaffinity, 0, n_bytes, mask) == 0;
}

/* Reads the original mask, once. Returns 1; 0 if it cannot be read. */
static int
find_allowed(struct near *n)
{
	if (n->n_allowed == 0)
		n->n_allowed = syscall(SYS_sched_getaffinity, 0,
		    sizeof(n->allowed), n->allowed);
	n->is_refused = n->n_allowed <= 0;
	return !n->is_refused;
}

static int
may_go(const struct near *n, int cpu)
{
	return cpu >= 0 && cpu / 8 < n->n_allowed &&
	    (n->allowed[cpu / 64] >> (cpu % 64) & 1) != 0;
}

void
near_go(struct near *n, int cpu)
{
	uint64_t mask[NEAR_MAX_CPUS / 64];

	if (n->is_refused || (n->is_near && n->cpu == cpu) ||
	    !find_allowed(n))
		return;
	if (!may_go(n, cpu)) {
		near_leave(n);
		return;
	}
	memset(mask, 0, sizeof(mask));
	mask[cpu / 64] = (uint64_t)1 << (cpu % 64);
	n->is_near = set_mask(mask, n->n_allowed);
	n->is_refused = !n->is_near;
	n->cpu = cpu;
}

void
near_leave(struct near *n)
{
	if (n->is_near)
		(void)set_mask(n->allowed, n->n_allowed);
	n->is_near = 0;
}
