/* The public functions of a recorder (bobbin/recorder.h); see recorder.h. */
#include "record/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/attach/handle.h"
#include "core/error.h"
#include "core/mem.h"
#include "record/process_sources.h"

#define BARRIER_US 1000000

void
recorder_note(struct bob_recorder *r, const struct bob_recorder_note *note)
{
	if (r->ev.note != NULL)
		r->ev.note(r->ev.user, note);
}

/* --- making one ----------------------------------------------------------- */

static int
discard_bytes(void *user, const void *p, size_t n)
{
	(void)user;
	(void)p;
	(void)n;
	return 0;
}

static int
discard_at(void *user, uint64_t at, const void *p, size_t n)
{
	(void)at;
	return discard_bytes(user, p, n);
}

/* Makes a writer to nowhere, so that a wrong option is found before anything is
 * sampled. Returns BOB_OK or FAILED. */
static int
check_writer(struct bob_recorder *r)
{
	const struct bob_target nowhere = { .write = discard_bytes,
		.patch = discard_at };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = r->format->name, .options = r->o.options,
		.n_options = r->o.n_options, .filter = r->o.filter };
	struct bob_writer *out;
	const char *bad;
	struct bob_sources *sources = process_sources_new(o.options,
	    o.n_options, &bad);
	int s;

	if (sources == NULL)
		return err_sys(r->ctx, BOB_FAILED, errno,
		    "source directory %s", bad);
	o.sources = sources;
	s = bob_create(r->ctx, &nowhere, &o, &out);
	if (s == BOB_OK)
		bob_discard(out);
	bob_sources_free(sources);
	return s;
}

static int
check_options(struct bob_ctx *ctx, const struct bob_recorder_opts *o)
{
	if (o == NULL || o->size != sizeof(*o) || o->sampler == NULL ||
	    o->format == NULL || o->events == NULL || o->events->name == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_recorder_new: options are missing or of another "
		    "version");
	if (bob_format_named(o->format) == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "there is no format '%s'", o->format);
	return BOB_OK;
}

int
bob_recorder_new(struct bob_ctx *ctx, const struct bob_recorder_opts *opts,
    struct bob_recorder **ret)
{
	struct bob_recorder *r;
	int s = check_options(ctx, opts);

