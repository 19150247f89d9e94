/*
 * The runtime CPython: attaches to a process and samples its threads.
 *
 * If the stack of one thread cannot be proven, only that one is lost: the other
 * threads of the same sample are kept.
 */
#include "capture/python/python.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/proc/proc.h"
#include "capture/python/frames/native_pieces.h"
#include "capture/python/frames/witness.h"
#include "capture/python/layout/find_python.h"
#include "capture/python/servers/server.h"
#include "capture/python/tasks/task_sampler.h"
#include "capture/python/threads/thread_status.h"
#include "capture/python/threads/threads.h"
#include "capture/python/values/locals.h"

/* How often a stack is read, at most. More tries would prefer long calls to
 * short ones, and lose as many samples. */
#define TRIES 4

/* An epoch, in microseconds: code objects, GILs and main threads are read
 * again. */
#define EPOCH_US 20000

/* The list of threads is read again this often, if not all of them are
 * sampled. */
#define LIST_US 100000

struct python {
	struct process *p;
	struct py_site site;
	struct py_codes codes;
	struct py_threads threads;
	uint64_t t_epoch;
	uint64_t t_list;
	uint64_t freed; /* the interpreter's counter of freed code objects */
	int must_list;
	size_t first; /* thread to begin with: the last sample ended there */
	struct native *native; /* NULL: native frames are not wanted */
	int with_tasks;
	struct py_tasks tasks;
	int with_requests;
	struct py_server server;
	struct py_locals *locals; /* NULL: not wanted */
	/* The thread that is being sampled. */
	int has_tasks;   /* its tasks can be read */
	int is_other;    /* its request is new: the stack is read again */
	size_t n_before; /* runs of other threads, and their variables */
	size_t n_locals_before;
};

static void
py_detach(void *state)
{
	struct python *s = state;

	py_threads_done(&s->threads);
	py_codes_done(&s->codes);
	native_free(s->native);
	py_tasks_done(&s->tasks);
	py_locals_free(s->locals);
	free(s);
}

int
py_open(struct process *p, const struct py_site *site, void **ret)
{
	struct python *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		(void)err_nomem(p->ctx);
		return BOB_FAILED;
	}
	s->p = p;
	s->site = *site;
	py_codes_init(&s->codes, p->ctx, p->dict, &p->mem, &s->site.o);
	s->codes.code_type = site->code_type;
	s->codes.with_opcodes = (p->flags & BOB_ATTACH_OPCODES) != 0;
	py_threads_init(&s->threads, p, &s->site, &s->codes);
	py_tasks_init(&s->tasks, p, &s->site, &s->codes);
	s->with_tasks = (p->flags & (BOB_ATTACH_TASKS |
	    BOB_ATTACH_ALL_TASKS)) != 0;
	py_server_init(&s->server, p, &s->site.o);
	s->with_requests = (p->flags & (BOB_ATTACH_REQUEST |
	    BOB_ATTACH_QUERY)) != 0;
	s->must_list = 1;
	*ret = s;
	return BOB_OK;
}

/* Fails at once if tasks are wanted and cannot be read. */
static int
check_tasks(struct python *s)
{
	if (!s->with_tasks || py_tasks_can_be_read(&s->tasks))
		return BOB_OK;
	return err_set(s->p->ctx, BOB_FAILED, BOB_E_UNSUPPORTED,
	    BOB_NO_OFFSET, "process %d: Python %s: %s; sample it without its "
	    "tasks", s->p->pid, s->p->version, s->tasks.why.text);
}

static int
py_attach(struct process *p, void **ret)
{
	struct py_site site;
	struct python *s;
	int r = py_find(p, &site);

	if (r == BOB_OK)
		r = py_open(p, &site, ret);
	if (r != BOB_OK)
		return r;
	s = *ret;
	r = check_tasks(s);
	if (r == BOB_OK && (p->flags & BOB_ATTACH_NATIVE) != 0)
		r = native_new(p, &py_words, &s->native);
	if (r == BOB_OK && (p->flags & BOB_ATTACH_LOCALS) != 0) {
		s->locals = py_locals_new(p, &s->site.o);
		r = s->locals != NULL ? BOB_OK : BOB_FAILED;
	}
	if (r != BOB_OK)
		py_detach(s);
	return r;
}

/* --- one thread ---------------------------------------------------------- */

