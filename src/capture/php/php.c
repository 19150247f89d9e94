/*
 * The PHP runtime: a process, its threads, and one sample of each.
 *
 * Without ZTS a process has one interpreter, in its main thread. With ZTS each
 * thread may run one; the threads are listed every second.
 *
 * Folders: layout/ finds PHP and its globals in a process, frames/ reads and
 * proves stacks, variables/ reads variables, requests/ reads the web request.
 */
#include "capture/php/php.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/native/unwind/regs.h"
#include "capture/php/frames/copy.h"
#include "capture/php/frames/names.h"
#include "capture/php/frames/pieces.h"
#include "capture/php/frames/repair.h"
#include "capture/php/frames/walk.h"
#include "capture/php/layout/find.h"
#include "capture/php/layout/opcache.h"
#include "capture/php/requests/request.h"
#include "capture/php/requests/server.h"
#include "capture/php/variables/spec.h"
#include "capture/php/variables/vars.h"
#include "capture/proc/oncpu.h"
#include "capture/proc/pause.h"
#include "capture/proc/proc.h"

/* How often a stack is read for one sample. With more tries long calls would be
 * seen too often, and no fewer samples would be lost. */
#define TRIES 4

/* After each 4th sample during which the process ran on, calls are learned. */
#define LEARN_EVERY 4

#define ANY_REQUEST (BOB_ATTACH_REQUEST | BOB_ATTACH_QUERY | BOB_ATTACH_COOKIE)
#define ANNOTATIONS (ANY_REQUEST | BOB_ATTACH_MEMORY)

#define MAX_THREADS 1024
#define THREADS_US 1000000
/* While no thread runs PHP, as the program has just begun. */
#define NO_THREADS_US 10000

struct php_thread {
	int tid;
	struct request request;
	struct vars vars;
	bob_tid track;  /* 0: not put yet */
	struct copy copy;
	struct walk walk;
	struct pause pause;
	struct oncpu oncpu;
	uint64_t root_func; /* outermost function of the last sample */
	uint32_t n_moved; /* samples during which the process ran on */
	int is_again;     /* its stack was read more than once */
	int is_there;     /* seen when threads were last listed */
};

/* Any thread of a ZTS process; its thread pointer never changes. */
struct php_tid {
	int tid;
	int is_there;
	uint64_t tp;
};

struct php {
	struct process *p;
	struct native *native; /* NULL: without native frames */
	struct php_site site;
	struct names names;
	struct opcache opcache;
	struct server server;
	struct php_thread *thread;
	size_t n_thread, cap_thread;
	int is_cut; /* there are more than MAX_THREADS */
	struct copy_room room;
	struct php_tid *tid; /* with ZTS: all threads of the process */
	size_t n_tid, cap_tid;
	uint64_t t_threads;
	struct spec spec[VARS_MAX];
	size_t n_spec;
	char *spec_text; /* that the specs point into */
};

static int
thread_init(struct php *s, struct php_thread *t, int tid,
    const struct php_globals *at)
{
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	request_init(&t->request, s->p, s->site.o, at, &s->server);
	copy_init(&t->copy, s->p->ctx, &s->p->mem, s->site.o, at->eg);
	t->copy.room = &s->room;
	walk_init(&t->walk, s->p->ctx, s->p->dict, &t->copy, &s->names,
	    s->p->max_depth);
	return vars_init(&t->vars, s->p, s->site.o, s->spec, s->n_spec, at);
}

static void
thread_done(struct php_thread *t)
{
	pause_done(&t->pause);
	copy_done(&t->copy);
	walk_done(&t->walk);
	vars_done(&t->vars);
}

/* Adding a thread may move the others, so walk.copy is set again for all. */
static int
add_thread(struct php *s, int tid, const struct php_globals *at)
{
	size_t i;
	int r;

	if (MEM_GROW(s->p->ctx, s, thread, s->n_thread + 1) < 0)
		return BOB_FATAL;
	r = thread_init(s, &s->thread[s->n_thread++], tid, at);
	for (i = 0; i < s->n_thread; i++)
		s->thread[i].walk.copy = &s->thread[i].copy;
	return r;
}

