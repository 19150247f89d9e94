/*
 * Attaches the processes of a watch, and decides when one that failed is tried
 * again. The rules are in bobbin/watch.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/thread.h"
#include "capture/watch/watch.h"

/* Limit of processes that are being attached at the same time, each in a thread
 * of its own; late ones do not count. Each may need DESCRIPTORS. */
#define AT_ONCE 32
#define DESCRIPTORS 64

#define MOST_US 60000000
/* Attaching that takes longer is given up: the process does not answer. */
#define SILENT_US 10000000
/* How long a program has to load a runtime before it is sampled as "native". */
#define PLAIN_US 2000000
/* How long the user waits for a named process that is young. It is so for a
 * second after its start, and again if it becomes another program. */
#define YOUNG_US 2000000
#define MAX_SPARE 64

int
watch_is_late(const struct watched *e)
{
	return bob_attach_age(e->attaching) >= WATCH_LATE_US;
}

int
watch_is_expected(const struct watched *e)
{
	if (e->attaching != NULL)
		return !watch_is_late(e);
	return e->proc == NULL && e->wait_us < WATCH_LATER_US &&
	    (e->cause == BOB_REFUSED_NOT || e->cause == BOB_REFUSED_RUNTIME);
}

void
watch_renew(struct bob_watch *w, struct watched *e)
{
	e->t_next = w->now;
	e->wait_us = 0;
	e->t_failed = 0;
	e->is_plain = 0;
	e->is_changed = 1;
}

/* --- it failed ------------------------------------------------------------ */

static int
cause_of(const struct bob_error *e)
{
	if (e->sys == EMFILE || e->sys == ENFILE)
		return BOB_REFUSED_DESCRIPTORS;
	if (e->sys == EPERM || e->sys == EACCES)
		return BOB_REFUSED_PERMISSION;
	if (e->code == BOB_E_NOMEM || e->sys == ENOMEM)
		return BOB_REFUSED_MEMORY;
	if (e->sys == ESRCH)
		return BOB_REFUSED_ENDED;
	return e->code == BOB_E_FORMAT ? BOB_REFUSED_RUNTIME
	                               : BOB_REFUSED_OTHER;
}

static void
report_refusal(struct bob_watch *w, struct watched *e)
{
	const struct bob_watched info = { .pid = e->pid, .cause = e->cause,
		.is_named = e->is_named, .was_sampled = e->was_sampled };

	if ((e->told >> e->cause & 1) != 0)
		return;
	e->told |= 1u << e->cause;
	if (w->ev.refused != NULL)
		w->ev.refused(w->ev.user, &info);
}

static void
wait_longer(struct bob_watch *w, struct watched *e, uint64_t least)
{
	e->wait_us = e->wait_us < least ? least
	    : e->wait_us < MOST_US / 2 ? 2 * e->wait_us : MOST_US;
	e->t_next = w->now + e->wait_us;
}

void
watch_silence(struct bob_watch *w, struct watched *e, int for_good)
{
	(void)attaching_is_silent(w->ctx, e->pid);
	e->cause = BOB_REFUSED_SILENT;
	if (for_good)
		e->wait_us = e->t_next = WATCH_NEVER;
	else
		wait_longer(w, e, WATCH_LATER_US);
	report_refusal(w, e);
}

/* True if the user waits for the process: it is tried again at once. */
static int
is_awaited(const struct bob_watch *w, const struct watched *e)
{
	uint64_t t = w->now - e->t_added;

	return e->is_named && !e->was_sampled && (t < e->patience_us ||
	    (t < YOUNG_US && (w->flags & WATCH_TAKES_CHILDREN) == 0 &&
	        bob_ctx_error(w->ctx)->sys == EAGAIN));
}

/* True if a process that stays without a runtime is sampled as "native". */
static int
may_be_plain(const struct bob_watch *w)
{
	return (w->flags & BOB_WATCH_PLAIN) != 0 &&
	    (w->own->opts.flags & BOB_ATTACH_NATIVE) != 0;
}

static void
wait_for_runtime(struct bob_watch *w, struct watched *e)
{
	int is_young = e->is_changed || bob_ctx_error(w->ctx)->sys == EAGAIN;
	uint64_t before = e->wait_us, t_plain;

	if (e->t_failed == 0)
		e->t_failed = w->now;
	t_plain = e->t_failed + PLAIN_US;
	if (is_awaited(w, e)) {
		e->t_next = w->now;
		return;
	}
	e->cause = BOB_REFUSED_RUNTIME;
	wait_longer(w, e, is_young ? WATCH_SOON_US : WATCH_LATER_US);
	if (may_be_plain(w) && !e->is_plain) {
		e->is_plain = w->now >= t_plain;
		if (e->t_next > t_plain)
			e->t_next = t_plain;
	} else if (e->is_named || before >= WATCH_LATER_US ||
	    (before > 0 && !is_young)) {
		report_refusal(w, e);
	}
}

