/*
 * The tapes of a daemon: a file for each process, or one for all.
 *
 * Every sample that comes is in one place of a ledger: in a file, on its way
 * there, or lost by some cause. What goes wrong with one tape does not end the
 * others.
 */
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "live/native.h"
#include "msg.h"

static struct tape_opts
opts_of(const struct daemon *d, const struct worker *w)
{
	struct tape_opts o = { .format = d->target.to,
		.options = d->target.options,
		.n_options = d->target.n_options,
		.period_ns = d->governor.period_ns, .t_us = d->t_us,
		.mode = (int)d->attach.mode };

	if (w != NULL) {
		o.facts = bob_proc_facts(w->proc);
		bob_proc_counts(w->proc, &o.counts);
	} else {
		bob_sampler_counts(d->sampler, &o.counts);
	}
	return o;
}

/* The ledger of a worker's tape, or, for NULL, of the bundle's and of those
 * that have ended. */
static struct ledger *
ledger_of(struct daemon *d, struct worker *w)
{
	return w != NULL ? &w->ledger : &d->ledger;
}

static struct tape *
tape_of(struct daemon *d, struct worker *w)
{
	return w != NULL ? &w->tape : &d->bundle;
}

/* Who is on the tape of w: NULL is the bundle. */
static void
use_dict(struct daemon *d, struct worker *w, struct bob_dict *dict)
{
	size_t i;

	if (w != NULL)
		bob_proc_set_dict(w->proc, dict);
	for (i = 0; w == NULL && i < d->n_workers; i++)
		bob_proc_set_dict(d->worker[i].proc, dict);
}

/* Who may see which source. */
static void
see_all(struct daemon *d, struct worker *w)
{
	size_t i;

	if (w != NULL)
		tape_see(&w->tape, w->proc);
	for (i = 0; w == NULL && i < d->n_workers; i++)
		tape_see(&d->bundle, d->worker[i].proc);
}

/* What is lost and told in no file; of workers that have ended, too. */
static int
tell_losses(struct daemon *d, struct worker *w, struct tape *t)
{
	int r = tape_tell(t, ledger_of(d, w));

	return r < 0 || w == NULL ? r : tape_tell(t, &d->ledger);
}

/* A new file for w, as *t. It has been written to when this is BOB_OK: a disk
 * that is full says so now. */
static int
open_tape(struct daemon *d, struct worker *w, struct tape *t)
{
	struct tape_opts o = opts_of(d, w);
	char *path = w != NULL
	    ? files_new_name(d, o.facts->runtime, o.facts->pid)
	    : files_new_name(d, "bundle", 0);
	int r = BOB_FAILED;

	if (path == NULL) {
		outage_goes_on(d, "no name for a file could be found");
		return r;
	}
	r = tape_open(t, d->ctx, path, &o);
	free(path);
	if (r == BOB_OK) {
		r = tell_losses(d, w, t);
		if (r == BOB_OK)
			r = tape_barrier(t);
		if (r < 0)
			tape_discard(t, ledger_of(d, w));
	}
	if (r < 0) {
		outage_goes_on(d, bob_ctx_error(d->ctx)->text);
		return BOB_FAILED;
	}
	d->n_files++;
	outage_end(d);
	return BOB_OK;
}

/* Gives up a tape whose file cannot be written any more. */
static void
drop(struct daemon *d, struct worker *w)
{
	enum ledger_cause cause = ledger_cause_of(bob_ctx_error(d->ctx));
	struct tape *t = tape_of(d, w);

	use_dict(d, w, d->spare);
	outage_begin(d, bob_ctx_error(d->ctx)->text);
	(void)tape_close(t, ledger_of(d, w), cause);
}

/* Says on the bundle whose samples they are; it may fail as any writing
 * may. */
static void
name_process(struct daemon *d, const struct worker *w)
{
	if (tape_process(&d->bundle, bob_proc_facts(w->proc)) < 0)
		drop(d, NULL);
}

