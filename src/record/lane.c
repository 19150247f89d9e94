/*
 * Lanes: one tape after the other. Every sample of a lane is counted in its
 * ledger: in a file, pending, filtered, or lost.
 *
 * With BOB_RECORDER_PERSIST a tape that cannot be written is given up, and the
 * lane goes on without one until lane_open() succeeds.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/attach/handle.h"
#include "core/error.h"
#include "record/recorder.h"

/* --- its processes -------------------------------------------------------- */

/* Returns the next process of a lane from *i on, and advances *i; NULL behind
 * the last. */
static struct bob_proc *
process_at(const struct bob_recorder *r, const struct lane *l, size_t *i)
{
	struct bob_proc *p;

	if (l->proc != NULL)
		return (*i)++ == 0 ? l->proc : NULL;
	while ((p = bob_sampler_get(r->o.sampler, (*i)++)) != NULL)
		if (handle_lane(p) == l)
			return p;
	return NULL;
}

void
lane_use_dict(struct bob_recorder *r, struct lane *l, struct bob_dict *dict)
{
	struct bob_proc *p;
	size_t i = 0;

	while ((p = process_at(r, l, &i)) != NULL)
		bob_proc_set_dict(p, dict);
}

static void
show_source(struct bob_recorder *r, struct lane *l, const struct bob_proc *p)
{
	int sys = tape_see(&l->tape, p);
	const struct bob_recorder_note note = { .kind = BOB_NOTE_SOURCE,
		.path = "", .pid = bob_proc_facts(p)->pid,
		.text = sys == E2BIG
		    ? "there are processes of too many users or containers"
		    : strerror(sys) };

	if (sys != 0)
		recorder_note(r, &note);
}

static void
show_all_source(struct bob_recorder *r, struct lane *l)
{
	struct bob_proc *p;
	size_t i = 0;

	while ((p = process_at(r, l, &i)) != NULL)
		show_source(r, l, p);
}

/* True if the facts of each process are written. A lane of one process has them
 * in the metadata of each segment. */
static int
names_processes(const struct bob_recorder *r, const struct lane *l)
{
	return l->proc == NULL && !recorder_has(r, BOB_RECORDER_SINGLE);
}

static int
name_processes(struct bob_recorder *r, struct lane *l)
{
	struct bob_proc *p;
	size_t i = 0;
	int s = BOB_OK;

	while (s == BOB_OK && names_processes(r, l) &&
	    (p = process_at(r, l, &i)) != NULL)
		s = tape_process(&l->tape, bob_proc_facts(p));
	return s;
}

/* --- its tape ------------------------------------------------------------- */

static struct tape_opts
make_tape_opts(const struct bob_recorder *r, const struct lane *l)
{
	struct tape_opts o = { .format = r->format, .options = r->o.options,
		.n_options = r->o.n_options, .period_ns = r->o.period_ns,
		.t_us = r->t_us, .mode = (int)r->o.mode,
		.filter = r->o.filter, .service = r->o.service };
	const struct bob_proc *p = l->proc;
	struct bob_capture_counts all;

	bob_sampler_counts(r->o.sampler, &all);
	o.counts = all;
	if (l->proc != NULL) {
		bob_proc_counts(l->proc, &o.counts);
		/* These are counts of the sampler, not of a process. */
		o.counts.missed = all.missed;
		o.counts.demoted = all.demoted;
	}
	if (p == NULL && recorder_has(r, BOB_RECORDER_SINGLE))
		p = bob_sampler_get(r->o.sampler, 0);
	o.facts = p != NULL ? bob_proc_facts(p) : NULL;
	return o;
}

/* Writes lost samples that are in no file yet; also those of processes that
 * have ended. */
static int
write_losses(struct bob_recorder *r, struct lane *l, struct tape *t)
{
	int s = tape_tell(t, &l->ledger);

	return s < 0 || l == &r->all ? s : tape_tell(t, &r->all.ledger);
}

/* Writes to a new file, to see now whether the disk is full. */
static int
try_tape(struct bob_recorder *r, struct lane *l, struct tape *t)
{
	int s = write_losses(r, l, t);

	if (s == BOB_OK)
		s = tape_barrier(t);
	if (s < 0)
		tape_discard(t, &l->ledger);
	return s;
}

/* Opens a new file for a lane as *t. Returns BOB_OK or FAILED. */
static int
open_tape(struct bob_recorder *r, struct lane *l, int is_again,
    struct tape *t)
{
	struct tape_opts o = make_tape_opts(r, l);
	char *path = r->ev.name(r->ev.user, l->proc, is_again);
	int s = path != NULL ? tape_open(t, r->ctx, path, &o)
	    : err_set(r->ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
	          "no name for a file could be found");

