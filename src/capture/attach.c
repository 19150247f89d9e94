/*
 * A process that is read: which runtime it has, whether it is still the same
 * process and the same program, and samples of it.
 *
 * The number of a process is used again and a process may become another
 * program. Two things tell: a descriptor of its memory, which is at its end
 * once the process has ended or runs another program; and its start time, with
 * the place of its stack. Reading itself goes by number (it can gather). The
 * first is checked every 50 ms and after each failure, the second every second
 * and when there is no process of that number: so long at most can a new
 * program be taken for the old one, and then its memory has to pass for a
 * stack.
 *
 * A process has ended when the kernel says so. That we cannot look at it (no
 * descriptor is left, no memory, no permission) says nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/advice.h"
#include "capture/hand.h"
#include "capture/handle.h"
#include "capture/proc/proc.h"
#include "capture/runtime.h"
#include "capture/sampler.h"
#include "core/clock.h"
#include "core/pattern.h"

#define CHECK_US 50000
#define CHECK_NUMBER_US 1000000
#define YOUNG_US 1000000

/* Attaching may take as many reads as so many samples: where the threads of a
 * program have their state is searched for. */
#define ATTACH_TIMES 4

struct bob_proc {
	struct process p;
	const struct runtime *runtime;
	void *state;
	int memfd;           /* -1: may not be opened, or not held */
	uint64_t known;      /* an address that is mapped in this program */
	uint64_t start;      /* clock ticks */
	uint64_t stack;      /* where it began */
	uint64_t t_checked, t_number;
	int is_gone;
	uint64_t steps;      /* of the last sample */
	uint64_t debt;       /* microseconds, see proc_must_wait */
	int must_wait;
	int is_silent;       /* left behind with its thread */
	struct bob_proc_facts facts;
	struct handle_own *own; /* NULL: what it uses is the caller's */
	struct member *member;  /* of a sampler; NULL: none */
	char *told[3];          /* of bob_proc_module */
	char command[PROC_MAX_COMMAND];
};

struct bob_run *
process_add_run(struct process *p)
{
	struct bob_run *run;

	if (MEM_GROW(p->ctx, p, run, p->n_run + 1) < 0)
		return NULL;
	run = &p->run[p->n_run++];
	memset(run, 0, sizeof(*run));
	return run;
}

int
process_add_local(struct process *p, const struct bob_local *local)
{
	if (local->name == BOB_NO_ID || local->value == BOB_NO_ID)
		return BOB_FATAL;
	if (p->n_local >= BOB_MAX_LIVE_LOCALS) {
		p->has_more_locals = 1;
		return BOB_OK;
	}
	if (MEM_GROW(p->ctx, p, local, p->n_local + 1) < 0)
		return BOB_FATAL;
	p->local[p->n_local++] = *local;
	return BOB_OK;
}

static bob_fid
frame_of(const struct bob_dict *d, bob_stack stack)
{
	return bob_stack_get(d, stack).frame;
}

void
process_settle_locals(struct process *p, size_t first, size_t run,
    bob_stack stack)
{
	const struct bob_dict *d = p->dict;
	bob_stack was = 0, at = stack, q = stack;
	size_t i;

	for (i = first; i < p->n_local; i++) {
		struct bob_local *x = &p->local[i];

		if (i == first || x->stack != was) {
			was = x->stack;
			for (q = at; q != 0 && q != was &&
			    frame_of(d, q) != frame_of(d, was);)
				q = bob_stack_get(d, q).parent;
			if (q != 0)
				at = bob_stack_get(d, q).parent;
		}
		x->stack = q;
		x->run = (uint32_t)run;
	}
}

void
process_go(struct process *p, struct pause *pause)
{
	p->counts.stops++;
	p->counts.stopped_ns += pause_end(pause);
}

void
process_lose(struct process *p, enum bob_lost why)
{
	p->counts.lost++;
	p->counts.lost_by[why]++;
}

const char *
bob_lost_name(int why)
{
	static const char *const name[BOB_N_LOST] = { "read", "moved", "root",
		"name", "depth", "pause", "threads", "steps", "loading" };

	return why >= 0 && why < BOB_N_LOST ? name[why] : NULL;
}