/* A segment of the bundle begins, which knows of no process. */
static void
name_processes(struct daemon *d)
{
	size_t i;

	for (i = 0; d->bundle.out != NULL && i < d->n_workers; i++)
		name_process(d, &d->worker[i]);
}

/* A file for a worker, and names from its dictionary. */
static int
give_tape(struct daemon *d, struct worker *w)
{
	int r = open_tape(d, w, &w->tape);

	if (r == BOB_OK) {
		bob_proc_set_dict(w->proc, w->tape.dict);
		tape_see(&w->tape, w->proc);
	}
	return r;
}

void
tapes_join(struct daemon *d, struct worker *w)
{
	if (d->is_bundled && d->bundle.out != NULL) {
		tape_see(&d->bundle, w->proc);
		name_process(d, w);
	} else if (!d->is_bundled && outage_may_try(d)) {
		(void)give_tape(d, w);
	}
}

void
tapes_take(struct daemon *d, struct worker *w, const struct bob_run *v,
    size_t n)
{
	struct worker *owner = d->is_bundled ? NULL : w;
	struct ledger *l = ledger_of(d, owner);
	struct tape *t = tape_of(d, owner);

	w->n_samples += n;
	l->taken += n;
	if (t->out == NULL)
		ledger_lose(l, d->outage.cause, n);
	else if (tape_runs(t, v, n) < 0)
		drop(d, owner);
}

/* Which builds the native frames of a worker are of. */
static int
put_modules(struct daemon *d, struct worker *w, struct tape *t)
{
	size_t i;
	int r = BOB_OK;

	if (w != NULL)
		return native_put_modules(t->out, w->proc);
	for (i = 0; r == BOB_OK && i < d->n_workers; i++)
		r = native_put_modules(t->out, d->worker[i].proc);
	return r;
}

/* Ends a tape with how well it went. Its samples are out before that: what is
 * said about them may not fit any more. */
static void
finish(struct daemon *d, struct worker *w, struct tape *t)
{
	struct bob_capture_counts c;
	int r;

	if (t->out == NULL)
		return;
	c = opts_of(d, w).counts;
	c = tape_since(t, &c);
	r = tape_barrier(t);
	if (r == BOB_OK)
		r = put_modules(d, w, t);
	if (r == BOB_OK)
		r = tell_losses(d, w, t);
	if (r == BOB_OK)
		r = tape_counts(t, &c, d->t_us);
	if (r == BOB_OK)
		r = native_put_cost(t->out, &c);
	if (tape_close(t, ledger_of(d, w), LEDGER_DISK) < 0 || r < 0)
		outage_begin(d, bob_ctx_error(d->ctx)->text);
}

void
tapes_leave(struct daemon *d, struct worker *w)
{
	if (d->is_bundled && d->bundle.out != NULL &&
	    native_put_modules(d->bundle.out, w->proc) < 0)
		drop(d, NULL);
	bob_proc_set_dict(w->proc, d->spare);
	finish(d, w, &w->tape);
	ledger_add(&d->ledger, &w->ledger);
}

void
tapes_close(struct daemon *d)
{
	if (d->sampler != NULL)
		finish(d, NULL, &d->bundle);
}

void
tapes_move(struct daemon *d)
{
	size_t i;

	use_dict(d, NULL, d->spare);
	finish(d, NULL, &d->bundle);
	for (i = 0; i < d->n_workers; i++)
		finish(d, &d->worker[i], &d->worker[i].tape);
	tapes_mend(d);
}

/* --- new files ----------------------------------------------------------- */

/* The old tape goes on when there cannot be a new one. */
static void
renew(struct daemon *d, struct worker *w)
{
	struct tape *t = tape_of(d, w), old = *t;

	if (open_tape(d, w, t) < 0) {
		*t = old;
		d->owes_rotation = 1;
		return;
	}
	use_dict(d, w, t->dict);
	see_all(d, w);
	if (w == NULL)
		name_processes(d);
	finish(d, w, &old);
}