	if (s == BOB_OK && recorder_has(r, BOB_RECORDER_PERSIST))
		s = try_tape(r, l, t);
	if (s == BOB_OK) {
		l->ledger.sum.n_files++;
		l->bytes_rotated = 0;
		outage_end(r);
	} else if (recorder_has(r, BOB_RECORDER_PERSIST)) {
		outage_goes_on(r, path);
	}
	free(path);
	return s < 0 ? BOB_FAILED : BOB_OK;
}

/* After a failure: FATAL, or with BOB_RECORDER_PERSIST gives up the tape. */
static int
lane_failed(struct bob_recorder *r, struct lane *l)
{
	if (!recorder_has(r, BOB_RECORDER_PERSIST))
		return BOB_FATAL;
	outage_begin(r, l->tape.path);
	lane_give_up(r, l, ledger_cause_of(bob_ctx_error(r->ctx)));
	return BOB_OK;
}

/* Begins to use the tape that was opened. */
static int
use_tape(struct bob_recorder *r, struct lane *l)
{
	lane_use_dict(r, l, l->tape.dict);
	show_all_source(r, l);
	return name_processes(r, l) < 0 ? lane_failed(r, l) : BOB_OK;
}

int
lane_open(struct bob_recorder *r, struct lane *l, int is_again)
{
	int s = open_tape(r, l, is_again, &l->tape);

	return s < 0 ? s : use_tape(r, l);
}

int
lane_join(struct bob_recorder *r, struct lane *l, struct bob_proc *p)
{
	int s = BOB_OK;

	if (l->tape.out == NULL)
		return BOB_OK;
	bob_proc_set_dict(p, l->tape.dict);
	show_source(r, l, p);
	if (names_processes(r, l))
		s = tape_process(&l->tape, bob_proc_facts(p));
	else if (l->proc == NULL && (r->format->caps & BOB_CAP_SEGMENTS) != 0)
		return lane_new_segment(r, l); /* another program */
	return s < 0 ? lane_failed(r, l) : BOB_OK;
}

int
lane_take(struct bob_recorder *r, struct lane *l, const struct bob_run *v,
    size_t n)
{
	l->ledger.sum.taken += n;
	if (l->tape.out == NULL) {
		ledger_lose(&l->ledger, r->outage.cause, n);
		return BOB_OK;
	}
	return tape_runs(&l->tape, v, n) < 0 ? lane_failed(r, l) : BOB_OK;
}

/* --- counts and ends ------------------------------------------------------ */

static int
put_modules(struct bob_recorder *r, struct tape *t, struct bob_proc *p)
{
	struct bob_recorder_note note = { .kind = BOB_NOTE_SYMBOLS };
	struct bob_module m;
	size_t i;
	int s = BOB_OK;

	for (i = 0; s == BOB_OK && bob_proc_module(p, i, &m); i++) {
		note.path = m.path;
		note.text = m.unnamed;
		if (*m.unnamed != '\0')
			recorder_note(r, &note);
		s = tape_module(t, &m);
	}
	return s;
}

int
lane_put_modules(struct bob_recorder *r, struct lane *l, struct bob_proc *p)
{
	if (l->tape.out == NULL || put_modules(r, &l->tape, p) == BOB_OK)
		return BOB_OK;
	return lane_failed(r, l);
}

/* Writes the counts at the end of a segment of *t, a tape of the lane. */
static int
put_counts(struct bob_recorder *r, struct lane *l, struct tape *t)
{
	struct bob_proc *p;
	size_t i = 0;
	int s = write_losses(r, l, t);

	if (s == BOB_OK)
		s = tape_put_counts(t, make_tape_opts(r, l).counts, r->t_us);
	while (s == BOB_OK && (p = process_at(r, l, &i)) != NULL)
		s = put_modules(r, t, p);
	return s;
}

/* Returns the size of a finished file: compression may have changed it. */
static uint64_t
finished_size(struct bob_recorder *r, const char *path, uint64_t n_bytes)
{
	const struct bob_recorder_note note = { .kind = BOB_NOTE_MISSING,
		.path = path, .text = "" };
	struct stat st;

	if (strcmp(path, "-") == 0)
		return n_bytes;
	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode) ? (uint64_t)st.st_size : n_bytes;
	if (errno == ENOENT)
		recorder_note(r, &note);
	return n_bytes;
}

/* Notifies that a file was closed. */
static void
note_ended(struct bob_recorder *r, const char *path)
{
	const struct bob_recorder_note note = { .kind = BOB_NOTE_ENDED,
		.path = path != NULL ? path : "", .text = "" };

	if (path != NULL)
		recorder_note(r, &note);
}

