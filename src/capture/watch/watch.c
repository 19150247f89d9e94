/* The public functions of a watch, and its table of processes; see watch.h. */
#include "capture/watch/watch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture/sampler/sampler.h"
#include "core/clock.h"
#include "core/mem.h"

/* Between two polls of bob_watch_settle(). */
#define NAP_NS 200000

const char *
bob_refusal_name(int cause)
{
	static const char *const name[BOB_N_REFUSALS] = { "not", "descriptors",
		"permission", "memory", "runtime", "silent", "other", "ended" };

	return cause >= 0 && cause < BOB_N_REFUSALS ? name[cause] : NULL;
}

/* --- the table ------------------------------------------------------------ */

static size_t
find_index(const struct bob_watch *w, uint64_t pid)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->v[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct watched *
watch_find(const struct bob_watch *w, uint64_t pid)
{
	size_t i = find_index(w, pid);

	return i < w->n && w->v[i].pid == pid ? &w->v[i] : NULL;
}

struct watched *
watch_insert(struct bob_watch *w, uint64_t pid)
{
	size_t i = find_index(w, pid);
	struct watched *e;

	assert(i == w->n || w->v[i].pid != pid);
	if (w->n >= BOB_MAX_WATCHED) {
		(void)err_set(w->ctx, BOB_FAILED, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "there are more than %u processes; the others are left out",
		    BOB_MAX_WATCHED);
		watch_tell_limited(w);
		return NULL;
	}
	if (MEM_GROW(w->ctx, w, v, w->n + 1) < 0) {
		watch_tell_limited(w);
		return NULL;
	}
	e = &w->v[i];
	memmove(e + 1, e, (w->n - i) * sizeof(*e));
	w->n++;
	*e = (struct watched){ .pid = pid, .t_added = w->now,
		.t_seen = w->now, .t_next = w->now };
	return e;
}

static void
remove_gone(struct bob_watch *w)
{
	size_t i, n = 0;

	for (i = 0; i < w->n; i++) {
		if (!w->v[i].is_gone)
			w->v[n++] = w->v[i];
		else
			bob_attach_drop(w->v[i].attaching);
	}
	w->n = n;
}

void
watch_tell_limited(struct bob_watch *w)
{
	if (!w->is_limited && w->ev.limited != NULL)
		w->ev.limited(w->ev.user);
	w->is_limited = 1;
}

/* --- making one ----------------------------------------------------------- */

static int
check_options(struct bob_ctx *ctx, const struct bob_watch_opts *o)
{
	if (o == NULL || o->size != sizeof(*o) || o->sampler == NULL ||
	    o->events == NULL || o->attach == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_watch_new: options are missing or of another version");
	return bob_attach_check(ctx, o->attach);
}

static int
watch_init(struct bob_watch *w, const struct bob_watch_opts *o)
{
	w->sampler = o->sampler;
	w->ev = *o->events;
	w->dict = o->attach->dict;
	w->flags = o->flags;
	w->spare_fds = o->spare_fds;
	w->own = handle_own_new(o->attach);
	if (o->pattern != NULL)
		w->pattern = strdup(o->pattern);
	if (w->own == NULL || (o->pattern != NULL && w->pattern == NULL)) {
		(void)err_nomem(w->ctx);
		return BOB_FAILED;
	}
	if (w->pattern == NULL && (w->flags & WATCH_TAKES_CHILDREN) == 0)
		return BOB_OK;
	return scout_new(w->ctx, w->pattern,
	    w->flags & WATCH_TAKES_CHILDREN ? SCOUT_ALL : 0, &w->scout);
}

int
bob_watch_new(struct bob_ctx *ctx, const struct bob_watch_opts *opts,
    struct bob_watch **ret)
{
	struct bob_watch *w;
	int r = check_options(ctx, opts);

	if (r < 0)
		return r;
	w = calloc(1, sizeof(*w));
	if (w == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	w->ctx = ctx;
	w->now = clock_ns() / 1000;
	r = watch_init(w, opts);
	if (r < 0) {
		bob_watch_free(w);
		return r;
	}
	*ret = w;
	return BOB_OK;
}

void
bob_watch_free(struct bob_watch *w)
{
	size_t i;

	if (w == NULL)
		return;
	for (i = 0; i < w->n; i++) {
		bob_attach_drop(w->v[i].attaching);
		if (w->v[i].proc != NULL)
			handle_set_watch(w->v[i].proc, NULL);
	}
	scout_free(w->scout);
	handle_own_free(w->own);
	free(w->pattern);
	free(w->v);
	free(w);
}

/* --- using it ------------------------------------------------------------- */

int
bob_watch_add(struct bob_watch *w, uint64_t pid, uint64_t patience_us)
{
	struct watched *e = watch_find(w, pid);

	w->now = clock_ns() / 1000;
	if (e == NULL)
		e = watch_insert(w, pid);
	if (e == NULL)
		return BOB_FATAL;
	e->is_named = 1;
	e->patience_us = patience_us;
	return BOB_OK;
}

void
bob_watch_set_dict(struct bob_watch *w, struct bob_dict *dict)
{
	w->dict = dict;
}

/* True if something will happen soon that is worth waiting for. */
static int
is_busy(const struct bob_watch *w)
{
	int is_sampling = bob_sampler_get(w->sampler, 0) != NULL;
	/* With children, a parent may never get a runtime. */
	int is_alone = (w->flags & WATCH_TAKES_CHILDREN) == 0;
	int r = watch_awaits_list(w);
	size_t i;

	for (i = 0; !r && i < w->n; i++) {
		const struct watched *e = &w->v[i];

		if (e->attaching != NULL)
			r = !is_sampling || !watch_is_late(e);
		else
			r = e->proc == NULL && (e->t_next <= w->now ||
			    (!is_sampling && is_alone &&
			        watch_is_expected(e)));
	}
	return r;
}

static void
begin_poll(struct bob_watch *w)
{
	size_t i;

	w->now = clock_ns() / 1000;
	w->is_full = 0;
	w->n_young = 0;
	for (i = 0; i < w->n; i++)
		w->n_young += w->v[i].attaching != NULL &&
		    !watch_is_late(&w->v[i]);
}

int
bob_watch_poll(struct bob_watch *w)
{
	int r = BOB_OK;
	size_t i;

	begin_poll(w);
	watch_look(w);
	for (i = 0; r == BOB_OK && i < w->n; i++)
		if (!w->v[i].is_gone)
			r = watch_try(w, &w->v[i]);
	remove_gone(w);
	if (r != BOB_OK)
		return r;
	return is_busy(w) ? BOB_AGAIN : BOB_OK;
}

int
bob_watch_settle(struct bob_watch *w, uint64_t us)
{
	const struct timespec nap = { 0, NAP_NS };
	uint64_t end = clock_ns() / 1000 + us;
	int r;

	while ((r = bob_watch_poll(w)) == BOB_AGAIN && w->now < end &&
	    !sampler_is_stopped(w->sampler))
		(void)nanosleep(&nap, NULL);
	return r;
}

/* True for a named process that is kept for its children: it is not refused, or
 * only for want of a runtime, of descriptors or of memory. A wrapper that may
 * not be read, such as sudo, may start a program that may. */
static int
is_root(const struct bob_watch *w, const struct watched *e)
{
	if ((w->flags & WATCH_TAKES_CHILDREN) == 0 || !e->is_named)
		return 0;
	return e->cause == BOB_REFUSED_NOT || e->cause == BOB_REFUSED_RUNTIME ||
	    e->cause == BOB_REFUSED_DESCRIPTORS ||
	    e->cause == BOB_REFUSED_MEMORY ||
	    (e->cause == BOB_REFUSED_PERMISSION &&
	        (w->flags & BOB_WATCH_WRAPPED) != 0);
}

int
bob_watch_is_over(const struct bob_watch *w)
{
	size_t i;

	if (w->pattern != NULL || bob_sampler_get(w->sampler, 0) != NULL)
		return 0;
	for (i = 0; i < w->n; i++)
		if (!w->v[i].is_gone && (is_root(w, &w->v[i]) ||
		    watch_is_expected(&w->v[i])))
			return 0;
	return 1;
}

int
bob_watch_get(const struct bob_watch *w, size_t i, struct bob_watched *ret)
{
	const struct watched *e = i < w->n ? &w->v[i] : NULL;

	if (e == NULL)
		return 0;
	*ret = (struct bob_watched){ .pid = e->pid, .proc = e->proc,
		.cause = e->cause, .is_named = e->is_named,
		.was_sampled = e->was_sampled };
	return 1;
}

/* True if the process has ended. Reads /proc/PID/stat only, which does not
 * block. */
static int
has_ended(const struct watched *e)
{
	struct proc_stat st;
	int r = proc_stat((int)e->pid, 0, &st);

	if (r < 0)
		return proc_is_end(r);
	return st.start != e->start || st.state == 'Z' || st.state == 'X';
}

void
watch_forget(struct bob_watch *w, const struct bob_proc *p)
{
	struct watched *e = watch_find(w, bob_proc_facts(p)->pid);

	if (e != NULL && e->proc == p)
		e->proc = NULL;
}

void
watch_gone(struct bob_watch *w, struct bob_proc *p)
{
	struct watched *e = watch_find(w, bob_proc_facts(p)->pid);

	if (e == NULL || e->proc != p)
		return;
	w->now = clock_ns() / 1000;
	e->proc = NULL;
	e->was_sampled = 1;
	if (bob_proc_is_silent(p)) {
		watch_silence(w, e, 0);
		return;
	}
	/* Another program: the next list shows whether it matches the
	 * pattern. */
	if (has_ended(e) || (w->pattern != NULL && !e->is_named &&
	    (w->flags & WATCH_TAKES_CHILDREN) == 0))
		e->is_gone = 1;
	else
		watch_renew(w, e);
}