const char *
bob_mode_name(int mode)
{
	static const char *const name[BOB_N_MODES] = { "wall", "cpu", "gil",
		"exception" };

	return mode >= 0 && mode < BOB_N_MODES ? name[mode] : NULL;
}

/* What a refusal means, with the way out. */
static int
explain(struct bob_ctx *ctx, int pid, int sys)
{
	struct advice a;
	int r;

	if (sys == ESRCH || sys == ENOENT) {
		r = err_set(ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "no such process: %d", pid);
		sys = ESRCH;
	} else if (sys == EPERM || sys == EACCES || sys == ENOSYS) {
		advice_refused(pid, sys, &a);
		r = err_set(ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "process %d may not be read: %s%s%s", pid, a.text,
		    a.fix[0] != '\0' ? "; " : "", a.fix);
		sys = EPERM;
	} else {
		return err_sys(ctx, BOB_FAILED, sys, "process %d", pid);
	}
	ctx->error.sys = sys;
	return r;
}

static int
has_module(const struct runtime *r, const struct maps *m)
{
	size_t i;

	for (i = 0; i < m->n_file; i++)
		if (r->is_module(&m->file[i]))
			return 1;
	return 0;
}

/* Asks the runtimes: those that know a file by its name, or all of them. */
static int
ask_runtimes(struct bob_proc *h, const char *want, int everywhere)
{
	const struct runtime *rt;
	void *state;
	int r = BOB_EOF;
	size_t i;

	h->p.looks_everywhere = everywhere;
	for (i = 0; r == BOB_EOF && (rt = runtime_get(i)) != NULL; i++) {
		if (want != NULL ? strcmp(want, rt->name) != 0
		                 : rt->is_asked_for)
			continue;
		if (!everywhere && !has_module(rt, &h->p.maps))
			continue;
		r = rt->attach(&h->p, &state);
		if (r == BOB_OK) {
			h->runtime = rt;
			h->state = state;
		}
	}
	return r;
}

/* The first runtime that knows the process; `want` is the only one asked. */
static int
find_runtime(struct bob_proc *h, const char *want)
{
	int r = ask_runtimes(h, want, 0);

	if (r == BOB_EOF)
		r = ask_runtimes(h, want, 1);
	if (r != BOB_EOF)
		return r;
	return err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT, BOB_NO_OFFSET,
	    "process %d: no %s found in it", h->p.pid,
	    want != NULL ? want : "runtime that can be read");
}

int
bob_attach_check(struct bob_ctx *ctx, const struct bob_attach_opts *o)
{
	struct pattern *redact = NULL;
	size_t i;
	int r = BOB_OK;

	if (o == NULL || o->size != sizeof(*o))
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_attach: options are missing or of another version");
	if (o->mode >= BOB_N_MODES)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_attach: there is no mode %u", (unsigned)o->mode);
	if (o->redact != NULL) {
		r = pattern_new(ctx, "redact", o->redact, &redact);
		pattern_free(redact);
	}
	for (i = 0; r == BOB_OK && runtime_get(i) != NULL; i++)
		if (runtime_get(i)->check != NULL)
			r = runtime_get(i)->check(ctx, o);
	if (r != BOB_OK || o->runtime == NULL)
		return r;
	for (i = 0; runtime_get(i) != NULL; i++)
		if (strcmp(runtime_get(i)->name, o->runtime) == 0)
			return BOB_OK;
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "there is no runtime '%s'", o->runtime);
}

static int
check_options(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *o)
{
	if (pid == 0 || pid > INT32_MAX)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%llu is not the number of a process",
		    (unsigned long long)pid);
	if (o != NULL && o->dict == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "bob_attach: a dictionary is missing");
	return bob_attach_check(ctx, o);
}

/* Opens its memory, if there are descriptors enough to hold it. */
static void
hold_memory(struct bob_proc *h)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/mem", h->p.pid);
	h->memfd = open(path, O_RDONLY | O_CLOEXEC);
	if (h->memfd < 0 || proc_may_hold(h->memfd))
		return;
	(void)close(h->memfd);
	h->memfd = -1;
}

