/*
 * Takes lists of processes for a watch; see watch.h. A process is identified by
 * pid and start. One that is not in the last list has ended, or does not match
 * any more.
 */
#include <stdlib.h>
#include <string.h>

#include "capture/watch/watch.h"

/* Between two lists; with children more often, as these may end soon. */
#define LIST_US 1000000
#define CHILDREN_US 100000
#define WRAPPED_US 10000

/* Limit of tries because of a new name, as a process can change its name
 * often. */
#define RENAME_US 1000000

static int
takes_children(const struct bob_watch *w)
{
	return (w->flags & WATCH_TAKES_CHILDREN) != 0;
}

static int
is_to_be_watched(const struct bob_watch *w, const struct found *f)
{
	const struct watched *parent;

	if (f->is_match || f->is_silent)
		return 1;
	parent = takes_children(w) ? watch_find(w, f->ppid) : NULL;
	if (parent == NULL || parent->is_gone)
		return 0;
	return (w->flags & BOB_WATCH_CHILDREN) != 0 ||
	    (parent->proc == NULL && !parent->was_sampled);
}

/* A new name means another program: it is tried again. */
static void
update_name(struct bob_watch *w, struct watched *e, const struct found *f)
{
	int is_new = e->name[0] == '\0';

	if (strcmp(e->name, f->name) == 0)
		return;
	memcpy(e->name, f->name, sizeof(e->name));
	if (is_new || e->proc != NULL ||
	    w->now - e->t_renamed < RENAME_US)
		return;
	e->t_renamed = w->now;
	if (e->t_next != WATCH_NEVER)
		watch_renew(w, e);
}

static void
update_watched(struct bob_watch *w, struct watched *e, const struct found *f)
{
	e->start = f->start;
	if (f->is_match || f->is_silent || e->is_named || takes_children(w))
		e->t_seen = w->now;
	if (!f->is_silent)
		update_name(w, e, f);
	else if (e->proc == NULL && e->attaching == NULL &&
	    e->t_next != WATCH_NEVER)
		watch_silence(w, e, 1);
}

static void
on_found(void *user, const struct found *f)
{
	struct bob_watch *w = user;
	struct watched *e = watch_find(w, f->pid);

	if (e == NULL && is_to_be_watched(w, f))
		e = watch_insert(w, f->pid);
	if (e == NULL || e->is_gone)
		return;
	if (e->start == 0 || e->start == f->start)
		update_watched(w, e, f);
	else if (e->proc == NULL)
		e->is_gone = 1; /* another process has the pid now */
}

/* True for a named process that was not tried yet: trying it reports what is
 * wrong with it. */
static int
is_tried_first(const struct watched *e)
{
	return e->is_named && e->cause == BOB_REFUSED_NOT && !e->was_sampled;
}

/* After a complete list: marks processes that were not in it. */
static void
forget_unseen(struct bob_watch *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		struct watched *e = &w->v[i];

		if (e->proc == NULL && e->t_seen < w->t_look &&
		    !is_tried_first(e))
			e->is_gone = 1;
	}
}

/* With BOB_WATCH_ONCE: the pattern is not used any more, only children are
 * listed. */
static void
end_pattern(struct bob_watch *w)
{
	scout_free(w->scout);
	w->scout = NULL;
	free(w->pattern);
	w->pattern = NULL;
	if (takes_children(w) &&
	    scout_new(w->ctx, NULL, SCOUT_ALL, &w->scout) < 0)
		watch_tell_limited(w);
}

static void
take_list(struct bob_watch *w)
{
	int r = scout_poll(w->scout, on_found, w);

	if (r == BOB_AGAIN)
		return;
	w->is_looking = 0;
	if (r != BOB_OK) {
		watch_tell_limited(w);
		return;
	}
	if (w->n < BOB_MAX_WATCHED)
		w->is_limited = 0;
	if ((w->flags & BOB_WATCH_ONCE) != 0 && w->pattern != NULL)
		end_pattern(w);
	else
		forget_unseen(w);
}

/* True while a wrapper has started nothing that can be sampled. */
static int
is_waiting(const struct bob_watch *w)
{
	return (w->flags & BOB_WATCH_WRAPPED) != 0 &&
	    bob_sampler_get(w->sampler, 0) == NULL;
}

void
watch_look(struct bob_watch *w)
{
	uint64_t every = !takes_children(w) ? LIST_US :
	    is_waiting(w) ? WRAPPED_US : CHILDREN_US;

	if (w->scout == NULL)
		return;
	if (w->is_looking) {
		take_list(w);
		return;
	}
	if (w->t_look != 0 && w->now - w->t_look < every)
		return;
	w->t_look = w->now;
	if (scout_ask(w->scout) == BOB_OK)
		w->is_looking = 1;
	else
		watch_tell_limited(w);
}

int
watch_awaits_list(const struct bob_watch *w)
{
	return w->pattern != NULL && w->is_looking;
}
