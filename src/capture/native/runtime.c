/*
 * The runtime "native": all threads of any process, with C frames alone.
 *
 * It is used only if the user names it, as every process has machine code.
 * Threads are listed ten times a second. A thread that ends in between is no
 * lost sample.
 */
#include "capture/native/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/native/native.h"
#include "capture/proc/oncpu.h"
#include "capture/proc/pause.h"
#include "capture/proc/proc.h"

#define MAX_THREADS 4096
#define LIST_US 100000

/* The program may be PHP, with code of its JIT on the stack. */
static const struct native_words plain_words = { .reg = UNWIND_NO_REG,
	.lender = "execute_ex" };

struct thread {
	int tid;
	int is_there;
	bob_tid track; /* 0: not put yet */
	struct pause pause;
	struct oncpu oncpu;
};

struct plain {
	struct process *p;
	struct native *native;
	struct thread *thread; /* by tid */
	size_t n_thread, cap_thread;
	uint64_t t_list;
	int is_listed;
	int is_cut; /* some threads are left out */
};

static int
no_module(const struct map_file *f)
{
	(void)f;
	return 0;
}

static void
plain_detach(void *state)
{
	struct plain *s = state;
	size_t i;

	for (i = 0; i < s->n_thread; i++)
		pause_done(&s->thread[i].pause);
	free(s->thread);
	native_free(s->native);
	free(s);
}

/* Returns the first executable file of the mappings, mostly the program; NULL
 * if there is none. Shared memory is mapped as a file below /dev. */
static const char *
find_program(const struct process *p)
{
	size_t i;

	for (i = 0; i < p->maps.n_file; i++)
		if (p->maps.file[i].is_exec &&
		    strncmp(p->maps.file[i].path, "/dev/", 5) != 0)
			return p->maps.file[i].path;
	return NULL;
}

static int
plain_attach(struct process *p, void **ret)
{
	struct plain *s;
	int r;

	if (p->mode > BOB_MODE_CPU)
		return err_set(p->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "process %d: machine code has no mode %s", p->pid,
		    bob_mode_name((int)p->mode));
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		(void)err_nomem(p->ctx);
		return BOB_FAILED;
	}
	s->p = p;
	r = native_new(p, &plain_words, &s->native);
	if (r != BOB_OK) {
		free(s);
		return r;
	}
	memcpy(p->version, REGS_MACHINE, sizeof(REGS_MACHINE));
	p->module = find_program(p);
	*ret = s;
	return BOB_OK;
}

/* --- threads ------------------------------------------------------------- */

static int
compare_tids(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int
is_wanted(const struct process *p, int tid)
{
	if (p->only_thread == BOB_MAIN_THREAD)
		return tid == p->pid;
	return p->only_thread == 0 || p->only_thread == (uint64_t)tid;
}

static struct thread *
find_thread(struct plain *s, size_t n, int tid)
{
	struct thread key = { .tid = tid };

	return n > 0 ? bsearch(&key, s->thread, n, sizeof(key),
	           compare_tids)
	             : NULL;
}

static void
drop_threads(struct plain *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_thread; i++)
		if (s->thread[i].is_there)
			s->thread[n++] = s->thread[i];
		else
			pause_done(&s->thread[i].pause);
	s->n_thread = n;
}

/* True if threads that are wanted may be left out. */
static int
is_cut(const struct plain *s)
{
	return proc_thread_count(s->p->pid) > MAX_THREADS &&
	    (s->p->only_thread == 0 || s->n_thread == 0);
}

/* Lists the threads, and drops those that have ended. Returns 0, or -errno;
 * -ENOMEM is recorded. */
static int
list_threads(struct plain *s)
{
	int tids[MAX_THREADS];
	long n = proc_threads(s->p->pid, tids, MAX_THREADS), i;
	size_t n_old = s->n_thread, k;

	if (n < 0)
		return (int)n;
	for (k = 0; k < n_old; k++)
		s->thread[k].is_there = 0;
	for (i = 0; i < n; i++) {
		struct thread *t = find_thread(s, n_old, tids[i]);

		if (t != NULL) {
			t->is_there = 1;
			continue;
		}
		if (!is_wanted(s->p, tids[i]))
			continue;
		if (MEM_GROW(s->p->ctx, s, thread, s->n_thread + 1) < 0)
			return -ENOMEM;
		s->thread[s->n_thread++] = (struct thread){ .tid = tids[i],
			.is_there = 1 };
	}
	drop_threads(s);
	s->is_cut = is_cut(s);
	if (s->n_thread > 0)
		qsort(s->thread, s->n_thread, sizeof(*s->thread),
		    compare_tids);
	s->t_list = s->p->time_us;
	s->is_listed = 1;
	return 0;
}

