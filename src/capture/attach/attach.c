/*
 * The handle of an attached process (struct bob_proc): finding its runtime,
 * checking that it is still the same process and program, and sampling it.
 *
 * Memory is read by pid, as process_vm_readv(2) can gather. But a pid is used
 * again, and a process may exec another program. Two things show that:
 *
 *  - an open /proc/PID/mem reads 0 bytes once the process has ended or has
 *    another program. It is checked every 50 ms, and after a lost sample;
 *  - start time and stack address in /proc/PID/stat. They are checked every
 *    second, and when reading fails with "no such process".
 *
 * For that long a new program can be taken for the old one; but then its memory
 * would have to look like a proven stack.
 *
 * A process has ended only if the kernel says so. Other errors (no descriptor,
 * no memory, no permission) do not mean that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/attach/handle.h"
#include "capture/doctor/advice.h"
#include "capture/hand.h"
#include "capture/proc/proc.h"
#include "capture/runtime.h"
#include "capture/sampler/sampler.h"
#include "core/clock.h"
#include "core/pattern.h"

#define CHECK_US 50000
#define CHECK_NUMBER_US 1000000
#define YOUNG_US 1000000

/* Attaching may read as much as so many samples, as the state of threads is
 * searched in memory. */
#define ATTACH_TIMES 4

struct bob_proc {
	struct process p;
	const struct runtime *runtime;
	void *state;
	int memfd;           /* /proc/PID/mem; -1: not allowed, or not held */
	uint64_t known;      /* an address that is mapped in this program */
	uint64_t start;      /* clock ticks */
	uint64_t stack;      /* start of the stack */
	uint64_t t_checked, t_number; /* when it was checked, by memory and by
	                               * /proc/PID/stat */
	int is_gone;
	uint64_t steps;      /* of the last sample */
	uint64_t debt;       /* microseconds, see proc_must_wait() */
	int must_wait;
	int is_silent;       /* see handle_set_silent() */
	struct bob_proc_facts facts;
	struct handle_own *own; /* NULL: what it uses is the caller's */
	struct member *member;  /* of a sampler; NULL: none */
	struct bob_watch *watch; /* NULL: none */
	struct lane *lane;      /* of a recorder; NULL: none */
	void *user;             /* the caller's */
	char *told[3];          /* strings of the last bob_proc_module() */
	char command[PROC_MAX_COMMAND];
};

/* Sets the error for an errno of a process that cannot be read, with advice.
 * Returns FAILED. */
static int
fail_by_errno(struct bob_ctx *ctx, int pid, int sys)
{
	struct advice a;

	if (sys == ENOENT && proc_is_hidden(pid))
		sys = EPERM;
	if (sys == ESRCH || sys == ENOENT) {
		(void)err_set(ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "no such process: %d", pid);
		sys = ESRCH;
	} else if (sys == EPERM || sys == EACCES || sys == ENOSYS) {
		advice_refused(pid, sys, &a);
		(void)err_set(ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "process %d may not be read: %s%s%s", pid, a.text,
		    a.fix[0] != '\0' ? "; " : "", a.fix);
		sys = EPERM;
	} else {
		return err_sys(ctx, BOB_FAILED, sys, "process %d", pid);
	}
	return err_set_sys(ctx, sys);
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

/* Tries to attach with the runtimes that know a file by its name, or with all
 * (`everywhere`). Returns BOB_OK; BOB_EOF if none is in the process; FAILED. */
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

/* Finds the runtime of the process; `want`: only this one. Returns BOB_OK or
 * FAILED. */
static int
find_runtime(struct bob_proc *h, const char *want)
{
	int r = ask_runtimes(h, want, 0);
	struct proc_stat st;

	if (r == BOB_EOF)
		r = ask_runtimes(h, want, 1);
	if (r != BOB_EOF)
		return r;
	if (want != NULL)
		return err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT,
		    BOB_NO_OFFSET, "process %d: no %s found in it", h->p.pid,
		    want);
	if (proc_stat(h->p.pid, 0, &st) < 0)
		st.name[0] = '\0';
	return err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT, BOB_NO_OFFSET,
	    "process %d%s%s%s is neither PHP nor Python", h->p.pid,
	    st.name[0] != '\0' ? " (" : "", st.name,
	    st.name[0] != '\0' ? ")" : "");
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

/* Opens its memory, and keeps it open if there are enough descriptors. */
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

/* Records what identifies the process and its program. Returns BOB_OK or
 * FAILED. */
static int
record_identity(struct bob_proc *h)
{
	struct proc_stat st;
	int r;

	hold_memory(h);
	r = proc_stat(h->p.pid, 0, &st);
	if (r < 0)
		return fail_by_errno(h->p.ctx, h->p.pid, -r);
	if (st.is_kernel)
		return err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT,
		    BOB_NO_OFFSET, "process %d (%s) is a thread of the kernel, "
		    "which runs no program", h->p.pid, st.name);
	if (st.state == 'Z' || st.state == 'X') {
		(void)err_set(h->p.ctx, BOB_FAILED, BOB_E_IO, BOB_NO_OFFSET,
		    "process %d (%s) has ended; its parent %llu has not asked "
		    "how", h->p.pid, st.name, (unsigned long long)st.ppid);
		return err_set_sys(h->p.ctx, ESRCH);
	}
	h->start = st.start;
	h->stack = st.stack;
	h->facts.ppid = st.ppid;
	return BOB_OK;
}