/* Beside the results of py_walk_prove(): the process is gone. */
#define GONE (-100)

/* Requests of uvicorn need tasks, even if tasks themselves are not wanted. */
static int
wants_tasks(const struct python *s)
{
	return s->with_tasks || (s->with_requests && s->codes.has_uvicorn);
}

/* Finds the request of a stack. Returns WALK_OK; BOB_LOST_MOVED if the stack
 * must be read again; or WALK_FATAL. */
static int
find_thread_request(struct python *s, struct py_thread *h, int is_last)
{
	int is_out = 0, r = py_server_look(&s->server, &h->walk, &h->request);

	if (r > 0 && s->has_tasks)
		r = py_tasks_meet_request(&s->tasks, h, &is_out);
	if (r < 0 || is_out)
		return WALK_FATAL;
	s->is_other = r == 0;
	return r > 0 || is_last ? WALK_OK : BOB_LOST_MOVED;
}

/* Copies and proves a stack once. Returns as py_walk_prove(), or GONE. */
static int
try_once(struct python *s, struct py_thread *h, int is_last)
{
	int r;

	s->has_tasks = wants_tasks(s) && py_tasks_are_known(&s->tasks, h);
	if (s->has_tasks)
		py_tasks_prepare(&s->tasks, h);
	r = py_copy_take(h->copy);
	if (r == -ESRCH || r == -EPERM)
		return GONE;
	if (r == -ENOMEM)
		return WALK_FATAL;
	if (r < 0)
		return r == -EAGAIN ? BOB_LOST_MOVED : BOB_LOST_READ;
	r = py_walk_prove(&h->walk, is_last);
	if (r == WALK_OK && s->has_tasks && !is_last &&
	    !py_tasks_is_true(&s->tasks, h))
		r = BOB_LOST_MOVED;
	if (r == WALK_OK && s->with_requests)
		r = find_thread_request(s, h, is_last);
	return r;
}

/* Tries until the stack is proven. A stopped thread does not change: if it
 * needs another try, only the prediction of the copy was wrong. */
static int
try_often(struct python *s, struct py_thread *h, int is_stopped)
{
	int r = BOB_LOST_MOVED, i;

	s->is_other = 0;
	for (i = 0; i < TRIES; i++) {
		h->is_again = i > 0 && !is_stopped && !s->is_other;
		s->p->counts.retried += (uint64_t)h->is_again;
		s->is_other = 0;
		r = try_once(s, h, i == TRIES - 1);
		if (r < 0)
			break;
		if (py_copy_learn(h->copy) < 0)
			return WALK_FATAL;
	}
	if (r == WALK_OK && !is_stopped)
		r = py_witness_look(&h->walk);
	return r;
}

/* Returns 1 if threads with this status are wanted. */
static int
is_of_mode(const struct process *p, uint8_t status)
{
	switch (p->mode) {
	case BOB_MODE_CPU:
		return (status & BOB_STATUS_ON_CPU) != 0;
	case BOB_MODE_GIL:
		return (status & BOB_STATUS_HAS_GIL) != 0;
	case BOB_MODE_EXCEPTION:
		return (status & BOB_STATUS_EXCEPTION) != 0;
	default:
		return 1;
	}
}

/*
 * Sets *ret to the stack of a thread: merged with its native frames if they are
 * wanted, and with the tasks that await the running one instead of their loop.
 * Sets *annot to the annotations of task and request. Returns BOB_OK;
 * BOB_AGAIN: the sample is lost, and counted; or FATAL.
 */
static int
find_stack(struct python *s, struct py_thread *h, int is_taken,
    bob_stack *ret, bob_annot *annot)
{
	int r;

	*ret = h->walk.stack;
	*annot = 0;
	r = native_merge(s->native, is_taken, py_cut_pieces, &h->walk, ret);
	if (r == BOB_OK && s->has_tasks && s->with_tasks)
		r = py_tasks_put_running(&s->tasks, h, ret, annot);
	if (r == BOB_OK && s->with_requests)
		*annot = py_server_annotate(&s->server, &h->request, *annot);
	if (r == BOB_OK && s->has_tasks && *annot != BOB_NO_ID)
		*annot = py_tasks_annotate(&s->tasks, *annot);
	return *annot != BOB_NO_ID ? r : BOB_FATAL;
}