	if (s < 0)
		return s;
	r = calloc(1, sizeof(*r));
	if (r == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	r->ctx = ctx;
	r->o = *opts;
	r->ev = *opts->events;
	r->format = bob_format_named(opts->format);
	r->spare = bob_dict_new(ctx);
	s = r->spare != NULL ? check_writer(r) : BOB_FAILED;
	if (s < 0) {
		bob_recorder_free(r);
		return BOB_FAILED;
	}
	*ret = r;
	return BOB_OK;
}

static void
forget_processes(struct bob_recorder *r)
{
	struct bob_proc *p;
	size_t i;

	for (i = 0; (p = bob_sampler_get(r->o.sampler, i)) != NULL; i++)
		handle_set_lane(p, NULL);
}

void
bob_recorder_free(struct bob_recorder *r)
{
	if (r == NULL)
		return;
	bob_recorder_give_up(r);
	forget_processes(r);
	while (r->n_lane > 0)
		free(r->lane[--r->n_lane]);
	free(r->lane);
	free(r->outage.path);
	bob_dict_free(r->spare);
	free(r);
}

struct bob_dict *
bob_recorder_dict(const struct bob_recorder *r)
{
	return r->all.tape.out != NULL ? r->all.tape.dict : r->spare;
}

/* --- all lanes ------------------------------------------------------------ */

typedef int lane_fn(struct bob_recorder *r, struct lane *l);

/* Calls fn for all lanes; stops at the first failure. */
static int
for_each(struct bob_recorder *r, lane_fn *fn)
{
	int s = BOB_OK;
	size_t i;

	if (!recorder_has(r, BOB_RECORDER_EACH))
		return fn(r, &r->all);
	for (i = 0; s == BOB_OK && i < r->n_lane; i++)
		s = fn(r, r->lane[i]);
	return s;
}

static void
sum_ledgers(const struct bob_recorder *r, struct ledger *sum)
{
	size_t i;

	*sum = r->all.ledger;
	tape_add_to(&r->all.tape, sum);
	for (i = 0; i < r->n_lane; i++) {
		ledger_add(sum, &r->lane[i]->ledger);
		tape_add_to(&r->lane[i]->tape, sum);
	}
}

uint64_t
recorder_lost(const struct bob_recorder *r)
{
	struct ledger sum;

	sum_ledgers(r, &sum);
	return ledger_lost(&sum);
}

struct bob_recorded
bob_recorder_sum(const struct bob_recorder *r)
{
	struct ledger sum;

	sum_ledgers(r, &sum);
	return sum.sum;
}

/* --- processes ------------------------------------------------------------ */

int
bob_recorder_begin(struct bob_recorder *r)
{
	int s;

	if (recorder_has(r, BOB_RECORDER_EACH))
		return BOB_OK;
	s = lane_open(r, &r->all, 0);
	return recorder_has(r, BOB_RECORDER_PERSIST) ? BOB_OK : s;
}

/* Returns a new lane for a process; NULL if memory is out, and then its samples
 * are lost. */
static struct lane *
new_lane(struct bob_recorder *r, struct bob_proc *p)
{
	struct lane *l = calloc(1, sizeof(*l));

	if (l == NULL || MEM_GROW(r->ctx, r, lane, r->n_lane + 1) < 0) {
		free(l);
		return NULL;
	}
	l->proc = p;
	r->lane[r->n_lane++] = l;
	return l;
}

int
bob_recorder_add(struct bob_recorder *r, struct bob_proc *p)
{
	int is_each = recorder_has(r, BOB_RECORDER_EACH), s;
	struct lane *l = is_each ? new_lane(r, p) : &r->all;

	handle_set_lane(p, l);
	if (l == NULL)
		return recorder_has(r, BOB_RECORDER_PERSIST)
		    ? BOB_OK : err_nomem(r->ctx);
	if (!is_each)
		return lane_join(r, l, p);
	s = outage_may_try(r) ? lane_open(r, l, 0) : BOB_OK;
	return s < 0 && !recorder_has(r, BOB_RECORDER_PERSIST) ? BOB_FATAL
	                                                       : BOB_OK;
}

int
bob_recorder_runs(struct bob_recorder *r, struct bob_proc *p,
    const struct bob_run *runs, size_t n)
{
	struct lane *l = handle_lane(p);

	if (l != NULL)
		return lane_take(r, l, runs, n);
	r->all.ledger.sum.taken += n;
	ledger_lose(&r->all.ledger, BOB_UNKEPT_MEMORY, n);
	return BOB_OK;
}

static void
remove_lane(struct bob_recorder *r, struct lane *l)
{
	size_t i;

	for (i = 0; r->lane[i] != l;)
		i++;
	(void)lane_finish(r, l);
	ledger_add(&r->all.ledger, &l->ledger);
	r->lane[i] = r->lane[--r->n_lane];
	free(l);
}

void
bob_recorder_gone(struct bob_recorder *r, struct bob_proc *p)
{
	struct lane *l = handle_lane(p);

	if (l == NULL)
		return;
	/* A failure shows again with the next write, and is handled there. */
	if (l == &r->all)
		(void)lane_put_modules(r, l, p);
	else
		remove_lane(r, l);
	bob_proc_set_dict(p, r->spare);
	handle_set_lane(p, NULL);
}

/* --- ticks and rotation --------------------------------------------------- */

int
bob_recorder_rotate(struct bob_recorder *r)
{
	r->owes_rotation = 0;
	r->t_rotated = r->t_us;
	if (!outage_may_try(r)) {
		r->owes_rotation = 1;
		return BOB_OK;
	}
	r->n_rotations++;
	return for_each(r, lane_rotate);
}

uint64_t
bob_recorder_rotations(const struct bob_recorder *r)
{
	return r->n_rotations;
}

/* True if a lane is due: then all rotate. */
static int
is_any_due(const struct bob_recorder *r)
{
	size_t i;

	for (i = 0; i < r->n_lane; i++)
		if (lane_is_due(r, r->lane[i]))
			return 1;
	return lane_is_due(r, &r->all);
}

static int
is_rotation_due(struct bob_recorder *r)
{
	int owes = r->owes_rotation && recorder_has(r, BOB_RECORDER_PERSIST);

	return outage_may_try(r) && (owes || is_any_due(r) ||
	    (r->o.rotate_us != 0 && r->t_us >= r->t_rotated +
	        r->o.rotate_us));
}

/* During an outage: ends a tape whose dictionary is full, as there can be no
 * new one. */
static int
end_full_tape(struct bob_recorder *r, struct lane *l)
{
	if (tape_is_full(&l->tape))
		(void)lane_finish(r, l);
	return BOB_OK;
}

/* Begins a new spare dictionary, if the old one has too many names. */
static void
renew_spare(struct bob_recorder *r)
{
	struct bob_dict *new, *old = r->spare;
	size_t i;

	if (!tape_has_things(old, TAPE_MAX_SPARE) ||
	    (new = bob_dict_new(r->ctx)) == NULL)
		return;
	r->spare = new;
	for (i = 0; i < r->n_lane; i++)
		if (r->lane[i]->tape.out == NULL)
			lane_use_dict(r, r->lane[i], new);
	if (r->all.tape.out == NULL)
		lane_use_dict(r, &r->all, new);
	bob_dict_free(old);
}

/* Opens a tape for a lane without one, if that may be tried. */
static int
reopen_tape(struct bob_recorder *r, struct lane *l)
{
	if (l->tape.out != NULL)
		return BOB_OK;
	return outage_may_try(r) ? lane_open(r, l, 0) : BOB_FAILED;
}

static void
persist(struct bob_recorder *r)
{
	if (r->outage.is_on)
		(void)for_each(r, end_full_tape);
	renew_spare(r);
	(void)for_each(r, reopen_tape);
}

int
bob_recorder_tick(struct bob_recorder *r, uint64_t t_us)
{
	int s = BOB_OK;

	r->t_us = t_us;
	if (is_rotation_due(r))
		s = bob_recorder_rotate(r);
	else if (t_us >= r->t_barrier + BARRIER_US) {
		r->t_barrier = t_us;
		s = for_each(r, lane_sync);
	}
	if (recorder_has(r, BOB_RECORDER_PERSIST))
		persist(r);
	return s;
}

int
bob_recorder_set_period(struct bob_recorder *r, uint64_t period_ns)
{
	r->o.period_ns = period_ns;
	return for_each(r, lane_new_segment);
}

static int
finish_lane(struct bob_recorder *r, struct lane *l)
{
	int s = lane_finish(r, l);

	return recorder_has(r, BOB_RECORDER_PERSIST) ? BOB_OK : s;
}

int
bob_recorder_move(struct bob_recorder *r)
{
	int s = for_each(r, finish_lane);

	(void)for_each(r, reopen_tape);
	return s;
}

int
bob_recorder_end(struct bob_recorder *r)
{
	int s = BOB_OK, s2;
	size_t i;

	for (i = 0; i < r->n_lane; i++) {
		s2 = lane_finish(r, r->lane[i]);
		s = s < 0 ? s : s2;
	}
	s2 = lane_finish(r, &r->all);
	return s < 0 ? s : s2;
}

void
bob_recorder_give_up(struct bob_recorder *r)
{
	int cause = ledger_cause_of(bob_ctx_error(r->ctx));
	size_t i;

	for (i = 0; i < r->n_lane; i++)
		lane_give_up(r, r->lane[i], cause);
	lane_give_up(r, &r->all, cause);
}

/* --- state ---------------------------------------------------------------- */

const char *
bob_recorder_path(const struct bob_recorder *r, const struct bob_proc *p)
{
	const struct lane *l = p != NULL ? handle_lane(p) : &r->all;

	return l != NULL ? l->tape.path : NULL;
}

/* True for the file of a tape, or one beside it: PATH.SUFFIX. */
static int
belongs_to(const struct tape *t, const char *path)
{
	size_t n = t->path != NULL ? strlen(t->path) : 0;

	return n > 0 && strncmp(t->path, path, n) == 0 &&
	    (path[n] == '\0' || path[n] == '.');
}

int
bob_recorder_has(const struct bob_recorder *r, const char *path)
{
	size_t i;

	for (i = 0; i < r->n_lane; i++)
		if (belongs_to(&r->lane[i]->tape, path))
			return 1;
	return belongs_to(&r->all.tape, path);
}

uint32_t
bob_recorder_caps(const struct bob_recorder *r)
{
	return r->all.tape.out != NULL ? bob_writer_caps(r->all.tape.out)
	                               : r->format->caps;
}

const char *
bob_recorder_blocked(const struct bob_recorder *r, uint64_t *ret_us)
{
	if (!r->outage.is_on)
		return NULL;
	*ret_us = r->t_us - r->outage.t_began;
	return r->outage.why;
}

const char *
bob_recorder_missing_source(const struct bob_recorder *r)
{
	return process_sources_missing(r->o.options, r->o.n_options,
	    r->o.sampler);
}
