/* The processes that a daemon samples. Their tapes are in tapes.c. */
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "live/descriptors.h"
#include "msg.h"

/* Processes that are attached at the same time, each in a thread of its own.
 * One that takes longer than LATE_US is not counted any more, and one that
 * takes longer than SILENT_US never answers: the largest programs that were met
 * take 0.3 s. */
#define AT_ONCE 32
#define DESCRIPTORS 64 /* of the limit, for each of them */
#define LATE_US 500000
#define SILENT_US 10000000

size_t
workers_place(const void *v, size_t n, size_t size, uint64_t pid)
{
	size_t low = 0, high = n, middle;
	uint64_t at;

	while (low < high) {
		middle = low + (high - low) / 2;
		memcpy(&at, (const char *)v + middle * size, sizeof(at));
		if (at < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t
place_of(const struct daemon *d, uint64_t pid)
{
	return workers_place(d->worker, d->n_workers, sizeof(*d->worker), pid);
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

/* --- those that come ------------------------------------------------------ */

static struct arrival *
find_arrival(const struct daemon *d, const struct bob_proc_info *info)
{
	size_t i;

	for (i = 0; i < d->n_arrivals; i++)
		if (d->arrival[i].pid == info->pid &&
		    d->arrival[i].start == info->start)
			return &d->arrival[i];
	return NULL;
}

/* Those that are not late: for the others nobody waits. */
static size_t
count_young(const struct daemon *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n_arrivals; i++)
		n += d->arrival[i].attaching != NULL &&
		    bob_attach_age(d->arrival[i].attaching) < LATE_US;
	return n;
}

static size_t
count_late(const struct daemon *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n_arrivals; i++)
		n += d->arrival[i].attaching != NULL &&
		    bob_attach_age(d->arrival[i].attaching) >= LATE_US;
	return n;
}

/* Begins to attach, as what it is: with a runtime, or without when it was seen
 * to have none. BOB_OK or FAILED. */
static int
begin(struct daemon *d, struct arrival *a)
{
	struct bob_attach_opts o = d->attach;

	o.dict = d->spare;
	if (a->is_plain) {
		o.runtime = "native";
		o.flags &= ~(uint32_t)BOB_ATTACH_NATIVE;
	}
	return bob_attach_begin(d->ctx, a->pid, &o, &a->attaching);
}

static void
arrive(struct daemon *d, const struct bob_proc_info *info)
{
	struct arrival *v = d->arrival;

	if (d->n_arrivals == d->cap_arrivals) {
		v = realloc(v, (d->cap_arrivals + 64) * sizeof(*v));
		if (v == NULL)
			return;
		d->arrival = v;
		d->cap_arrivals += 64;
	}
	v += d->n_arrivals;
	*v = (struct arrival){ .pid = info->pid, .start = info->start,
		.t_us = d->t_look };
	d->n_arrivals++;
}

/* Each has some descriptors while it is attached. */
static size_t
at_once(void)
{
	size_t n = (size_t)(descriptors_limit() / DESCRIPTORS);

	return n < 1 ? 1 : n < AT_ONCE ? n : AT_ONCE;
}

/* One that has come. 1 when it is settled. */
static int
try_to_begin(struct daemon *d, struct arrival *a)
{
	const struct bob_proc_info info = { .pid = a->pid, .start = a->start };

	if (count_young(d) >= at_once())
		return 0;
	if (refused_for_now(d, &info))
		return 1;
	if (begin(d, a) == BOB_OK)
		return 0;
	refused_add(d, &info, a->t_us);
	return 1;
}

/* It is attached: samples are taken from now on. */
static void
join(struct daemon *d, struct bob_proc *p, uint64_t start)
{
	uint64_t pid = bob_proc_facts(p)->pid;
	struct worker *w = workers_find(d, pid) == NULL ? insert(d, pid) : NULL;

	if (w == NULL || bob_sampler_add(d->sampler, p) < 0) {
		msg_warn("process %llu: out of memory",
		    (unsigned long long)pid);
		bob_detach(p);
		if (w != NULL)
			erase(d, w);
		return;
	}
	w->proc = p;
	w->start = start;
	tapes_join(d, w);
}

void
workers_tell_silent(struct daemon *d, const struct bob_proc *p)
{
	const struct worker *w = workers_find(d, bob_proc_facts(p)->pid);
	struct bob_proc_info info = { .pid = bob_proc_facts(p)->pid };

	info.start = w != NULL ? w->start : 0;
	refused_add_silent(d, &info, 0);
}

/* It could not be attached. 0 when it is tried once more: one that was seen to
 * have no runtime is sampled as it is. */
static int
fail(struct daemon *d, struct arrival *a, const struct bob_proc_info *info)
{
	const struct refused *before = refused_find(d, info);

	if (before != NULL && before->is_native && !a->is_plain &&
	    bob_ctx_error(d->ctx)->code == BOB_E_FORMAT) {
		a->is_plain = 1;
		if (begin(d, a) == BOB_OK)
			return 0;
	}
	refused_add(d, info, a->t_us);
	return 1;
}

/* 1 when it is settled. */
static int
settle(struct daemon *d, struct arrival *a)
{
	const struct bob_proc_info info = { .pid = a->pid, .start = a->start };
	struct bob_proc *p;
	int r;

	if (a->attaching == NULL)
		return try_to_begin(d, a);
	r = bob_attach_poll(d->ctx, a->attaching,
	    d->is_bundled && d->bundle.out != NULL ? d->bundle.dict : d->spare,
	    &p);
	if (r == BOB_AGAIN && bob_attach_age(a->attaching) < SILENT_US)
		return 0;
	if (r == BOB_AGAIN) {
		bob_attach_drop(a->attaching);
		refused_add_silent(d, &info, 1);
		return 1;
	}
	if (r < 0)
		return fail(d, a, &info);
	/* Its waits grow when it stops answering again and again. */
	if (refused_find(d, &info) == NULL ||
	    refused_find(d, &info)->why != REFUSED_SILENT)
		refused_drop(d, &info);
	join(d, p, a->start);
	return 1;
}

static int
on_process(void *user, const struct bob_proc_info *info)
{
	struct daemon *d = user;

	if (info->is_silent)
		refused_add_silent(d, info, 1);
	else if (workers_find(d, info->pid) == NULL &&
	    find_arrival(d, info) == NULL && !refused_for_now(d, info))
		arrive(d, info);
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
	if (d->scout == NULL &&
	    bob_scout_new(d->ctx, d->pattern, &d->scout) < 0)
		return BOB_FAILED;
	if (!d->is_looking) {
		refused_begin_look(d);
		d->is_looking = 1;
	}
	return bob_scout_ask(d->scout) < 0 ? go_on_blindly(d) : BOB_OK;
}

/* The list that was asked for. BOB_AGAIN, OK or FAILED. */
static int
take_list(struct daemon *d)
{
	int r = bob_scout_poll(d->scout, on_process, d);

	if (r == BOB_AGAIN || r == BOB_EOF)
		return r == BOB_AGAIN ? r : BOB_OK;
	d->is_looking = 0;
	if (r < 0)
		return go_on_blindly(d);
	d->is_blind = 0;
	refused_end_look(d);
	return BOB_OK;
}

int
workers_poll(struct daemon *d)
{
	size_t i = 0;
	int r = take_list(d);

	while (i < d->n_arrivals)
		if (settle(d, &d->arrival[i]))
			d->arrival[i] = d->arrival[--d->n_arrivals];
		else
			i++;
	if (r < 0)
		return r;
	return r == BOB_AGAIN || d->n_arrivals > count_late(d) ? BOB_AGAIN
	                                                       : BOB_OK;
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
	while (d->n_arrivals > 0)
		bob_attach_drop(d->arrival[--d->n_arrivals].attaching);
	bob_scout_free(d->scout);
	free(d->arrival);
	free(d->worker);
	free(d->refused);
}
