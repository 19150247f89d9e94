/*
 * Lists processes in a thread; see scout.h.
 *
 * If the thread blocks in one process, it is left behind, the process counts as
 * silent, and a new thread makes the list without reading it.
 */
#include "capture/watch/scout.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/thread.h"
#include "core/clock.h"
#include "core/mem.h"
#include "core/pattern.h"

/* A thread that is at one process for so long is blocked. A list of thousands
 * takes a tenth of a second. */
#define STUCK_NS ((uint64_t)200 * 1000 * 1000)

/* Limit of processes that do not answer; each has cost a thread. */
#define MAX_SILENT 256

struct silent {
	uint64_t pid, start;
};

/* A list that is being made. It belongs to the thread until that is done. */
struct listing {
	struct job job;
	atomic_int tid;              /* of the thread */
	_Atomic uint64_t pid, start; /* process whose memory is read; 0: none */
	_Atomic uint64_t n_seen;     /* entries of /proc so far */
	struct bob_ctx *ctx;
	struct pattern *pattern; /* NULL: none */
	struct silent silent[MAX_SILENT];
	size_t n_silent;
	struct scout_own own;
	uint32_t flags;
	struct found *found;
	size_t n_found, cap_found;
	struct arena text; /* of their command lines */
	int failed; /* -errno: some could not be read; 0 */
	int result;
};

struct scout {
	struct bob_ctx *ctx;
	char *pattern;
	uint32_t flags;
	struct listing *now;     /* NULL: none is being made */
	uint64_t n_seen, t_seen; /* its last progress, and when */
	struct silent silent[MAX_SILENT];
	size_t n_silent;
	int is_full; /* more than MAX_SILENT do not answer */
};

void
scout_find_own(struct scout_own *own)
{
	struct proc_stat st;
	uint64_t pid = (uint64_t)getpid();

	own->n = 0;
	while (pid > 0 && pid <= INT32_MAX && own->n < SCOUT_MAX_OWN) {
		own->pid[own->n++] = pid;
		if (proc_stat((int)pid, 0, &st) < 0)
			break;
		pid = st.ppid;
	}
}

int
scout_is_own(const struct scout_own *own, uint64_t pid)
{
	size_t i;

	for (i = 0; i < own->n; i++)
		if (own->pid[i] == pid)
			return 1;
	return 0;
}

static void
free_listing(struct listing *l)
{
	pattern_free(l->pattern);
	arena_free(&l->text);
	bob_ctx_free(l->ctx);
	free(l->found);
	free(l);
}

static int
is_silent(const struct listing *l, uint64_t pid, uint64_t start)
{
	size_t i;

	for (i = 0; i < l->n_silent; i++)
		if (l->silent[i].pid == pid && l->silent[i].start == start)
			return 1;
	return 0;
}

/* Records an error. A process that has ended, or that we may not read, is just
 * left out of the list. */
static int
note_error(struct listing *l, int r)
{
	if (!proc_is_end(r) && r != -EACCES && r != -EPERM)
		l->failed = r;
	return BOB_OK;
}

/* Copies the command line into the list. Returns BOB_OK or FATAL. */
static int
keep_command(struct listing *l, struct found *f, const char *command)
{
	size_t n = strlen(command) + 1;
	char *copy = arena_alloc(l->ctx, &l->text, n);

	if (copy == NULL)
		return BOB_FATAL;
	memcpy(copy, command, n);
	f->command = copy;
	return BOB_OK;
}

/* Reads the command line. No other function reads memory of a process. Returns
 * 0, or -errno. */
static int
read_command(struct listing *l, const struct found *f,
    char command[PROC_MAX_COMMAND])
{
	int r;

	l->start = f->start;
	l->pid = f->pid;
	r = proc_command((int)f->pid, command, PROC_MAX_COMMAND);
	l->pid = 0;
	return r;
}

/* Fills in what depends on the command line. Returns 1; 0 if the process has
 * ended or may not be read; FATAL. */
static int
check_command(struct listing *l, struct found *f)
{
	char command[PROC_MAX_COMMAND] = "";
	int r = 0;

	if (!f->is_silent)
		r = read_command(l, f, command);
	if (r == 0 && (l->flags & SCOUT_COMMANDS) != 0)
		r = proc_uid((int)f->pid, &f->uid);
	if (r < 0)
		return note_error(l, r);
	if (l->pattern != NULL && *command != '\0') {
		r = pattern_match(l->pattern, command, strlen(command));
		f->is_match = r > 0 && !scout_is_own(&l->own, f->pid);
	}
	if (r >= 0 && (l->flags & SCOUT_COMMANDS) != 0)
		r = keep_command(l, f, command);
	return r < 0 ? r : 1;
}

static int
is_to_be_listed(const struct listing *l, const struct found *f, int is_known)
{
	if ((l->flags & SCOUT_COMMANDS) != 0 && !is_known)
		return 0;
	return (l->flags & SCOUT_ALL) != 0 || f->is_match || f->is_silent;
}

static int
list_process(struct listing *l, int pid)
{
	struct found f = { .pid = (uint64_t)pid };
	struct proc_stat st;
	int r = proc_stat(pid, 0, &st), is_known = 1;

	if (r < 0)
		return note_error(l, r);
	if (st.state == 'Z' || st.state == 'X')
		return BOB_OK;
	f.ppid = st.ppid;
	f.start = st.start;
	memcpy(f.name, st.name, sizeof(f.name));
	f.is_silent = is_silent(l, f.pid, f.start);
	if (l->pattern != NULL || (l->flags & SCOUT_COMMANDS) != 0)
		is_known = check_command(l, &f);
	if (is_known < 0 || !is_to_be_listed(l, &f, is_known))
		return is_known < 0 ? is_known : BOB_OK;
	if (MEM_GROW(l->ctx, l, found, l->n_found + 1) < 0)
		return BOB_FATAL;
	l->found[l->n_found++] = f;
	return BOB_OK;
}