static struct php_thread *
find_thread(struct php *s, int tid)
{
	size_t i;

	for (i = 0; i < s->n_thread; i++)
		if (s->thread[i].tid == tid)
			return &s->thread[i];
	return NULL;
}

/* Returns a thread with its thread pointer. To read that, the thread is stopped
 * once. NULL and *ret_error, an -errno, if it cannot be. */
static struct php_tid *
find_pointer(struct php *s, int tid, int *ret_error)
{
	struct pause pause = { 0 };
	uint64_t tp = 0;
	size_t i;
	int r;

	for (i = 0; i < s->n_tid; i++)
		if (s->tid[i].tid == tid)
			return &s->tid[i];
	r = pause_begin(&pause, tid);
	if (r == 0) {
		r = pause_thread_pointer(&pause, &tp);
		(void)pause_end(&pause);
	}
	pause_done(&pause);
	if (r == 0 && MEM_GROW(s->p->ctx, s, tid, s->n_tid + 1) < 0)
		r = -ENOMEM;
	*ret_error = r;
	if (r < 0)
		return NULL;
	s->tid[s->n_tid] = (struct php_tid){ .tid = tid, .tp = tp };
	return &s->tid[s->n_tid++];
}

/* Looks for the interpreter of a thread, and adds a php_thread for it if it is
 * new. Returns 0, or -errno: -ENOENT if the thread runs no PHP. */
static int
look_at_thread(struct php *s, int tid)
{
	struct php_thread *t = find_thread(s, tid);
	struct php_globals at;
	int r = -ESRCH; /* find_pointer says why */
	struct php_tid *x = find_pointer(s, tid, &r);

	if (x == NULL)
		return r;
	x->is_there = 1;
	r = zts_find(&s->p->mem, &s->site.zts, x->tp, &at);
	if (r < 0)
		return r;
	if (t != NULL && t->copy.eg == at.eg) {
		t->is_there = 1;
		return 0;
	}
	/* Another interpreter: the old entry is dropped by drop_threads(). */
	if (t != NULL)
		t->tid = 0;
	if (add_thread(s, tid, &at) < 0)
		return -ENOMEM;
	s->thread[s->n_thread - 1].is_there = 1;
	return 0;
}

static void
drop_threads(struct php *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_thread; i++) {
		if (!s->thread[i].is_there) {
			thread_done(&s->thread[i]);
			continue;
		}
		s->thread[n] = s->thread[i];
		s->thread[n].walk.copy = &s->thread[n].copy;
		n++;
	}
	s->n_thread = n;
	for (i = n = 0; i < s->n_tid; i++)
		if (s->tid[i].is_there)
			s->tid[n++] = s->tid[i];
	s->n_tid = n;
}

/* Lists the threads, and drops those that have ended. Returns 0, or the last
 * -EPERM or -ENOMEM of a thread. */
static int
look_at_threads(struct php *s)
{
	int tids[MAX_THREADS];
	long n, i;
	int r = 0, k;

	s->t_threads = s->p->time_us;
	n = proc_threads(s->p->pid, tids, MAX_THREADS);
	if (n < 0)
		return (int)n;
	s->is_cut = proc_thread_count(s->p->pid) > MAX_THREADS;
	for (i = 0; i < (long)s->n_thread; i++)
		s->thread[i].is_there = 0;
	for (i = 0; i < (long)s->n_tid; i++)
		s->tid[i].is_there = 0;
	for (i = 0; i < n; i++) {
		k = look_at_thread(s, tids[i]);
		if (k == -ENOMEM || k == -EPERM)
			r = k;
	}
	/* Else threads that were not looked at would be dropped. */
	if (!mem_is_used_up(&s->p->mem))
		drop_threads(s);
	return r;
}

