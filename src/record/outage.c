/*
 * Outages: times in which no file can be written, as the disk is full, a quota
 * is used up, or the file system became read-only. Sampling goes on; samples
 * are lost and counted. The caller is notified when an outage begins and when
 * it ends, at most once a minute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "core/mem.h"
#include "record/recorder.h"

/* When a new file is tried: soon at first, then at growing intervals. While the
 * file system has no room it is only asked for that, each second. */
#define FIRST_US 100000
#define LAST_US 10000000
#define ASK_US 1000000

/* Between two notifications. An outage that begins so soon after the last one
 * keeps its interval. */
#define QUIET_US 60000000

/* Room that a new file needs: its header and one write. */
#define ROOM ((uint64_t)64 << 10)

static void
note_blocked(struct bob_recorder *r)
{
	struct outage *o = &r->outage;
	const struct bob_recorder_note note = { .kind = BOB_NOTE_BLOCKED,
		.path = o->path != NULL ? o->path : "", .text = o->why };

	o->is_told = !o->was_told || r->t_us >= o->t_told + QUIET_US;
	if (!o->is_told)
		return;
	o->was_told = 1;
	o->t_told = r->t_us;
	recorder_note(r, &note);
}

void
outage_begin(struct bob_recorder *r, const char *path)
{
	struct outage *o = &r->outage;

	if (o->is_on)
		return;
	if (o->wait_us == 0 || r->t_us >= o->t_ended + QUIET_US)
		o->wait_us = FIRST_US;
	o->is_on = 1;
	o->t_began = r->t_us;
	o->t_next = r->t_us + o->wait_us;
	o->lost = recorder_lost(r);
	o->cause = ledger_cause_of(bob_ctx_error(r->ctx));
	(void)snprintf(o->why, sizeof(o->why), "%s",
	    bob_ctx_error(r->ctx)->text);
	free(o->path);
	o->path = path != NULL ? strdup(path) : NULL;
	note_blocked(r);
}

void
outage_goes_on(struct bob_recorder *r, const char *path)
{
	struct outage *o = &r->outage;

	outage_begin(r, path);
	if (o->t_next > r->t_us)
		return;
	o->wait_us = 2 * o->wait_us < LAST_US ? 2 * o->wait_us : LAST_US;
	o->t_next = r->t_us + o->wait_us;
}

void
outage_end(struct bob_recorder *r)
{
	struct outage *o = &r->outage;
	const struct bob_recorder_note note = { .kind = BOB_NOTE_RESUMED,
		.path = o->path != NULL ? o->path : "", .text = o->why,
		.us = r->t_us - o->t_began,
		.lost = recorder_lost(r) - o->lost };

	if (!o->is_on)
		return;
	o->is_on = 0;
	o->t_ended = r->t_us;
	if (o->is_told)
		recorder_note(r, &note);
}

/* True if the file system has room, or cannot be asked. */
static int
has_room(const struct outage *o)
{
	const char *slash = o->path != NULL ? strrchr(o->path, '/') : NULL;
	char *dir;
	struct statvfs s;
	int r;

	if (o->path == NULL)
		return 1;
	dir = slash == NULL ? strdup(".")
	    : strndup(o->path, (size_t)(slash - o->path) + 1);
	r = dir != NULL ? statvfs(dir, &s) : -1;
	free(dir);
	return r < 0 || ((s.f_flag & ST_RDONLY) == 0 &&
	    count_mul(s.f_bavail, s.f_frsize) >= ROOM);
}

int
outage_may_try(struct bob_recorder *r)
{
	struct outage *o = &r->outage;

	if (!o->is_on)
		return 1;
	if (r->t_us < o->t_next)
		return 0;
	if (has_room(o))
		return 1;
	o->t_next = r->t_us + ASK_US;
	return 0;
}