/* Holds what tells whether it is still the same. */
static int
hold(struct bob_proc *h)
{
	struct proc_stat st;
	int r;

	hold_memory(h);
	r = proc_stat(h->p.pid, 0, &st);
	if (r < 0)
		return explain(h->p.ctx, h->p.pid, -r);
	if (st.is_kernel)
		return err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT,
		    BOB_NO_OFFSET, "process %d (%s) is a thread of the kernel, "
		    "which runs no program", h->p.pid, st.name);
	if (st.state == 'Z' || st.state == 'X') {
		(void)err_set(h->p.ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "process %d (%s) has ended; its parent %llu has not asked "
		    "how", h->p.pid, st.name, (unsigned long long)st.ppid);
		h->p.ctx->error.sys = ESRCH;
		return BOB_FAILED;
	}
	h->start = st.start;
	h->stack = st.stack;
	h->facts.ppid = st.ppid;
	return BOB_OK;
}

/* An address to see by that the program is still the same. */
static int
find_known(struct bob_proc *h)
{
	uint64_t word;
	size_t i;
	int r = -EFAULT;

	for (i = 0; i < h->p.maps.n_file; i++) {
		r = mem_read_u64(&h->p.mem, h->p.maps.file[i].start, &word);
		if (r == 0) {
			h->known = h->p.maps.file[i].start;
			return BOB_OK;
		}
		if (r == -EPERM || r == -ESRCH)
			break;
	}
	if (r == -EFAULT)
		return err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT,
		    BOB_NO_OFFSET, "process %d has no program in its memory: "
		    "it is just starting or ending; try again", h->p.pid);
	return explain(h->p.ctx, h->p.pid, -r);
}

/* A program that was just started may become one that is known. */
static void
tell_young(struct bob_proc *h)
{
	struct timespec now;
	uint64_t start_us = proc_start_us(h->start);

	if (h->p.ctx->error.code == BOB_E_FORMAT && h->start != 0 &&
	    clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	    (uint64_t)now.tv_sec * 1000000 < start_us + YOUNG_US)
		h->p.ctx->error.sys = EAGAIN;
}

static void
tell_facts(struct bob_proc *h)
{
	struct bob_proc_facts *f = &h->facts;

	f->pid = (uint64_t)h->p.pid;
	(void)proc_uid(h->p.pid, &f->uid);
	(void)proc_command(h->p.pid, h->command, sizeof(h->command));
	f->start_us = proc_start_us(h->start);
	f->runtime = h->runtime->name;
	f->version = h->p.version;
	f->flavour = h->p.flavour != NULL ? h->p.flavour : "";
	f->module = h->p.module != NULL ? h->p.module : "";
	f->command = h->command;
}

/* By its number. 1 while it is the process that was attached; 0: it has ended;
 * -errno: it could not be looked at. */
static int
look_by_number(const struct bob_proc *h, struct proc_stat *ret)
{
	int r = proc_stat(h->p.pid, 0, ret);

	if (r < 0)
		return proc_is_end(r) ? 0 : r;
	return ret->start == h->start && ret->state != 'Z' &&
	    ret->state != 'X';
}

static int
is_same_by_number(struct bob_proc *h)
{
	struct proc_stat st;
	int r = look_by_number(h, &st);

	/* Its memory tells of another program, if we have it. */
	return r < 0 || (r == 1 && (h->memfd >= 0 || st.stack == h->stack));
}

/* True while it is the process, and the program, that was attached. */
static int
is_same(struct bob_proc *h, int by_number)
{
	char byte;
	ssize_t n = -1;

	if (h->memfd >= 0) {
		hand_away();
		n = pread(h->memfd, &byte, 1, (off_t)h->known);
		hand_back();
	}
	if (n == 0)
		return 0;
	/* An error says that there is nothing at that address any more. */
	return n > 0 && !by_number ? 1 : is_same_by_number(h);
}

/* What is_same() has denied: an end, or another program that is there to be
 * attached. */