/* --- samples ------------------------------------------------------------- */

static int
put_track(struct plain *s, struct thread *t, const char *name)
{
	struct bob_track track = { .pid = (uint64_t)s->p->pid,
		.tid = (uint64_t)t->tid,
		.flags = BOB_TRACK_PID | BOB_TRACK_TID };

	track.name = bob_str_put(s->p->dict, name, strlen(name));
	if (track.name == BOB_NO_ID)
		return BOB_FATAL;
	t->track = bob_track_put(s->p->dict, &track);
	return t->track == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
add_run(struct plain *s, struct thread *t, int is_on_cpu)
{
	int r = native_unwind(s->native);
	struct bob_run *run;
	bob_stack stack;

	if (r == BOB_AGAIN)
		return BOB_OK;
	if (r < 0 || native_stack(s->native, &stack) < 0)
		return BOB_FATAL;
	run = process_add_run(s->p);
	if (run == NULL)
		return BOB_FATAL;
	run->stack = stack;
	run->track = t->track;
	run->status = (uint8_t)((is_on_cpu ? BOB_STATUS_ON_CPU : 0) |
	    (t->tid == s->p->pid ? BOB_STATUS_MAIN_THREAD : 0));
	run->flags = BOB_RUN_STATUS;
	return BOB_OK;
}

/* Samples one thread. If it has ended, nothing is lost, and the threads are
 * listed again. */
static int
sample_thread(struct plain *s, struct thread *t)
{
	struct proc_stat st;
	int r = proc_stat(s->p->pid, t->tid, &st), on_cpu;

	if (r < 0 && !proc_is_end(r)) {
		process_lose(s->p, BOB_LOST_READ);
		return BOB_OK;
	}
	if (r < 0 || st.state == 'Z' || st.state == 'X') {
		s->is_listed = 0;
		return BOB_OK;
	}
	on_cpu = st.state == 'R' &&
	    process_is_running(s->p, &t->oncpu, t->tid);
	if (s->p->mode == BOB_MODE_CPU && !on_cpu)
		return BOB_OK;
	if (t->track == 0 && put_track(s, t, st.name) < 0)
		return BOB_FATAL;
	r = pause_begin(&t->pause, t->tid);
	if (r == 0) {
		r = native_take(s->native, t->tid);
		process_go(s->p, &t->pause);
	}
	if (r == 0)
		return add_run(s, t, on_cpu);
	if (r == -ESRCH)
		s->is_listed = 0;
	else
		process_lose(s->p, r == -ETIMEDOUT || r == -EPERM
		        ? BOB_LOST_PAUSE : BOB_LOST_READ);
	return BOB_OK;
}

static int
plain_sample(void *state, struct process *p)
{
	struct plain *s = state;
	size_t i;
	int r = BOB_OK;

	if (!s->is_listed || p->time_us - s->t_list >= LIST_US) {
		r = list_threads(s);
		if (r == -ENOMEM)
			return BOB_FATAL;
		if (r < 0)
			return BOB_EOF;
	}
	if (s->is_cut)
		process_lose(p, BOB_LOST_THREADS);
	for (i = 0; r == BOB_OK && i < s->n_thread; i++)
		r = sample_thread(s, &s->thread[i]);
	return r;
}

static int
plain_module(const void *state, size_t i, struct bob_module *ret)
{
	return native_module(((const struct plain *)state)->native, i, ret);
}

static void
plain_forget(void *state)
{
	struct plain *s = state;
	size_t i;

	for (i = 0; i < s->n_thread; i++)
		s->thread[i].track = 0;
	native_forget(s->native);
}

const struct runtime native_runtime = {
	.name = "native",
	.is_asked_for = 1,
	.is_module = no_module,
	.attach = plain_attach,
	.sample = plain_sample,
	.module = plain_module,
	.forget = plain_forget,
	.detach = plain_detach,
};