static int
is_left_out(const struct listing *l, uint64_t pid)
{
	return (l->flags & SCOUT_COMMANDS) == 0 && pid == (uint64_t)getpid();
}

static int
list_all(struct listing *l)
{
	struct dirent *e;
	DIR *d = opendir("/proc");
	int r = BOB_OK;

	if (d == NULL)
		return err_sys(l->ctx, BOB_FAILED, errno, "cannot list /proc");
	scout_find_own(&l->own);
	while (r == BOB_OK && !job_is_dropped(&l->job)) {
		uint64_t pid;

		errno = 0;
		e = readdir(d);
		if (e == NULL) {
			l->failed = errno != 0 ? -errno : l->failed;
			break;
		}
		pid = proc_number(e->d_name);
		if (pid > 0 && pid <= INT32_MAX && !is_left_out(l, pid))
			r = list_process(l, (int)pid);
		l->n_seen++;
	}
	(void)closedir(d);
	if (r == BOB_OK && l->failed != 0)
		r = err_sys(l->ctx, BOB_FAILED, -l->failed,
		    "cannot look at all processes of /proc");
	return r;
}

static void
list_main(void *user)
{
	struct listing *l = user;

	l->tid = (int)syscall(SYS_gettid);
	l->result = list_all(l);
	if (job_end(&l->job, JOB_DONE))
		free_listing(l);
}

static int
start_listing(struct scout *s)
{
	struct listing *l = calloc(1, sizeof(*l));
	int r;

	if (l == NULL)
		return err_nomem(s->ctx);
	l->ctx = bob_ctx_new();
	memcpy(l->silent, s->silent, sizeof(l->silent));
	l->n_silent = s->n_silent;
	l->flags = s->flags;
	r = l->ctx == NULL ? err_nomem(s->ctx) : BOB_OK;
	if (r == BOB_OK && s->pattern != NULL)
		r = pattern_new(s->ctx, "process", s->pattern, &l->pattern);
	if (r == BOB_OK) {
		r = thread_start(list_main, l, 0);
		if (r < 0)
			r = err_sys(s->ctx, BOB_FAILED, -r,
			    "no thread to list processes");
	}
	if (r < 0) {
		free_listing(l);
		return BOB_FAILED;
	}
	s->now = l;
	s->n_seen = 0;
	s->t_seen = clock_ns();
	return BOB_OK;
}

int
scout_new(struct bob_ctx *ctx, const char *pattern, uint32_t flags,
    struct scout **ret)
{
	struct scout *s = calloc(1, sizeof(*s));
	struct pattern *p = NULL;
	int r = BOB_OK;

	if (s != NULL && pattern != NULL) {
		s->pattern = strdup(pattern);
		r = pattern_new(ctx, "process", pattern, &p);
		pattern_free(p);
	}
	if (s == NULL || (pattern != NULL && s->pattern == NULL)) {
		free(s);
		(void)err_nomem(ctx);
		return BOB_FAILED;
	}
	if (r < 0) {
		scout_free(s);
		return BOB_FAILED;
	}
	s->ctx = ctx;
	s->flags = flags;
	*ret = s;
	return BOB_OK;
}

void
scout_free(struct scout *s)
{
	if (s == NULL)
		return;
	if (s->now != NULL && job_end(&s->now->job, JOB_DROPPED))
		free_listing(s->now);
	free(s->pattern);
	free(s);
}

static int
too_many_silent(struct scout *s)
{
	s->is_full = 1;
	return err_set(s->ctx, BOB_FAILED, BOB_E_LIMIT, BOB_NO_OFFSET,
	    "more than %d processes do not answer: processes cannot be listed",
	    MAX_SILENT);
}

int
scout_ask(struct scout *s)
{
	if (s->is_full)
		return too_many_silent(s);
	return s->now != NULL ? BOB_OK : start_listing(s);
}

/* Leaves a blocked thread behind, and starts the list again. Returns BOB_AGAIN
 * or FAILED. */
static int
check_stuck(struct scout *s)
{
	struct listing *l = s->now;
	uint64_t n = l->n_seen, t = clock_ns(), pid = l->pid;

	if (n != s->n_seen || pid == 0) {
		s->n_seen = n;
		s->t_seen = t;
		return BOB_AGAIN;
	}
	if (t - s->t_seen < STUCK_NS)
		return BOB_AGAIN;
	if (thread_is_runnable(l->tid)) {
		s->t_seen = t;
		return BOB_AGAIN;
	}
	if (s->n_silent < MAX_SILENT)
		s->silent[s->n_silent] = (struct silent){ pid, l->start };
	s->now = NULL;
	if (job_end(&l->job, JOB_DROPPED))
		free_listing(l);
	if (s->n_silent == MAX_SILENT)
		return too_many_silent(s);
	s->n_silent++;
	return start_listing(s) < 0 ? BOB_FAILED : BOB_AGAIN;
}

int
scout_poll(struct scout *s, found_fn *fn, void *user)
{
	struct listing *l = s->now;
	size_t i;
	int r;

	if (l == NULL)
		return BOB_EOF;
	if (!job_is_done(&l->job))
		return check_stuck(s);
	s->now = NULL;
	r = l->result;
	if (r < 0)
		err_copy(s->ctx, l->ctx);
	for (i = 0; r != BOB_FATAL && i < l->n_found; i++)
		fn(user, &l->found[i]);
	free_listing(l);
	return r < 0 ? BOB_FAILED : BOB_OK;
}