static int
add_run(struct python *s, struct py_thread *h, uint8_t cpu, int is_taken)
{
	uint8_t status = py_status_of(s->p, &s->site, h, cpu);
	struct bob_run *run;
	bob_stack stack;
	bob_annot annot;
	bob_tid track;
	int r;

	if (!is_of_mode(s->p, status)) {
		s->p->n_local = s->n_locals_before;
		return BOB_OK;
	}
	if ((status & BOB_STATUS_HAS_GIL) != 0)
		s->p->busy_tid = h->tid;
	track = py_status_track(&s->threads, h);
	if (track == BOB_NO_ID)
		return BOB_FATAL;
	r = find_stack(s, h, is_taken, &stack, &annot);
	if (r == BOB_AGAIN)
		s->p->n_local = s->n_locals_before;
	if (r != BOB_OK)
		return r == BOB_AGAIN ? BOB_OK : BOB_FATAL;
	run = process_add_run(s->p);
	if (run == NULL)
		return BOB_FATAL;
	/* The run of the thread goes in front of those of its waiting tasks. */
	memmove(&s->p->run[s->n_before + 1], &s->p->run[s->n_before],
	    (s->p->n_run - 1 - s->n_before) * sizeof(*run));
	run = &s->p->run[s->n_before];
	memset(run, 0, sizeof(*run));
	run->stack = stack;
	run->annot = annot;
	run->track = track;
	run->status = status;
	run->flags = BOB_RUN_STATUS;
	process_settle_locals(s->p, s->n_locals_before, s->n_before, stack);
	s->p->counts.repaired += (uint64_t)h->walk.is_repaired;
	s->p->counts.inferred += (uint64_t)(h->is_again ||
	    h->walk.is_inferred);
	s->p->counts.cut += (uint64_t)h->walk.is_cut;
	return BOB_OK;
}

/* Samples one thread. BOB_OK, maybe a run, and *why: WALK_OK, WALK_IDLE or the
 * reason of a loss; BOB_EOF if the process is gone; FATAL. */
static int
sample_thread(struct python *s, struct py_thread *h, int *why)
{
	int with_pause = (s->p->flags & (BOB_ATTACH_PAUSE |
	    BOB_ATTACH_NATIVE | BOB_ATTACH_LOCALS)) != 0 && h->tid != 0;
	uint8_t cpu = BOB_STATUS_UNKNOWN;
	int r, is_taken = 0;

	*why = WALK_IDLE;
	s->n_before = s->p->n_run;
	s->n_locals_before = s->p->n_local;
	if (s->p->mode == BOB_MODE_CPU ||
	    (s->p->flags & BOB_ATTACH_ON_CPU) != 0)
		cpu = py_status_cpu(s->p, h);
	if (s->p->mode == BOB_MODE_CPU && cpu != BOB_STATUS_ON_CPU)
		return BOB_OK; /* its stack need not be read */
	if (with_pause) {
		r = pause_begin(&h->pause, h->tid);
		if (r < 0) {
			*why = BOB_LOST_PAUSE;
			return BOB_OK;
		}
		is_taken = s->native != NULL &&
		    native_take(s->native, h->tid) == 0;
	}
	h->walk.is_paused = with_pause;
	r = try_often(s, h, with_pause);
	h->walk.is_repaired &= !with_pause;
	if (r == WALK_OK && s->has_tasks && py_tasks_follow(&s->tasks, h) < 0)
		r = WALK_FATAL;
	if (r == WALK_OK && s->locals != NULL && with_pause &&
	    py_locals_of_walk(s->locals, &h->walk) < 0)
		r = WALK_FATAL;
	if (with_pause)
		process_go(s->p, &h->pause);
	if (r == GONE)
		return BOB_EOF;
	if (r == WALK_FATAL)
		return BOB_FATAL;
	*why = r;
	if (r != WALK_OK)
		return BOB_OK;
	if (py_copy_learn(h->copy) < 0)
		return BOB_FATAL;
	return add_run(s, h, cpu, is_taken);
}

/* --- all threads --------------------------------------------------------- */

/* Begins an epoch, if the last one is over or code objects were freed. */
static void
begin_epoch(struct python *s)
{
	uint64_t freed = s->freed;

	if (s->threads.n_thread > 0)
		freed = py_copy_interp_u64(s->threads.thread[0]->copy,
		    s->site.o.is_generation);
	if (freed == s->freed && s->p->time_us - s->t_epoch < EPOCH_US)
		return;
	s->freed = freed;
	s->t_epoch = s->p->time_us;
	py_codes_doubt(&s->codes);
	py_threads_renew(&s->threads);
}

