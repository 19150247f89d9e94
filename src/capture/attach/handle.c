/* What callers set and ask of the handle of a process; see handle.h. */
#include <stdlib.h>
#include <string.h>

#include "capture/attach/inside.h"
#include "capture/sampler/sampler.h"

void
handle_set_own(struct bob_proc *h, struct handle_own *own)
{
	h->own = own;
}

void
handle_set_silent(struct bob_proc *h)
{
	h->is_silent = 1;
}

int
bob_proc_is_silent(const struct bob_proc *h)
{
	return h->is_silent;
}

uint64_t
handle_start(const struct bob_proc *h)
{
	return h->start;
}

struct bob_ctx *
handle_ctx(const struct bob_proc *h)
{
	return h->p.ctx;
}

void
handle_set_member(struct bob_proc *h, struct member *m)
{
	h->member = m;
}

struct member *
handle_member(const struct bob_proc *h)
{
	return h->member;
}

void
handle_set_watch(struct bob_proc *h, struct bob_watch *w)
{
	h->watch = w;
}

struct bob_watch *
handle_watch(const struct bob_proc *h)
{
	return h->watch;
}

void
handle_set_lane(struct bob_proc *h, struct lane *l)
{
	h->lane = l;
}

struct lane *
handle_lane(const struct bob_proc *h)
{
	return h->lane;
}

struct bob_dict *
handle_dict(const struct bob_proc *h)
{
	return h->p.dict;
}

void
handle_set_dict(struct bob_proc *h, struct bob_dict *dict)
{
	h->p.dict = dict;
	h->p.n_local = 0;
	h->runtime->forget(h->state);
}

const struct bob_capture_counts *
handle_counts(const struct bob_proc *h)
{
	return &h->p.counts;
}

int
handle_is_stopped(const struct bob_proc *h)
{
	return (h->p.flags & (BOB_ATTACH_PAUSE | BOB_ATTACH_NATIVE)) ==
	    BOB_ATTACH_PAUSE;
}

int
handle_busy_thread(const struct bob_proc *h, int *pid, int *is_woken)
{
	*pid = h->p.pid;
	*is_woken = (h->p.flags & (BOB_ATTACH_PAUSE | BOB_ATTACH_NATIVE)) != 0;
	return h->p.busy_tid != 0 ? h->p.busy_tid : h->p.pid;
}

/* Threads without the lock wait for the one that has it. In BOB_MODE_WALL each
 * thread has a sample at each moment. */
int
handle_is_one_thread(const struct bob_proc *h)
{
	return h->p.mode == BOB_MODE_WALL || h->p.mode == BOB_MODE_GIL ||
	    proc_thread_count(h->p.pid) <= 1;
}

int
handle_stands_for(struct bob_proc *h)
{
	if (h->p.mode == BOB_MODE_CPU && !oncpu_was_running(&h->p.running)) {
		h->p.counts.idle++;
		return 0;
	}
	h->p.counts.taken++;
	return 1;
}

void
bob_proc_set_dict(struct bob_proc *h, struct bob_dict *dict)
{
	if (h->member != NULL)
		member_set_dict(h->member, dict);
	else
		handle_set_dict(h, dict);
}

int
bob_proc_locals(const struct bob_proc *h, const struct bob_local **ret,
    size_t *ret_n)
{
	*ret = h->p.local;
	*ret_n = h->p.n_local;
	return h->p.has_more_locals;
}

void
bob_proc_counts(const struct bob_proc *h, struct bob_capture_counts *ret)
{
	*ret = h->member != NULL ? h->member->seen : h->p.counts;
}

void
proc_forget_told(struct bob_proc *h)
{
	size_t i;

	for (i = 0; i < sizeof(h->told) / sizeof(h->told[0]); i++) {
		free(h->told[i]);
		h->told[i] = NULL;
	}
}

/* Copies the strings, which belong to the sampling thread. Returns 1; 0 if
 * memory is out. */
static int
keep_told(struct bob_proc *h, struct bob_module *m)
{
	const char **const text[] = { &m->path, &m->build_id, &m->unnamed };
	size_t i;

	proc_forget_told(h);
	for (i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		h->told[i] = strdup(*text[i]);
		if (h->told[i] == NULL)
			return 0;
		*text[i] = h->told[i];
	}
	return 1;
}

int
bob_proc_module(struct bob_proc *h, size_t i, struct bob_module *ret)
{
	int r;

	if (h->is_silent || h->runtime->module == NULL)
		return 0;
	if (h->member != NULL)
		gate_enter(h->member->sampler);
	r = !h->is_silent && h->runtime->module(h->state, i, ret) &&
	    keep_told(h, ret);
	if (h->member != NULL)
		gate_leave(h->member->sampler);
	return r;
}

const struct bob_proc_facts *
bob_proc_facts(const struct bob_proc *h)
{
	return &h->facts;
}

void
bob_proc_set_user(struct bob_proc *h, void *user)
{
	h->user = user;
}

void *
bob_proc_user(const struct bob_proc *h)
{
	return h->user;
}
