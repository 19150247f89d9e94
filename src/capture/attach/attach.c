/*
 * Attaching to a process: finding its runtime, and checking that it is still
 * the same process and program.
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

#include "capture/attach/inside.h"
#include "capture/doctor/advice.h"
#include "capture/hand.h"
#include "capture/proc/proc.h"
#include "capture/runtime.h"
#include "core/clock.h"
#include "core/pattern.h"

#define YOUNG_US 1000000

/* Attaching may read as much as so many samples, as the state of threads is
 * searched in memory. */
#define ATTACH_TIMES 4

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

/* Finds an address that is mapped, for proc_is_same(). Returns BOB_OK or
 * FAILED. */
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

int
proc_is_same(struct bob_proc *h, int by_number)
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

/* Sets the error after proc_is_same() was false: the process has ended, or has
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
	if (r == BOB_OK && !proc_is_same(h, 1))
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
	proc_forget_told(h);
	bob_ctx_free(h->p.ctx);
	handle_own_free(h->own);
	free(h);
}