static void
php_detach(void *state)
{
	struct php *s = state;
	size_t i;

	for (i = 0; i < s->n_thread; i++)
		thread_done(&s->thread[i]);
	native_free(s->native);
	free(s->thread);
	free(s->tid);
	names_done(&s->names);
	free(s->spec_text);
	free(s);
}

static int
attach_threads(struct php *s)
{
	int r;

	if (!s->site.is_zts)
		return add_thread(s, s->p->pid, &s->site.globals);
	r = look_at_threads(s);
	if (r == 0)
		return BOB_OK;
	return err_sys(s->p->ctx, BOB_FAILED, -r,
	    "process %d: its threads cannot be stopped", s->p->pid);
}

static void
look_at_opcache(struct php *s)
{
	opcache_look(&s->opcache, s->p->ctx, s->p->pid, s->p->time_us);
	s->names.shared = s->opcache.start;
	s->names.shared_end = s->opcache.end;
}

static void
look_at_server(struct php *s)
{
	if (s->p->flags & ANY_REQUEST)
		server_look(&s->server, s->p);
}

static int
php_check(struct bob_ctx *ctx, const struct bob_attach_opts *o)
{
	struct spec spec;
	size_t i;
	int r = BOB_OK;

	if (o->n_vars > VARS_MAX)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%zu variables are more than the %u that can be read with "
		    "each sample", o->n_vars, VARS_MAX);
	for (i = 0; r == BOB_OK && i < o->n_vars; i++)
		r = spec_parse(ctx, o->vars[i], &spec);
	return r;
}

/* Parses the variables, which php_check() has accepted, from a copy of their
 * text. */
static int
parse_specs(struct php *s)
{
	const struct process *p = s->p;
	size_t i, n = 0;
	char *to;
	int r = BOB_OK;

	for (i = 0; i < p->n_vars; i++)
		n += strlen(p->vars[i]) + 1;
	if (n == 0)
		return BOB_OK;
	to = s->spec_text = malloc(n);
	if (to == NULL)
		return err_nomem(p->ctx);
	for (i = 0; r == BOB_OK && i < p->n_vars; i++) {
		n = strlen(p->vars[i]) + 1;
		memcpy(to, p->vars[i], n);
		r = spec_parse(p->ctx, to, &s->spec[s->n_spec++]);
		to += n;
	}
	return r;
}

int
php_open(struct process *p, const struct php_site *site, void **ret)
{
	struct php *s = calloc(1, sizeof(*s));
	int r = BOB_OK;

	if (s == NULL) {
		(void)err_nomem(p->ctx);
		return BOB_FAILED;
	}
	s->p = p;
	s->site = *site;
	server_init(&s->server, site->sapi);
	if (p->mode > BOB_MODE_CPU)
		r = err_set(p->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "process %d: PHP has no mode %s", p->pid,
		    bob_mode_name((int)p->mode));
	if (r == BOB_OK)
		r = parse_specs(s);
	if (r == BOB_OK) {
		names_init(&s->names, p->ctx, p->dict, &p->mem, s->site.o,
		    (p->flags & BOB_ATTACH_OPCODES) != 0);
		look_at_opcache(s);
		look_at_server(s);
		r = attach_threads(s);
	}
	if (r == BOB_OK && (p->flags & BOB_ATTACH_NATIVE) != 0)
		r = native_new(p, &php_words, &s->native);
	if (r != BOB_OK) {
		php_detach(s);
		return r < 0 ? BOB_FAILED : r;
	}
	*ret = s;
	return BOB_OK;
}

static int
php_attach(struct process *p, void **ret)
{
	struct php_site site;
	int r = php_find(p, &site);

	return r == BOB_OK ? php_open(p, &site, ret) : r;
}

/* If another script has begun, addresses of freed functions may have been used
 * again: names and variables are read anew. */
static void
check_script(struct php *s, struct php_thread *t)
{
	const struct walk *w = &t->walk;
	uint64_t func = w->frame[w->n_frame - 1].func;

	if (t->root_func != 0 && t->root_func != func) {
		names_doubt(&s->names);
		vars_doubt(&t->vars);
	}
	t->root_func = func;
}