void
tapes_rotate(struct daemon *d)
{
	size_t i;

	d->owes_rotation = 0;
	if (d->is_bundled)
		renew(d, NULL);
	for (i = 0; !d->is_bundled && i < d->n_workers; i++)
		renew(d, &d->worker[i]);
}

/* While there can be no new file, one that has learned too much is ended. */
static void
shed(struct daemon *d, struct worker *w)
{
	struct tape *t = tape_of(d, w);

	if (!tape_is_full(t))
		return;
	use_dict(d, w, d->spare);
	finish(d, w, t);
}

/* Names of samples that are lost are forgotten from time to time. */
static void
renew_spare(struct daemon *d)
{
	struct bob_dict *new, *old = d->spare;
	size_t i;

	if (!tape_has_things(old, TAPE_MAX_SPARE) ||
	    (new = bob_dict_new(d->ctx)) == NULL)
		return;
	d->spare = new;
	for (i = 0; i < d->n_workers; i++)
		if (d->is_bundled ? d->bundle.out == NULL
		                  : d->worker[i].tape.out == NULL)
			bob_proc_set_dict(d->worker[i].proc, new);
	bob_dict_free(old);
}

void
tapes_mend(struct daemon *d)
{
	size_t i;

	if (d->outage.is_on) {
		shed(d, NULL);
		for (i = 0; i < d->n_workers; i++)
			shed(d, &d->worker[i]);
	}
	renew_spare(d);
	if (d->is_bundled && d->bundle.out == NULL && outage_may_try(d))
		renew(d, NULL);
	for (i = 0; !d->is_bundled && i < d->n_workers; i++)
		if (d->worker[i].tape.out == NULL &&
		    (!outage_may_try(d) || give_tape(d, &d->worker[i]) < 0))
			return;
}

/* --- all of them ---------------------------------------------------------- */

/* A new segment, which may fail as any writing may. */
static void
mark_period(struct daemon *d, struct worker *w)
{
	struct tape_opts o = opts_of(d, w);
	struct tape *t = tape_of(d, w);

	if (t->out != NULL && tape_segment(t, &o) < 0)
		drop(d, w);
}

void
tapes_new_period(struct daemon *d)
{
	size_t i;

	if (d->is_bundled) {
		mark_period(d, NULL);
		name_processes(d);
	}
	for (i = 0; !d->is_bundled && i < d->n_workers; i++)
		mark_period(d, &d->worker[i]);
}

/* A file that somebody has removed is followed by another. */
static void
leave_removed(struct daemon *d, struct worker *w)
{
	struct tape *t = tape_of(d, w);

	msg_error("%s: it was removed or cut while it was written, and what "
	    "it held is lost; a new file begins", t->path);
	use_dict(d, w, d->spare);
	(void)tape_close(t, ledger_of(d, w), LEDGER_REMOVED);
	if (open_tape(d, w, t) < 0)
		return;
	use_dict(d, w, t->dict);
	see_all(d, w);
	if (w == NULL)
		name_processes(d);
}

static void
sync_tape(struct daemon *d, struct worker *w)
{
	struct tape *t = tape_of(d, w);

	if (t->out == NULL)
		return;
	see_all(d, w);
	if (bob_writer_is_gone(t->out))
		leave_removed(d, w);
	else if (tell_losses(d, w, t) < 0 || tape_barrier(t) < 0)
		drop(d, w);
}

void
tapes_barrier(struct daemon *d)
{
	size_t i;

	sync_tape(d, NULL);
	for (i = 0; i < d->n_workers; i++)
		sync_tape(d, &d->worker[i]);
}

void
tapes_sum(const struct daemon *d, struct ledger *ret)
{
	size_t i;

	*ret = d->ledger;
	tape_add_to(&d->bundle, ret);
	for (i = 0; i < d->n_workers; i++) {
		ledger_add(ret, &d->worker[i].ledger);
		tape_add_to(&d->worker[i].tape, ret);
	}
}