/* Ends *t, a tape of the lane. */
static int
finish_tape(struct bob_recorder *r, struct lane *l, struct tape *t)
{
	uint64_t n_bytes = bob_writer_bytes(t->out);
	char *path = strdup(t->path);
	int s = tape_barrier(t), s2;

	/* Samples first, as a full disk may not have room for the counts. */
	if (s == BOB_OK)
		s = put_counts(r, l, t);
	s2 = tape_close(t, &l->ledger, BOB_UNKEPT_DISK);
	l->ledger.sum.n_bytes += s2 == BOB_OK && path != NULL
	    ? finished_size(r, path, n_bytes) : n_bytes;
	if ((s < 0 || s2 < 0) && recorder_has(r, BOB_RECORDER_PERSIST))
		outage_begin(r, path);
	note_ended(r, path);
	free(path);
	return s < 0 || s2 < 0 ? BOB_FATAL : BOB_OK;
}

int
lane_finish(struct bob_recorder *r, struct lane *l)
{
	if (l->tape.out == NULL)
		return BOB_OK;
	lane_use_dict(r, l, r->spare);
	return finish_tape(r, l, &l->tape);
}

void
lane_give_up(struct bob_recorder *r, struct lane *l, int cause)
{
	char *path;

	if (l->tape.out == NULL)
		return;
	lane_use_dict(r, l, r->spare);
	l->ledger.sum.n_bytes += bob_writer_bytes(l->tape.out);
	path = strdup(l->tape.path);
	(void)tape_close(&l->tape, &l->ledger, cause);
	note_ended(r, path);
	free(path);
}

/* --- new files and segments ----------------------------------------------- */

/* Notifies that the old file is used further. With BOB_RECORDER_PERSIST the
 * outage is notified instead. */
static void
note_stays(struct bob_recorder *r, const struct lane *l)
{
	const struct bob_recorder_note note = { .kind = BOB_NOTE_STAYS,
		.path = l->tape.path != NULL ? l->tape.path : "",
		.text = bob_ctx_error(r->ctx)->text };

	if (!recorder_has(r, BOB_RECORDER_PERSIST))
		recorder_note(r, &note);
}

static int
next_file(struct bob_recorder *r, struct lane *l)
{
	struct tape old = l->tape, new;
	int s, s2 = BOB_OK;

	if (open_tape(r, l, 0, &new) < 0) {
		r->owes_rotation = 1;
		note_stays(r, l);
		return BOB_OK;
	}
	l->tape = new;
	s = use_tape(r, l);
	if (old.out != NULL)
		s2 = finish_tape(r, l, &old);
	return s < 0 || recorder_has(r, BOB_RECORDER_PERSIST) ? s : s2;
}

int
lane_new_segment(struct bob_recorder *r, struct lane *l)
{
	struct tape_opts o = make_tape_opts(r, l);
	int s;

	if (l->tape.out == NULL)
		return BOB_OK;
	s = put_counts(r, l, &l->tape);
	if (s == BOB_OK)
		s = tape_segment(&l->tape, &o);
	if (s == BOB_OK)
		s = name_processes(r, l);
	l->bytes_rotated = bob_writer_bytes(l->tape.out);
	return s < 0 ? lane_failed(r, l) : BOB_OK;
}

int
lane_rotate(struct bob_recorder *r, struct lane *l)
{
	return recorder_has(r, BOB_RECORDER_FILES) ? next_file(r, l)
	                                           : lane_new_segment(r, l);
}

int
lane_is_due(const struct bob_recorder *r, const struct lane *l)
{
	if (l->tape.out == NULL)
		return 0;
	return (recorder_has(r, BOB_RECORDER_FILES) &&
	        tape_is_full(&l->tape)) ||
	    (r->o.rotate_bytes != 0 && bob_writer_bytes(l->tape.out) >=
	        l->bytes_rotated + r->o.rotate_bytes);
}

/* Begins another file, as somebody has removed or truncated this one. */
static int
replace_removed(struct bob_recorder *r, struct lane *l)
{
	const struct bob_recorder_note note = { .kind = BOB_NOTE_REMOVED,
		.path = l->tape.path, .text = "" };
	int s;

	recorder_note(r, &note);
	lane_use_dict(r, l, r->spare);
	(void)tape_close(&l->tape, &l->ledger, BOB_UNKEPT_REMOVED);
	s = lane_open(r, l, 1);
	return s < 0 && !recorder_has(r, BOB_RECORDER_PERSIST) ? BOB_FATAL
	                                                       : BOB_OK;
}

int
lane_sync(struct bob_recorder *r, struct lane *l)
{
	if (l->tape.out == NULL)
		return BOB_OK;
	show_all_source(r, l);
	if (bob_writer_is_gone(l->tape.out))
		return replace_removed(r, l);
	if (write_losses(r, l, &l->tape) < 0 || tape_barrier(&l->tape) < 0)
		return lane_failed(r, l);
	return BOB_OK;
}