static int
add_run(struct php *s, struct php_thread *t, bob_stack stack)
{
	struct bob_track track = { .pid = (uint64_t)s->p->pid,
		.flags = BOB_TRACK_PID };
	struct bob_run *run = process_add_run(s->p);

	if (run == NULL)
		return BOB_FATAL;
	if (t->track == 0) {
		if (s->site.is_zts) {
			track.tid = (uint64_t)t->tid;
			track.flags |= BOB_TRACK_TID;
		}
		t->track = bob_track_put(s->p->dict, &track);
	}
	run->stack = stack;
	run->track = t->track;
	if ((s->p->flags & ANNOTATIONS) || s->n_spec > 0)
		run->annot = request_annotate(&t->request, t->vars.pair,
		    t->vars.n_pair);
	s->p->counts.repaired += (uint64_t)t->walk.is_repaired;
	s->p->counts.inferred += t->walk.is_inferred ||
	    (t->is_again && !t->walk.is_stopped);
	s->p->counts.cut += (uint64_t)t->walk.is_cut;
	return t->track == BOB_NO_ID || run->annot == BOB_NO_ID ? BOB_FATAL
	                                                        : BOB_OK;
}

/* Beside WALK_OK, WALK_FATAL and enum bob_lost: the process has ended; no PHP
 * code runs. */
#define GONE (-100)
#define IDLE (-101)

static int
try_once(struct php_thread *t)
{
	int r = copy_take(&t->copy);

	if (r == 1)
		return IDLE;
	if (r == -ESRCH || r == -EPERM)
		return GONE;
	if (r == -ENOMEM)
		return WALK_FATAL;
	if (r < 0)
		return r == -EAGAIN ? BOB_LOST_MOVED : BOB_LOST_READ;
	return walk_prove(&t->walk);
}

static int
try_often(struct php *s, struct php_thread *t)
{
	int r = BOB_LOST_MOVED, i;

	for (i = 0; i < TRIES && r >= 0; i++) {
		t->is_again = i > 0;
		s->p->counts.retried += i > 0;
		r = try_once(t);
	}
	return r;
}

/* Now and then, after a sample during which the process ran on, reads its stack
 * once more to learn its calls. Returns BOB_OK or BOB_FATAL. */
static int
learn_calls(struct php_thread *t)
{
	return t->walk.is_stopped || t->walk.is_calm ||
	        t->n_moved++ % LEARN_EVERY != 0 || !copy_peek(&t->copy) ||
	        repair_learn(&t->walk) == WALK_OK
	    ? BOB_OK : BOB_FATAL;
}

/* True if the thread is on a processor. If that cannot be read, the sample
 * counts as lost. */
static int
is_on_cpu(const struct php *s, struct php_thread *t)
{
	struct proc_stat st;
	int r = proc_stat(s->p->pid, t->tid, &st);

	if (r < 0 && !proc_is_end(r))
		process_lose(s->p, BOB_LOST_READ);
	return r == 0 && st.state == 'R' &&
	    process_is_running(s->p, &t->oncpu, t->tid);
}

/* Reads current frame and opline of a stopped thread from its registers. Code
 * of the JIT does not keep these registers up to date. */
static void
look_at_loop(const struct php *s, struct php_thread *t)
{
	struct regs g;

	t->walk.run_frame = t->walk.run_opline = 0;
	if (s->opcache.has_jit || php_words.reg == UNWIND_NO_REG ||
	    regs_take(&g, t->tid) < 0)
		return;
	t->walk.run_frame = g.r[php_words.reg];
	t->walk.run_opline = g.r[php_words.reg + 1];
}