static int
explain_change(const struct bob_proc *h)
{
	struct proc_stat st;

	if (look_by_number(h, &st) == 0)
		return explain(h->p.ctx, h->p.pid, ESRCH);
	(void)err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT, BOB_NO_OFFSET,
	    "process %d became another program while it was looked at; try "
	    "again", h->p.pid);
	h->p.ctx->error.sys = EAGAIN;
	return BOB_FAILED;
}

static int
attach(struct bob_proc *h, const char *want)
{
	int r = hold(h);

	if (r == BOB_OK && maps_read(h->p.ctx, &h->p.maps, h->p.pid) < 0)
		r = explain(h->p.ctx, h->p.pid, h->p.ctx->error.sys);
	if (r == BOB_OK)
		r = find_known(h);
	if (r == BOB_OK)
		r = find_runtime(h, want);
	if (r == BOB_OK && !is_same(h, 1))
		r = explain_change(h);
	if (r == BOB_OK)
		tell_facts(h);
	else
		tell_young(h);
	return r;
}

int
bob_attach(struct bob_ctx *ctx, uint64_t pid,
    const struct bob_attach_opts *opts, struct bob_proc **ret)
{
	int r = check_options(ctx, pid, opts);
	struct bob_proc *h;

	if (r < 0)
		return r;
	h = calloc(1, sizeof(*h));
	if (h == NULL) {
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	h->memfd = -1;
	/* Another thread may sample it. */
	h->p.ctx = ctx_new_worker(ctx);
	if (h->p.ctx == NULL) {
		free(h);
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	h->p.dict = opts->dict;
	h->p.pid = (int)pid;
	h->p.flags = opts->flags;
	h->p.max_depth = opts->max_depth != 0 ? opts->max_depth
	                                      : BOB_MAX_LIVE_DEPTH;
	h->p.mode = opts->mode;
	h->p.only_thread = opts->thread;
	h->p.want_version = opts->version;
	h->p.vars = opts->vars;
	h->p.n_vars = opts->n_vars;
	mem_init(&h->p.mem, (int)pid);
	quota_process(&h->p.quota);
	if (opts->redact != NULL)
		r = pattern_new(h->p.ctx, "redact", opts->redact,
		    &h->p.redact);
	mem_allow(&h->p.mem, ATTACH_TIMES * BOB_MAX_LIVE_READS,
	    ATTACH_TIMES * BOB_MAX_LIVE_BYTES);
	if (r == BOB_OK)
		r = attach(h, opts->runtime);
	if (r != BOB_OK) {
		err_copy(ctx, h->p.ctx);
		bob_detach(h);
		return BOB_FAILED;
	}
	*ret = h;
	return BOB_OK;
}

static void
forget_told(struct bob_proc *h)
{
	size_t i;

	for (i = 0; i < sizeof(h->told) / sizeof(h->told[0]); i++) {
		free(h->told[i]);
		h->told[i] = NULL;
	}
}

void
bob_detach(struct bob_proc *h)
{
	if (h == NULL)
		return;
	if (h->state != NULL)
		h->runtime->detach(h->state);
	if (h->memfd >= 0)
		(void)close(h->memfd);
	maps_done(&h->p.maps);
	pattern_free(h->p.redact);
	free(h->p.run);
	free(h->p.local);
	forget_told(h);
	bob_ctx_free(h->p.ctx);
	handle_own_free(h->own);
	free(h);
}

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

enum oddity { ODD_NOT, ODD_LOST, ODD_NO_PROCESS };

/* Asks now and then, and whenever something is odd. */
static int
check(struct bob_proc *h, uint64_t t, enum oddity odd)
{
	int by_number = odd == ODD_NO_PROCESS ||
	    t - h->t_number >= CHECK_NUMBER_US;

	if (odd == ODD_NOT && t - h->t_checked < CHECK_US)
		return 1;
	h->t_checked = t;
	if (by_number)
		h->t_number = t;
	if (!is_same(h, by_number))
		h->is_gone = 1;
	return !h->is_gone;
}

/* Variables are asked for once, and take many small reads. */
static uint64_t
max_reads(const struct process *p)
{
	return (p->flags & BOB_ATTACH_LOCALS) != 0 ? 8 * BOB_MAX_LIVE_READS
	                                           : BOB_MAX_LIVE_READS;
}

int
bob_sample(struct bob_proc *h, uint64_t time_us, const struct bob_run **ret,
    size_t *ret_n)
{
	struct process *p = &h->p;
	struct bob_capture_counts old = p->counts;
	size_t i;
	int r;

	*ret_n = 0;
	*ret = NULL;
	p->n_run = p->n_local = 0;
	p->has_more_locals = 0;
	if (h->is_gone || !check(h, time_us, ODD_NOT))
		return BOB_EOF;
	p->time_us = time_us;
	mem_allow(&p->mem, max_reads(p), BOB_MAX_LIVE_BYTES);
	r = h->runtime->sample(h->state, p);
	if (r == BOB_FATAL)
		return r;
	h->steps = mem_steps(&p->mem, max_reads(p), BOB_MAX_LIVE_BYTES);
	if (mem_is_used_up(&p->mem))
		process_lose(p, BOB_LOST_STEPS);
	if ((r == BOB_EOF || p->counts.lost > old.lost) &&
	    !check(h, time_us, r == BOB_EOF ? ODD_NO_PROCESS : ODD_LOST)) {
		/* Not lost: there was nothing any more. */
		p->counts = old;
		return BOB_EOF;
	}
	/* It is there, and may not be read any more. */
	if (r == BOB_EOF && p->n_run == 0 && p->counts.lost == old.lost)
		process_lose(p, BOB_LOST_READ);
	for (i = 0; i < p->n_run; i++) {
		p->run[i].count = 1;
		p->run[i].t_first = p->run[i].t_last = time_us;
		p->run[i].flags |= BOB_RUN_TIMED;
	}
	p->counts.taken += p->n_run;
	*ret = p->run;
	*ret_n = p->n_run;
	if (p->n_run > 0)
		return BOB_OK;
	if (p->counts.lost > old.lost || r == BOB_EOF)
		return BOB_AGAIN;
	p->counts.idle++;
	return BOB_OK;
}

/* One that took longer than there is time holds up the others each time, so it
 * makes up for more than it took. */
#define REPAY 16

/* Moments that it waits, at most: it is to be seen when it ends. */
#define MAX_WAIT 512

/* A step takes a microsecond, and longer on a machine that is busy; but that
 * somebody else had the processor is no fault of the process. A sample takes
 * some even where nothing is read. */
#define SLOWEST_STEP 4
#define OTHER_STEPS 10

uint64_t
proc_took(struct bob_proc *h, uint64_t t_ns)
{
	uint64_t took = clock_ns() - t_ns;
	uint64_t most = SLOWEST_STEP * (h->steps + OTHER_STEPS) * 1000;
	uint64_t us;

	if (took > most)
		took = most;
	us = took / 1000;
	h->debt += us < h->steps ? h->steps : us;
	return took;
}

int
proc_must_wait(struct bob_proc *h, uint64_t us)
{
	uint64_t repaid = h->must_wait ? us / REPAY : us;

	if (h->debt / MAX_WAIT > us / REPAY)
		h->debt = MAX_WAIT * (us / REPAY);
	h->must_wait = h->debt > repaid;
	if (!h->must_wait) {
		h->debt = 0;
		return 0;
	}
	h->debt -= us / REPAY;
	process_lose(&h->p, BOB_LOST_STEPS);
	return 1;
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
handle_stands_for(struct bob_proc *h, uint64_t n)
{
	if (h->p.mode != BOB_MODE_WALL) {
		h->p.counts.idle += n;
		return 0;
	}
	h->p.counts.taken += n;
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

/* Its strings, which are the other thread's, for ourselves. 1, or 0 without
 * memory. */
static int
keep_told(struct bob_proc *h, struct bob_module *m)
{
	const char **const text[] = { &m->path, &m->build_id, &m->unnamed };
	size_t i;

	forget_told(h);
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
