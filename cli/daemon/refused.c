/*
 * Processes that match the pattern and are not sampled: why, and when each is
 * tried again. A process is forgotten when a look at all processes does not
 * find it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "live/descriptors.h"
#include "msg.h"

/* A process that could not be read may be able to be later: it was only just
 * started, or somebody has changed its rights. It is tried again soon, and then
 * less and less often. */
#define SOON_US 1000000
#define AGAIN_US 60000000

/* With --native, a process without a runtime is sampled as it is, but not
 * before a program that was just started has had the time to load one. */
#define NATIVE_US 2000000

/* Lines about single processes in a minute; anybody can start a thousand. */
#define MAX_TOLD 20

/* Descriptors that must be left before one more process is begun with: who
 * asks for the status (8), a new file while the old one is open, lists of
 * processes and threads, and files of the process that is looked at. */
#define SPARE 32

const char *
refused_cause(int why)
{
	static const char *const name[N_REFUSALS] = { "descriptors",
		"permission", "memory", "runtime", "silent", "other" };

	return name[why];
}

static size_t
place_of(const struct daemon *d, uint64_t pid)
{
	return workers_place(d->refused, d->n_refused, sizeof(*d->refused),
	    pid);
}

struct refused *
refused_find(const struct daemon *d, const struct bob_proc_info *info)
{
	size_t i = place_of(d, info->pid);

	return i < d->n_refused && d->refused[i].pid == info->pid &&
	        d->refused[i].start == info->start ? &d->refused[i] : NULL;
}

/* A new one, also in the place of an older process of that number. */
static struct refused *
insert(struct daemon *d, const struct bob_proc_info *info)
{
	size_t i = place_of(d, info->pid);
	struct refused *v = d->refused;

	if (i == d->n_refused || v[i].pid != info->pid) {
		if (d->n_refused == d->cap_refused) {
			v = realloc(v, (d->cap_refused + 64) * sizeof(*v));
			if (v == NULL)
				return NULL;
			d->refused = v;
			d->cap_refused += 64;
		}
		memmove(&v[i + 1], &v[i], (d->n_refused - i) * sizeof(*v));
		d->n_refused++;
	}
	v[i] = (struct refused){ .pid = info->pid, .start = info->start };
	return &v[i];
}

static enum refusal
cause_of(const struct bob_error *e)
{
	if (e->sys == EMFILE || e->sys == ENFILE)
		return REFUSED_DESCRIPTORS;
	if (e->sys == EPERM || e->sys == EACCES)
		return REFUSED_PERMISSION;
	if (e->code == BOB_E_NOMEM || e->sys == ENOMEM)
		return REFUSED_MEMORY;
	return e->code == BOB_E_FORMAT ? REFUSED_RUNTIME : REFUSED_OTHER;
}

/* What is said about a process is told once. */
static void
tell(struct daemon *d, struct refused *r, const char *text)
{
	r->is_told = 1;
	if (d->t_us >= d->t_told + AGAIN_US) {
		d->t_told = d->t_us;
		d->n_told = 0;
	}
	if (d->n_told++ < MAX_TOLD)
		msg_warn("%s", text);
	else if (d->n_told == MAX_TOLD + 1)
		msg_warn("more processes are not sampled; 'bobbin daemon "
		    "status' counts them");
}

void
refused_add(struct daemon *d, const struct bob_proc_info *info, uint64_t t_us)
{
	const struct bob_error *e = bob_ctx_error(d->ctx);
	struct refused *r = refused_find(d, info);

	if (e->sys == ESRCH)
		return; /* it was gone before we had a look */
	if (r == NULL)
		r = insert(d, info);
	if (r == NULL)
		return;
	r->t_us = t_us;
	r->t_seen = d->t_us;
	r->why = cause_of(e);
	if (r->why == REFUSED_DESCRIPTORS) {
		r->wait_us = 0;
		return;
	}
	r->is_native = e->code == BOB_E_FORMAT &&
	    (d->attach.flags & BOB_ATTACH_NATIVE) != 0;
	/* If it is no runtime, it gets the time to become one. */
	if (!r->is_native && !r->is_told &&
	    (e->code != BOB_E_FORMAT || r->wait_us > 0))
		tell(d, r, e->text);
	r->wait_us = r->wait_us == 0 ? SOON_US
	    : 2 * r->wait_us < AGAIN_US ? 2 * r->wait_us : AGAIN_US;
}

