/* The processes that a daemon samples. Their tapes are in tapes.c. */
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "msg.h"

/* Where a pid is, or would be. */
static size_t
place_of(const struct daemon *d, uint64_t pid)
{
	size_t low = 0, high = d->n_workers, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (d->worker[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct worker *
workers_find(struct daemon *d, uint64_t pid)
{
	size_t i = place_of(d, pid);

	return i < d->n_workers && d->worker[i].pid == pid ? &d->worker[i] :
	    NULL;
}

/* Puts a new worker in its place; NULL without memory. */
static struct worker *
insert(struct daemon *d, uint64_t pid)
{
	size_t i = place_of(d, pid);
	struct worker *v = d->worker;

	if (d->n_workers == d->cap_workers) {
		v = realloc(v, (d->cap_workers + 64) * sizeof(*v));
		if (v == NULL)
			return NULL;
		d->worker = v;
		d->cap_workers += 64;
	}
	memmove(&v[i + 1], &v[i], (d->n_workers - i) * sizeof(*v));
	memset(&v[i], 0, sizeof(v[i]));
	v[i].pid = pid;
	d->n_workers++;
	return &v[i];
}

static void
erase(struct daemon *d, struct worker *w)
{
	size_t i = (size_t)(w - d->worker);

	memmove(w, w + 1, (d->n_workers - i - 1) * sizeof(*w));
	d->n_workers--;
}

/* Attaches as what it is: with a runtime, or without when it has none. */
static int
attach(struct daemon *d, const struct bob_proc_info *info,
    struct bob_attach_opts *o, struct bob_proc **ret)
{
	const struct refused *before = refused_find(d, info);
	int r = bob_attach(d->ctx, info->pid, o, ret);

	if (r == BOB_OK || before == NULL || !before->is_native ||
	    bob_ctx_error(d->ctx)->code != BOB_E_FORMAT)
		return r;
	o->runtime = "native";
	o->flags &= ~(uint32_t)BOB_ATTACH_NATIVE;
	return bob_attach(d->ctx, info->pid, o, ret);
}

/* Begins with a process; one that cannot be read is told once. */
static void
begin(struct daemon *d, const struct bob_proc_info *info)
{
	struct bob_attach_opts o = d->attach;
	struct worker *w;
	struct bob_proc *p;

	o.dict = d->is_bundled && d->bundle.out != NULL ? d->bundle.dict :
	    d->spare;
	if (attach(d, info, &o, &p) < 0) {
		refused_add(d, info);
		return;
	}
	refused_drop(d, info);
	w = insert(d, info->pid);
	if (w == NULL || bob_sampler_add(d->sampler, p) < 0) {
		msg_warn("process %llu: out of memory",
		    (unsigned long long)info->pid);
		bob_detach(p);
		if (w != NULL)
			erase(d, w);
		return;
	}
	w->proc = p;
	tapes_join(d, w);
}

static int
on_process(void *user, const struct bob_proc_info *info)
{
	struct daemon *d = user;

	if (workers_find(d, info->pid) == NULL && !refused_for_now(d, info)) {
		begin(d, info);
		/* Hundreds at once take seconds, and someone may ask. */
		status_answer(d);
	}
	return 0;
}

/* Who could not be looked at is there next time; nobody is forgotten. */
static int
go_on_blindly(struct daemon *d)
{
	const struct bob_error *e = bob_ctx_error(d->ctx);

	if (e->code != BOB_E_IO && e->code != BOB_E_NOMEM)
		return BOB_FAILED;
	if (!d->is_blind)
		msg_warn("%s; it is tried again every second", e->text);
	d->is_blind = 1;
	return BOB_OK;
}

int
workers_scan(struct daemon *d)
{
	refused_begin_look(d);
	if (bob_proc_find(d->ctx, d->pattern, on_process, d) < 0)
		return go_on_blindly(d);
	d->is_blind = 0;
	refused_end_look(d);
	return BOB_OK;
}

void
workers_gone(struct daemon *d, struct worker *w)
{
	tapes_leave(d, w);
	erase(d, w);
}

void
workers_close(struct daemon *d)
{
	while (d->n_workers > 0)
		workers_gone(d, &d->worker[d->n_workers - 1]);
	tapes_close(d);
	free(d->worker);
	free(d->refused);
}
