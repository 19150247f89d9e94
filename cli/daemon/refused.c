/* Messages and counts of processes that match the pattern and cannot be
 * sampled. The watch decides when each is tried again. */
#include <string.h>

#include "daemon.h"
#include "print/msg.h"
#include "system/descriptors.h"

/* Lines about single processes per minute: any user can start a thousand. */
#define MAX_TOLD 20
#define MINUTE_US 60000000

void
refused_tell(struct daemon *d, const struct bob_watched *p)
{
	if (p->cause == BOB_REFUSED_DESCRIPTORS)
		return; /* see refused_tell_full */
	if (d->t_us >= d->t_told + MINUTE_US) {
		d->t_told = d->t_us;
		d->n_told = 0;
	}
	if (d->n_told++ < MAX_TOLD)
		msg_warn("%s%s", bob_ctx_error(d->ctx)->text,
		    p->cause == BOB_REFUSED_SILENT
		        ? "; the others go on without it" : "");
	else if (d->n_told == MAX_TOLD + 1)
		msg_warn("more processes are not sampled; 'bobbin daemon "
		    "status' counts them");
}

size_t
refused_sum(const struct daemon *d, struct refused_sum sum[BOB_N_REFUSALS])
{
	struct bob_watched p;
	size_t n = 0, i;

	memset(sum, 0, BOB_N_REFUSALS * sizeof(*sum));
	for (i = 0; bob_watch_get(d->watch, i, &p); i++) {
		struct refused_sum *s = &sum[p.cause];

		if (p.cause == BOB_REFUSED_NOT)
			continue;
		if (s->n < REFUSED_MAX_PIDS)
			s->pid[s->n] = p.pid;
		s->n++;
		n++;
	}
	return n;
}

void
refused_tell_full(struct daemon *d)
{
	struct refused_sum sum[BOB_N_REFUSALS];
	size_t n;

	(void)refused_sum(d, sum);
	n = sum[BOB_REFUSED_DESCRIPTORS].n;
	if (n > 0 && !d->is_full_told) {
		msg_warn("%zu process%s not sampled: the limit of %llu open "
		    "files is reached", n, n == 1 ? " is" : "es are",
		    (unsigned long long)descriptors_limit());
		msg_hint("raise it (LimitNOFILE= of the unit, ulimit -Hn), or "
		    "write one file with --bundled");
	}
	d->is_full_told = n > 0;
}
