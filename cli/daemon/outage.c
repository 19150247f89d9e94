/*
 * Times in which a daemon cannot write: the disk is full, a quota is used up,
 * the file system became read-only. Sampling goes on, what is taken is lost and
 * counted. It is told when that begins and when it ends, but not more often
 * than once a minute.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "daemon.h"
#include "msg.h"
#include "plain.h"

/* A new file is tried at once: another one may have room where this one had
 * none. Then less and less often; where the system says that there is no room
 * it is only asked, each second, whether there is some now. */
#define FIRST_US 100000
#define LAST_US 10000000
#define ASK_US 1000000

/* Between two messages, and between two outages that are one. */
#define QUIET_US 60000000

/* What a file takes that is worth beginning: its head, and a write. */
#define ROOM ((uint64_t)64 << 10)

static uint64_t
lost_so_far(const struct daemon *d)
{
	struct ledger sum;

	tapes_sum(d, &sum);
	return ledger_lost(&sum);
}

static void
tell(struct daemon *d)
{
	struct outage *o = &d->outage;

	o->is_told = !o->was_told || d->t_us >= o->t_told + QUIET_US;
	if (!o->is_told)
		return;
	o->was_told = 1;
	o->t_told = d->t_us;
	msg_error("%s", o->why);
	msg_hint("what was written stays; samples are lost, and counted, "
	    "until a file can be written again");
}

void
outage_begin(struct daemon *d, const char *why)
{
	struct outage *o = &d->outage;

	if (o->is_on)
		return;
	if (o->wait_us == 0 || d->t_us >= o->t_ended + QUIET_US)
		o->wait_us = FIRST_US;
	o->is_on = 1;
	o->t_began = d->t_us;
	o->t_next = d->t_us + o->wait_us;
	o->lost = lost_so_far(d);
	o->cause = ledger_cause_of(bob_ctx_error(d->ctx));
	(void)snprintf(o->why, sizeof(o->why), "%s", why);
	tell(d);
}

void
outage_goes_on(struct daemon *d, const char *why)
{
	struct outage *o = &d->outage;

	outage_begin(d, why);
	if (o->t_next > d->t_us)
		return;
	o->wait_us = 2 * o->wait_us < LAST_US ? 2 * o->wait_us : LAST_US;
	o->t_next = d->t_us + o->wait_us;
}

void
outage_end(struct daemon *d)
{
	struct outage *o = &d->outage;
	char time[PLAIN_NUMBER], count[PLAIN_NUMBER];

	if (!o->is_on)
		return;
	o->is_on = 0;
	o->t_ended = d->t_us;
	if (o->is_told)
		msg_note("%s: files can be written again after %s; %s lost",
		    d->dir, plain_time(time, d->t_us - o->t_began),
		    plain_nouns(count, lost_so_far(d) - o->lost, "sample"));
}

/* What cannot be asked is tried. */
static int
has_room(const struct daemon *d)
{
	struct statvfs s;

	return statvfs(d->dir, &s) < 0 ||
	    ((s.f_flag & ST_RDONLY) == 0 &&
	        plain_mul(s.f_bavail, s.f_frsize) >= ROOM);
}

int
outage_may_try(struct daemon *d)
{
	struct outage *o = &d->outage;

	if (!o->is_on)
		return 1;
	if (d->t_us < o->t_next)
		return 0;
	if (has_room(d))
		return 1;
	o->t_next = d->t_us + ASK_US;
	return 0;
}