static int
sample_thread(struct php *s, struct php_thread *t)
{
	int with_pause = (s->p->flags & (BOB_ATTACH_PAUSE |
	    BOB_ATTACH_NATIVE)) != 0;
	size_t n_locals = s->p->n_local;
	bob_stack stack;
	int r, is_taken = 0;

	if (s->p->mode == BOB_MODE_CPU && !is_on_cpu(s, t))
		return BOB_OK;
	if (with_pause) {
		r = pause_begin(&t->pause, t->tid);
		if (r == -ESRCH)
			return BOB_EOF;
		if (r < 0) {
			process_lose(s->p, BOB_LOST_PAUSE);
			return BOB_OK;
		}
		is_taken = s->native != NULL &&
		    native_take(s->native, t->tid) == 0;
		look_at_loop(s, t);
	}
	/* Before names are looked up, as those of the last request are
	 * freed. */
	if (request_look(&t->request)) {
		names_doubt(&s->names);
		vars_doubt(&t->vars);
	}
	t->walk.is_stopped = with_pause;
	r = try_often(s, t);
	if (r == WALK_OK && vars_read(&t->vars, &t->walk) < 0)
		r = WALK_FATAL;
	if (r == WALK_OK && (s->p->flags & BOB_ATTACH_LOCALS) != 0 &&
	    vars_read_locals(&t->vars, &t->walk) < 0)
		r = WALK_FATAL;
	if (with_pause)
		process_go(s->p, &t->pause);
	if (r == GONE)
		return BOB_EOF;
	if (r == WALK_FATAL)
		return BOB_FATAL;
	if (r == IDLE)
		request_idle(&t->request);
	if (r >= 0)
		process_lose(s->p, (enum bob_lost)r);
	if (r != WALK_OK)
		return BOB_OK;
	look_at_opcache(s);
	copy_learn(&t->copy);
	check_script(s, t);
	stack = t->walk.stack;
	r = native_merge(s->native, is_taken, php_cut_pieces, &t->walk,
	    &stack);
	if (r < 0 || learn_calls(t) < 0)
		return BOB_FATAL;
	if (r == BOB_AGAIN) {
		s->p->n_local = n_locals;
		return BOB_OK;
	}
	process_settle_locals(s->p, n_locals, s->p->n_run, stack);
	return add_run(s, t, stack);
}

static int
php_sample(void *state, struct process *p)
{
	struct php *s = state;
	size_t i, n_gone = 0;
	int r = BOB_OK;

	s->names.now_us = p->time_us;
	look_at_server(s);
	if (s->site.is_zts && p->time_us - s->t_threads >=
	        (s->n_thread > 0 ? THREADS_US : NO_THREADS_US) &&
	    look_at_threads(s) == -ENOMEM)
		return BOB_FATAL;
	if (s->is_cut)
		process_lose(p, BOB_LOST_THREADS);
	for (i = 0; r == BOB_OK && i < s->n_thread &&
	    !mem_is_used_up(&p->mem); i++) {
		r = sample_thread(s, &s->thread[i]);
		/* The process has ended only if all threads have. */
		if (r == BOB_EOF && ++n_gone < s->n_thread) {
			s->t_threads = 0;
			r = BOB_OK;
		}
	}
	return r;
}

static int
php_module(const void *state, size_t i, struct bob_module *ret)
{
	return native_module(((const struct php *)state)->native, i, ret);
}

static void
php_forget(void *state)
{
	struct php *s = state;
	size_t i;

	if (s->native != NULL)
		native_forget(s->native);
	names_forget(&s->names);
	s->names.dict = s->p->dict;
	for (i = 0; i < s->n_thread; i++) {
		s->thread[i].track = 0;
		request_forget(&s->thread[i].request);
		vars_forget(&s->thread[i].vars);
		s->thread[i].walk.dict = s->p->dict;
		walk_forget(&s->thread[i].walk);
	}
}

const struct runtime php_runtime = {
	.name = "php",
	.check = php_check,
	.is_module = php_is_module,
	.attach = php_attach,
	.sample = php_sample,
	.module = php_module,
	.forget = php_forget,
	.detach = php_detach,
};