void
refused_add_silent(struct daemon *d, const struct bob_proc_info *info,
    int for_good)
{
	struct refused *r = refused_find(d, info);
	char text[128];

	if (r == NULL)
		r = insert(d, info);
	if (r == NULL)
		return;
	r->t_us = r->t_seen = d->t_us;
	r->is_native = 0;
	if (r->why != REFUSED_SILENT)
		r->is_told = 0;
	r->why = REFUSED_SILENT;
	r->wait_us = for_good ? UINT64_MAX : r->wait_us == 0 ? SOON_US
	    : r->wait_us < AGAIN_US / 2 ? 2 * r->wait_us : AGAIN_US;
	(void)snprintf(text, sizeof(text), "process %llu: its memory or its "
	    "files do not answer; the others go on without it",
	    (unsigned long long)info->pid);
	if (!r->is_told)
		tell(d, r, text);
}

int
refused_for_now(struct daemon *d, const struct bob_proc_info *info)
{
	struct refused *r = refused_find(d, info);

	if (r != NULL)
		r->t_seen = d->t_us;
	if (r != NULL && r->why != REFUSED_DESCRIPTORS &&
	    (d->t_look < r->t_us || d->t_look - r->t_us <
	        (r->is_native ? NATIVE_US : r->wait_us)))
		return 1;
	if (!d->is_full)
		d->is_full = !descriptors_are_left(SPARE);
	if (!d->is_full)
		return 0;
	if (r == NULL)
		r = insert(d, info);
	if (r != NULL) {
		r->t_seen = d->t_us;
		r->why = REFUSED_DESCRIPTORS;
	}
	return 1;
}

void
refused_drop(struct daemon *d, const struct bob_proc_info *info)
{
	struct refused *r = refused_find(d, info);

	if (r == NULL)
		return;
	memmove(r, r + 1, (d->n_refused - (size_t)(r - d->refused) - 1) *
	    sizeof(*r));
	d->n_refused--;
}

size_t
refused_sum(const struct daemon *d, struct refused_sum sum[N_REFUSALS])
{
	size_t n = 0, i;

	memset(sum, 0, N_REFUSALS * sizeof(*sum));
	for (i = 0; i < d->n_refused; i++) {
		const struct refused *r = &d->refused[i];
		struct refused_sum *s = &sum[r->why];

		if (s->n < REFUSED_MAX_PIDS)
			s->pid[s->n] = r->pid;
		s->n++;
		n++;
	}
	return n;
}

/* There is one reason for all of them, and one line. */
static void
tell_full(struct daemon *d)
{
	struct refused_sum sum[N_REFUSALS];
	size_t n;

	(void)refused_sum(d, sum);
	n = sum[REFUSED_DESCRIPTORS].n;
	if (n > 0 && !d->is_full_told) {
		msg_warn("%zu process%s not sampled: the limit of %llu open "
		    "files is reached", n, n == 1 ? " is" : "es are",
		    (unsigned long long)descriptors_limit());
		msg_hint("raise it (LimitNOFILE= of the unit, ulimit -Hn), or "
		    "write one file with --bundled");
	}
	d->is_full_told = n > 0;
}

void
refused_begin_look(struct daemon *d)
{
	d->is_full = 0;
	d->t_look = d->t_us;
}

void
refused_end_look(struct daemon *d)
{
	size_t i, n = 0;

	for (i = 0; i < d->n_refused; i++)
		if (d->refused[i].t_seen >= d->t_look)
			d->refused[n++] = d->refused[i];
	d->n_refused = n;
	tell_full(d);
}