/* Finds an address that is mapped, for is_same(). Returns BOB_OK or FAILED. */
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
	return fail_by_errno(h->p.ctx, h->p.pid, -r);
}

/* After a failure: EAGAIN if the program was just started and may still load a
 * runtime. */
static void
mark_young(struct bob_proc *h)
{
	struct timespec now;
	uint64_t start_us = proc_start_us(h->start);

	if (h->p.ctx->error.code == BOB_E_FORMAT && h->start != 0 &&
	    clock_gettime(CLOCK_REALTIME, &now) == 0 &&
	    (uint64_t)now.tv_sec * 1000000 < start_us + YOUNG_US)
		(void)err_set_sys(h->p.ctx, EAGAIN);
}

static void
set_facts(struct bob_proc *h)
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

/* Reads /proc/PID/stat. Returns 1 if it is the process that was attached; 0 if
 * that has ended; -errno if it cannot be read. */
static int
read_identity(const struct bob_proc *h, struct proc_stat *ret)
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
	int r = read_identity(h, &st);

	/* Another program is seen by memfd, if we have it. */
	return r < 0 || (r == 1 && (h->memfd >= 0 || st.stack == h->stack));
}

/* True if it is still the process and the program that was attached.
 * `by_number`: /proc/PID/stat is read, too. */
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
	/* An error means only that the address is not mapped any more. */
	return n > 0 && !by_number ? 1 : is_same_by_number(h);
}

/* Sets the error after is_same() was false: the process has ended, or has
 * another program. Returns FAILED. */
static int
explain_change(const struct bob_proc *h)
{
	struct proc_stat st;

	if (read_identity(h, &st) == 0)
		return fail_by_errno(h->p.ctx, h->p.pid, ESRCH);
	(void)err_set(h->p.ctx, BOB_FAILED, BOB_E_FORMAT, BOB_NO_OFFSET,
	    "process %d became another program while it was looked at; try "
	    "again", h->p.pid);
	return err_set_sys(h->p.ctx, EAGAIN);
}

static int
attach_handle(struct bob_proc *h, const char *want)
{
	int r = record_identity(h);

	if (r == BOB_OK && maps_read(h->p.ctx, &h->p.maps, h->p.pid) < 0)
		r = fail_by_errno(h->p.ctx, h->p.pid, h->p.ctx->error.sys);
	if (r == BOB_OK)
		r = find_known(h);
	if (r == BOB_OK)
		r = find_runtime(h, want);
	if (r == BOB_OK && !is_same(h, 1))
		r = explain_change(h);
	if (r == BOB_OK)
		set_facts(h);
	else
		mark_young(h);
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
	/* A context of its own, as another thread may sample it. */
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
	                                      : BOB_MAX_CAPTURE_DEPTH;
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
	mem_allow(&h->p.mem, ATTACH_TIMES * BOB_MAX_CAPTURE_READS,
	    ATTACH_TIMES * BOB_MAX_CAPTURE_BYTES);
	if (r == BOB_OK)
		r = attach_handle(h, opts->runtime);
	if (r != BOB_OK) {
		err_copy(ctx, h->p.ctx);
		bob_detach(h);
		return BOB_FAILED;
	}
	*ret = h;
	return BOB_OK;
}

static void
free_told(struct bob_proc *h)
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
	free_told(h);
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

/* Checks whether it is the same process, now and then, and after something odd.
 * Returns 1; 0 if it is not, and then is_gone is set. */
static int
check_identity(struct bob_proc *h, uint64_t t, enum oddity odd)
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

/* Local variables are read rarely, and take many small reads. */
static uint64_t
max_reads(const struct process *p)
{
	return (p->flags & BOB_ATTACH_LOCALS) != 0 ? 8 * BOB_MAX_CAPTURE_READS
	                                           : BOB_MAX_CAPTURE_READS;
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
	if (h->is_gone || !check_identity(h, time_us, ODD_NOT))
		return BOB_EOF;
	p->time_us = time_us;
	mem_allow(&p->mem, max_reads(p), BOB_MAX_CAPTURE_BYTES);
	r = h->runtime->sample(h->state, p);
	if (r == BOB_FATAL)
		return r;
	h->steps = mem_steps(&p->mem, max_reads(p), BOB_MAX_CAPTURE_BYTES);
	if (mem_is_used_up(&p->mem))
		process_lose(p, BOB_LOST_STEPS);
	if ((r == BOB_EOF || p->counts.lost > old.lost) &&
	    !check_identity(h, time_us, r == BOB_EOF ? ODD_NO_PROCESS
	                                             : ODD_LOST)) {
		/* Nothing is lost: the process had ended. */
		p->counts = old;
		return BOB_EOF;
	}
	/* The process exists, but may not be read any more. */
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

/* A process whose sample takes too long delays the others. So of its debt only
 * a part is repaid with each moment that it is left out. */
#define REPAY 16

/* Limit of moments in a row that a process is left out, so that its end is
 * noticed. */
#define MAX_WAIT 512

/* A step takes a microsecond, on a busy machine up to SLOWEST_STEP. Time above
 * that is time in which we had no processor, which is not charged. A sample has
 * some steps even if nothing is read. */
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

/* Copies the strings, which belong to the sampling thread. Returns 1; 0 if
 * memory is out. */
static int
keep_told(struct bob_proc *h, struct bob_module *m)
{
	const char **const text[] = { &m->path, &m->build_id, &m->unnamed };
	size_t i;

	free_told(h);
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
