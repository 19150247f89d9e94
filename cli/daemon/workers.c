/* The processes that a daemon samples, and the tape of each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "live/native.h"
#include "msg.h"

/* A process that could not be read may be able to be later: it was only just
 * started, or somebody has changed its rights. It is tried again soon, and then
 * less and less often. */
#define SOON_US 1000000
#define AGAIN_US 60000000

/* With --native, a process without a runtime is sampled as it is, but not
 * before a program that was just started has had the time to load one. */
#define NATIVE_US 2000000

static struct tape_opts
tape_opts_of(const struct daemon *d, const struct bob_proc_facts *facts)
{
	struct tape_opts o = { .format = d->target.to,
		.options = d->target.options,
		.n_options = d->target.n_options,
		.period_ns = d->governor.period_ns, .t_us = d->t_us,
		.mode = (int)d->attach.mode, .facts = facts };

	return o;
}

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

static int
open_tape(struct daemon *d, struct tape *t, const char *what, uint64_t pid,
    const struct bob_proc_facts *facts)
{
	struct tape_opts o = tape_opts_of(d, facts);
	char *path = files_new_name(d, what, pid);
	int r;

	if (path == NULL) {
		msg_error("%s: no name for a file could be found", d->dir);
		return BOB_FAILED;
	}
	r = tape_open(t, d->ctx, path, &o);
	if (r < 0)
		msg_error("%s", bob_ctx_error(d->ctx)->text);
	else
		d->n_files++;
	free(path);
	return r;
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

/* Gives up a tape whose file cannot be written any more, after saying why. */
static void
drop_tape(struct daemon *d, struct tape *t)
{
	const char *why = bob_ctx_error(d->ctx)->text;
	size_t i;

	if (strstr(why, t->path) != NULL)
		msg_error("%s", why);
	else
		msg_error("%s: %s", t->path, why);
	msg_hint("what was written stays; a new file is tried in a minute");
	for (i = 0; i < d->n_workers; i++)
		if (t == &d->bundle || t == &d->worker[i].tape)
			bob_proc_set_dict(d->worker[i].proc, d->spare);
	(void)tape_close(t);
}

/* Says on the bundle whose samples they are; it may fail as any writing
 * may. */
static void
tell(struct daemon *d, const struct worker *w)
{
	if (tape_process(&d->bundle, bob_proc_facts(w->proc)) == BOB_OK)
		return;
	drop_tape(d, &d->bundle);
}

/* A segment of the bundle begins, which knows of no process. */
static void
tell_all(struct daemon *d)
{
	size_t i;

	for (i = 0; d->bundle.out != NULL && i < d->n_workers; i++)
		tell(d, &d->worker[i]);
}

static void
erase(struct daemon *d, struct worker *w)
{
	size_t i = (size_t)(w - d->worker);

	memmove(w, w + 1, (d->n_workers - i - 1) * sizeof(*w));
	d->n_workers--;
}

/* A file for a worker, and names from its dictionary. */
static int
give_tape(struct daemon *d, struct worker *w)
{
	const struct bob_proc_facts *f = bob_proc_facts(w->proc);
	int r = open_tape(d, &w->tape, f->runtime, f->pid, f);

	w->t_tried = d->t_us;
	if (r == BOB_OK)
		bob_proc_set_dict(w->proc, w->tape.dict);
	return r;
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
	if (!d->is_bundled)
		(void)give_tape(d, w);
	else if (d->bundle.out != NULL)
		tell(d, w);
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

/* Tapes that could not be opened or written are tried again. */
static void
mend_tapes(struct daemon *d)
{
	size_t i;

	if (d->is_bundled) {
		if (d->bundle.out == NULL &&
		    d->t_us >= d->t_bundle + AGAIN_US)
			(void)workers_rotate(d);
		return;
	}
	for (i = 0; i < d->n_workers; i++)
		if (d->worker[i].tape.out == NULL &&
		    d->t_us >= d->worker[i].t_tried + AGAIN_US)
			(void)give_tape(d, &d->worker[i]);
}

int
workers_scan(struct daemon *d)
{
	mend_tapes(d);
	forget_refused(d);
	return bob_proc_find(d->ctx, d->pattern, on_process, d);
}

void
workers_take(struct daemon *d, struct worker *w, const struct bob_run *v,
    size_t n)
{
	struct tape *t = d->is_bundled ? &d->bundle : &w->tape;

	if (t->out == NULL)
		return;
	if (tape_runs(t, v, n) == BOB_OK) {
		w->n_samples += n;
		d->n_samples += n;
		return;
	}
	drop_tape(d, t);
}

/* Ends a tape with how well it went. */
static void
finish(struct daemon *d, struct tape *t, const struct bob_capture_counts *c)
{
	int r;

	if (t->out == NULL)
		return;
	r = tape_counts(t, c, d->t_us);
	if (r == BOB_OK)
		r = native_put_cost(t->out, c);
	if (tape_close(t) < 0 || r < 0)
		msg_error("%s", bob_ctx_error(d->ctx)->text);
}

/* Which builds the native frames of a worker are of. What fails here fails
 * again when the tape is ended, and is told then. */
static void
tell_modules(struct tape *t, const struct worker *w)
{
	if (t->out != NULL)
		(void)native_put_modules(t->out, w->proc);
}

void
workers_gone(struct daemon *d, struct worker *w)
{
	struct bob_capture_counts c;

	bob_proc_counts(w->proc, &c);
	bob_proc_set_dict(w->proc, d->spare);
	tell_modules(d->is_bundled ? &d->bundle : &w->tape, w);
	finish(d, &w->tape, &c);
	erase(d, w);
}

/* The old tape goes on when there cannot be a new one. */
static void
renew(struct daemon *d, struct worker *w)
{
	struct tape old = w->tape;
	struct bob_capture_counts c;

	if (give_tape(d, w) < 0) {
		w->tape = old;
		return;
	}
	bob_proc_counts(w->proc, &c);
	tell_modules(&old, w);
	finish(d, &old, &c);
}

static void
renew_bundle(struct daemon *d)
{
	struct tape old = d->bundle;
	struct bob_capture_counts c;
	size_t i;

	d->t_bundle = d->t_us;
	if (open_tape(d, &d->bundle, "bundle", 0, NULL) < 0) {
		d->bundle = old;
		return;
	}
	for (i = 0; i < d->n_workers; i++) {
		bob_proc_set_dict(d->worker[i].proc, d->bundle.dict);
		tell_modules(&old, &d->worker[i]);
	}
	tell_all(d);
	bob_sampler_counts(d->sampler, &c);
	finish(d, &old, &c);
}

void
workers_rotate(struct daemon *d)
{
	size_t i;

	if (d->is_bundled) {
		renew_bundle(d);
		return;
	}
	for (i = 0; i < d->n_workers; i++)
		renew(d, &d->worker[i]);
}

/* A new segment, which may fail as any writing may. */
static void
mark_period(struct daemon *d, struct tape *t,
    const struct bob_proc_facts *facts)
{
	struct tape_opts o = tape_opts_of(d, facts);

	if (t->out != NULL && tape_segment(t, &o) < 0)
		drop_tape(d, t);
}

void
workers_new_period(struct daemon *d)
{
	size_t i;

	if (d->is_bundled) {
		mark_period(d, &d->bundle, NULL);
		tell_all(d);
	}
	for (i = 0; i < d->n_workers; i++)
		mark_period(d, &d->worker[i].tape,
		    bob_proc_facts(d->worker[i].proc));
}

static void
sync_tape(struct daemon *d, struct tape *t)
{
	if (t->out != NULL && bob_barrier(t->out, 0) < 0)
		drop_tape(d, t);
}

void
workers_barrier(struct daemon *d)
{
	size_t i;

	sync_tape(d, &d->bundle);
	for (i = 0; i < d->n_workers; i++)
		sync_tape(d, &d->worker[i].tape);
}

void
workers_close(struct daemon *d)
{
	struct bob_capture_counts c;

	while (d->n_workers > 0)
		workers_gone(d, &d->worker[d->n_workers - 1]);
	if (d->sampler != NULL) {
		bob_sampler_counts(d->sampler, &c);
		finish(d, &d->bundle, &c);
	}
	free(d->worker);
	free(d->refused);
}