static int
is_listed(const struct py_threads *t, uint64_t at)
{
	size_t i;

	for (i = 0; i < t->n_thread; i++)
		if (t->thread[i]->at == at)
			return 1;
	return 0;
}

/* Counts threads that could not be read as lost, unless they have ended
 * meanwhile. If not even the list can be read, all count. */
static int
count_lost(struct python *s, const uint64_t *at, const int *why, size_t n)
{
	size_t i;
	int r = py_threads_list(&s->threads);

	if (r == -ENOMEM)
		return BOB_FATAL;
	for (i = 0; i < n; i++)
		if (r < 0 || is_listed(&s->threads, at[i]))
			process_lose(s->p, (enum bob_lost)why[i]);
	return BOB_OK;
}

static int
is_wanted(const struct process *p, const struct py_thread *h)
{
	if (p->only_thread == BOB_MAIN_THREAD)
		return h->is_main;
	return p->only_thread == 0 || p->only_thread == (uint64_t)h->tid;
}

/* Returns 1 if the list of threads may have changed. The copies of all threads
 * tell; if some are not copied, the time since it was read. */
static int
list_may_have_changed(const struct python *s)
{
	if (s->p->only_thread != 0 || s->p->mode == BOB_MODE_CPU ||
	    s->threads.is_cut)
		return s->p->time_us - s->t_list >= LIST_US;
	return !py_threads_are_same(&s->threads);
}

/* Lost threads of one sample that are checked for having ended. */
#define MAX_LOST 64

static int
py_sample(void *state, struct process *p)
{
	struct python *s = state;
	uint64_t lost[MAX_LOST];
	int why[MAX_LOST], r;
	size_t n_lost = 0, k, i, n;

	(void)p; /* the one that was attached */
	if (s->must_list) {
		r = py_threads_list(&s->threads);
		if (r == -ENOMEM)
			return BOB_FATAL;
		s->must_list = r < 0;
		s->t_list = s->p->time_us;
		if (r == -ESRCH || r == -EPERM)
			return BOB_EOF;
		if (r < 0 && s->threads.n_thread == 0)
			process_lose(s->p, BOB_LOST_READ);
	}
	if (s->threads.is_cut)
		process_lose(s->p, BOB_LOST_THREADS);
	begin_epoch(s);
	py_tasks_begin(&s->tasks);
	n = s->threads.n_thread;
	if (s->first >= n)
		s->first = 0;
	for (k = 0; k < n; k++) {
		i = (s->first + k) % n;
		if (!is_wanted(s->p, s->threads.thread[i]))
			continue;
		if (mem_is_used_up(&s->p->mem))
			break; /* counted as BOB_LOST_STEPS */
		r = sample_thread(s, s->threads.thread[i], &why[n_lost]);
		if (r != BOB_OK)
			return r;
		if (why[n_lost] >= 0 && n_lost + 1 < MAX_LOST)
			lost[n_lost++] = s->threads.thread[i]->at;
	}
	s->first = k < n ? (s->first + k) % n : 0;
	if (n_lost > 0)
		return count_lost(s, lost, why, n_lost);
	s->must_list |= k == n && list_may_have_changed(s);
	return BOB_OK;
}

static int
py_module(const void *state, size_t i, struct bob_module *ret)
{
	return native_module(((const struct python *)state)->native, i, ret);
}

static void
py_forget(void *state)
{
	struct python *s = state;
	size_t i;

	if (s->native != NULL)
		native_forget(s->native);
	py_codes_forget(&s->codes);
	py_uvicorn_forget(&s->tasks.uvicorn);
	s->codes.dict = s->p->dict;
	for (i = 0; i < s->threads.n_thread; i++) {
		s->threads.thread[i]->track = 0;
		s->threads.thread[i]->n_unnamed = 0;
		py_walk_forget(&s->threads.thread[i]->walk, s->p->dict);
		py_server_forget(&s->threads.thread[i]->request);
	}
}

const struct runtime python_runtime = {
	.name = "python",
	.is_module = py_is_module,
	.attach = py_attach,
	.sample = py_sample,
	.module = py_module,
	.forget = py_forget,
	.detach = py_detach,
};
