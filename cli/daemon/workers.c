/* The processes that a daemon samples. Their tapes are in tapes.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "msg.h"

/* A process that could not be read may be able to be later: it was only just
 * started, or somebody has changed its rights. It is tried again soon, and then
 * less and less often. */
#define SOON_US 1000000
#define AGAIN_US 60000000

/* With --native, a process without a runtime is sampled as it is, but not
 * before a program that was just started has had the time to load one. */
#define NATIVE_US 2000000

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

static struct refused *
find_refused(const struct daemon *d, const struct bob_proc_info *info)
{
	size_t i;

	for (i = 0; i < d->n_refused; i++)
		if (d->refused[i].pid == info->pid &&
		    d->refused[i].start == info->start)
			return &d->refused[i];
	return NULL;
}

static struct refused *
add_refused(struct daemon *d, const struct bob_proc_info *info)
{
	struct refused *v = d->refused;

	if (d->n_refused == d->cap_refused) {
		v = realloc(v, (d->cap_refused + 64) * sizeof(*v));
		if (v == NULL)
			return NULL;
		d->refused = v;
		d->cap_refused += 64;
	}
	v += d->n_refused++;
	*v = (struct refused){ .pid = info->pid, .start = info->start };
	return v;
}

/* What the library says about a process that cannot be read is told once; if it
 * is no runtime, not before it has had the time to become one. */
static void
refuse(struct daemon *d, const struct bob_proc_info *info)
{
	const struct bob_error *e = bob_ctx_error(d->ctx);
	struct refused *r = find_refused(d, info);

	if (e->sys == ESRCH)
		return; /* it was gone before we had a look */
	if (r == NULL)
		r = add_refused(d, info);
	if (r == NULL)
		return;
	r->t_us = d->t_us;
	r->is_native = e->code == BOB_E_FORMAT &&
	    (d->attach.flags & BOB_ATTACH_NATIVE) != 0;
	if (!r->is_native && !r->is_told &&
	    (e->code != BOB_E_FORMAT || r->wait_us > 0)) {
		msg_warn("%s", e->text);
		r->is_told = 1;
	}
	r->wait_us = r->wait_us == 0 ? SOON_US
	    : 2 * r->wait_us < AGAIN_US ? 2 * r->wait_us : AGAIN_US;
}

static int
is_refused(const struct daemon *d, const struct bob_proc_info *info)
{
	const struct refused *r = find_refused(d, info);

	return r != NULL &&
	    d->t_us < r->t_us + (r->is_native ? NATIVE_US : r->wait_us);
}

/* Forgets refusals that nobody has asked about for long: those processes are
 * gone. */
static void
forget_refused(struct daemon *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n_refused; i++)
		if (d->t_us < d->refused[i].t_us + 2 * AGAIN_US)
			d->refused[n++] = d->refused[i];
	d->n_refused = n;
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
	const struct refused *before = find_refused(d, info);
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
		refuse(d, info);
		return;
	}
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

	if (workers_find(d, info->pid) == NULL && !is_refused(d, info)) {
		begin(d, info);
		/* Hundreds at once take seconds, and someone may ask. */
		status_answer(d);
	}
	return 0;
}

int
workers_scan(struct daemon *d)
{
	forget_refused(d);
	return bob_proc_find(d->ctx, d->pattern, on_process, d);
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
