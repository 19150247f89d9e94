/*
 * The explorer inside top, on the profile that top adds samples to. It is
 * stepped between samples, and shows new ones once per interval.
 */
#include <stdio.h>
#include <string.h>

#include "explore/explore.h"
#include "top.h"

void
top_live_open(struct top *t, const struct top_row *row)
{
	static const int groups[TOP_N_BY] = { BOB_GROUP_FUNCTION,
		BOB_GROUP_LINE, BOB_GROUP_FILE, BOB_GROUP_FUNCTION,
		BOB_GROUP_FUNCTION, BOB_GROUP_FUNCTION };
	struct explore_opts o = { .ctx = t->ctx, .profile = t->store.profile,
		.group = groups[t->table.by], .idle = t->table.shows_idle
			? BOB_IDLE_KEEP : BOB_IDLE_HIDE };
	struct explore_start at = { .focus = 0 };
	char title[256], subject[200];

	(void)snprintf(title, sizeof(title), "live: %s", top_subject(t,
	    subject, sizeof(subject)));
	o.title = title;
	if (row != NULL && t->table.by <= TOP_BY_FILE)
		at.focus = row->key;
	else if (row != NULL && t->table.by != TOP_BY_ROUTE)
		at.track = row->key;
	at.is_thread = t->table.by == TOP_BY_THREAD;
	t->live = explore_live_open(&o, &at, t->notice, sizeof(t->notice));
	t->is_notice_bad = t->live == NULL;
}

int
top_live_step(struct top *t)
{
	return explore_live_step(t->live);
}

void
top_live_grew(struct top *t)
{
	if (t->live != NULL)
		explore_live_grew(t->live);
}

void
top_live_close(struct top *t)
{
	explore_live_close(t->live);
	t->live = NULL;
}