/* Attaching has failed; the error is in the context. Reports it, and sets when
 * it is tried again. */
static void
attach_failed(struct bob_watch *w, struct watched *e)
{
	int cause = cause_of(bob_ctx_error(w->ctx));

	if (cause == BOB_REFUSED_RUNTIME) {
		wait_for_runtime(w, e);
		return;
	}
	e->cause = (uint8_t)cause;
	if (cause == BOB_REFUSED_ENDED)
		e->is_gone = 1;
	else if (cause == BOB_REFUSED_DESCRIPTORS)
		e->t_next = w->now + WATCH_LATER_US;
	else
		wait_longer(w, e, WATCH_LATER_US);
	if (cause != BOB_REFUSED_ENDED || (e->is_named && !e->was_sampled))
		report_refusal(w, e);
}

/* --- it is tried ---------------------------------------------------------- */

static size_t
max_at_once(void)
{
	struct rlimit limit;
	size_t n = AT_ONCE;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    limit.rlim_cur / DESCRIPTORS < n)
		n = (size_t)(limit.rlim_cur / DESCRIPTORS);
	return n < 1 ? 1 : n;
}

/* True if n descriptors are free. The only way to know is to open them. */
static int
are_free(size_t n)
{
	int fd[MAX_SPARE];
	size_t i, k;

	if (n > MAX_SPARE)
		n = MAX_SPARE;
	for (i = 0; i < n; i++) {
		fd[i] = i == 0 ? eventfd(0, EFD_CLOEXEC)
		    : fcntl(fd[0], F_DUPFD_CLOEXEC, 0);
		if (fd[i] < 0)
			break;
	}
	for (k = 0; k < i; k++)
		(void)close(fd[k]);
	return i == n;
}

static int
has_room(struct bob_watch *w, const struct watched *e)
{
	if (!w->is_full)
		w->is_full = !are_free(w->spare_fds);
	if (w->is_full)
		(void)err_sys(w->ctx, BOB_FAILED, EMFILE, "process %llu",
		    (unsigned long long)e->pid);
	return !w->is_full;
}

static void
begin_attach(struct bob_watch *w, struct watched *e)
{
	struct bob_attach_opts o = w->own->opts;

	if (w->n_young >= max_at_once())
		return;
	o.dict = w->dict;
	if (e->is_plain) {
		o.runtime = "native";
		o.flags &= ~(uint32_t)BOB_ATTACH_NATIVE;
	}
	/* The user waits for a named process; for others samples are more
	 * urgent. */
	if (has_room(w, e) && attaching_begin(w->ctx, e->pid, &o,
	        e->is_named ? 0 : THREAD_NICE, &e->attaching) == BOB_OK)
		w->n_young++;
	else
		attach_failed(w, e);
}

static int
add_attached(struct bob_watch *w, struct watched *e, struct bob_proc *p)
{
	/* Another process has the pid now. */
	if (e->start != 0 && handle_start(p) != e->start) {
		bob_detach(p);
		e->is_gone = 1;
		return BOB_OK;
	}
	if (bob_sampler_add(w->sampler, p) < 0) {
		bob_detach(p);
		attach_failed(w, e);
		return BOB_OK;
	}
	handle_set_watch(p, w);
	e->start = handle_start(p);
	e->proc = p;
	/* For one that stops answering again and again, waits keep growing. */
	if (e->cause != BOB_REFUSED_SILENT)
		e->wait_us = 0;
	e->cause = BOB_REFUSED_NOT;
	return w->ev.came != NULL ? w->ev.came(w->ev.user, p) : BOB_OK;
}

int
watch_try(struct bob_watch *w, struct watched *e)
{
	struct bob_proc *p;
	int r;

	if (e->proc != NULL)
		return BOB_OK;
	if (e->attaching == NULL) {
		if (w->now >= e->t_next)
			begin_attach(w, e);
		return BOB_OK;
	}
	r = bob_attach_poll(w->ctx, e->attaching, w->dict, &p);
	if (r == BOB_AGAIN && bob_attach_age(e->attaching) < SILENT_US)
		return BOB_OK;
	if (r == BOB_AGAIN)
		bob_attach_drop(e->attaching);
	e->attaching = NULL;
	if (r == BOB_OK)
		return add_attached(w, e, p);
	if (r == BOB_AGAIN)
		watch_silence(w, e, 1);
	else
		attach_failed(w, e);
	return BOB_OK;
}
