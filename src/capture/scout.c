/*
 * The list of processes, made in a thread of its own.
 *
 * A command line is memory of its process, and reading it may take as long as
 * that process likes. A thread that stays at one process is left behind, and
 * another one makes the list without it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/proc/proc.h"
#include "capture/thread.h"
#include "core/clock.h"
#include "core/mem.h"
#include "core/pattern.h"

/* A list of thousands takes a tenth of a second; one process, microseconds. */
#define STUCK_NS ((uint64_t)200 * 1000 * 1000)

/* Processes that do not answer. Each has cost a thread that waits for it. */
#define MAX_SILENT 256

struct silent {
	uint64_t pid, start;
};

struct entry {
	struct bob_proc_info info;
	size_t name, command; /* where they are in the text */
};

/* A list that is made; the thread's until it is done. */
struct listing {
	struct job job;
	_Atomic uint64_t pid, start; /* that it is at */
	_Atomic uint64_t n_seen;
	struct bob_ctx *ctx;
	struct pattern *pattern; /* NULL: all */
	struct silent silent[MAX_SILENT];
	size_t n_silent;
	struct entry *entry;
	size_t n_entry, cap_entry;
	char *text;
	size_t n_text, cap_text;
	int failed; /* -errno: some could not be looked at */
	int result;
};

struct bob_scout {
	struct bob_ctx *ctx;
	char *pattern;
	struct listing *now;     /* NULL: none is made */
	uint64_t n_seen, t_seen; /* of it, when it was looked at last */
	struct silent silent[MAX_SILENT];
	size_t n_silent;
};

static void
free_listing(struct listing *l)
{
	pattern_free(l->pattern);
	bob_ctx_free(l->ctx);
	free(l->entry);
	free(l->text);
	free(l);
}

/* Where a copy of a text is. SIZE_MAX without memory. */
static size_t
put_text(struct listing *l, const char *s)
{
	size_t n = strlen(s) + 1, at = l->n_text;

	if (MEM_GROW(l->ctx, l, text, l->n_text + n) < 0)
		return SIZE_MAX;
	memcpy(l->text + at, s, n);
	l->n_text += n;
	return at;
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

/* Whether a process is one of those that were asked for; FATAL. */
static int
is_wanted(struct listing *l, const char *command)
{
	if (l->pattern == NULL)
		return 1;
	return *command == '\0' ? 0
	    : pattern_match(l->pattern, command, strlen(command));
}

/* One that has ended meanwhile, or that we may not look at, is not there; any
 * other error is told when the list is done. */
static int
note(struct listing *l, int r)
{
	if (!proc_is_end(r) && r != -EACCES && r != -EPERM)
		l->failed = r;
	return BOB_OK;
}

static int
look(struct listing *l, int pid)
{
	char command[PROC_MAX_COMMAND] = "";
	struct proc_stat st;
	struct entry e;
	int r = proc_stat(pid, 0, &st);

	memset(&e, 0, sizeof(e));
	if (r == 0)
		r = proc_uid(pid, &e.info.uid);
	if (r < 0)
		return note(l, r);
	e.info.is_silent = is_silent(l, (uint64_t)pid, st.start);
	l->start = st.start;
	l->pid = (uint64_t)pid;
	if (!e.info.is_silent)
		r = proc_command(pid, command, sizeof(command));
	l->pid = 0;
	if (r < 0)
		return note(l, r);
	r = e.info.is_silent ? 1 : is_wanted(l, command);
	if (r <= 0)
		return r;
	e.info.pid = (uint64_t)pid;
	e.info.ppid = st.ppid;
	e.info.start = st.start;
	e.name = put_text(l, st.name);
	e.command = put_text(l, command);
	if (e.name == SIZE_MAX || e.command == SIZE_MAX ||
	    MEM_GROW(l->ctx, l, entry, l->n_entry + 1) < 0)
		return BOB_FATAL;
	l->entry[l->n_entry++] = e;
	return BOB_OK;
}

static int
list(struct listing *l)
{
	struct dirent *e;
	DIR *d = opendir("/proc");
	int r = BOB_OK;

	if (d == NULL)
		return err_sys(l->ctx, BOB_FAILED, errno, "cannot list /proc");
	while (r == BOB_OK && !job_is_dropped(&l->job)) {
		uint64_t pid;

		errno = 0;
		e = readdir(d);
		if (e == NULL) {
			l->failed = errno != 0 ? -errno : l->failed;
			break;
		}
		pid = proc_number(e->d_name);
		if (pid > 0 && pid <= INT32_MAX && (l->pattern == NULL ||
		    pid != (uint64_t)getpid()))
			r = look(l, (int)pid);
		l->n_seen++;
	}
	(void)closedir(d);
	if (r == BOB_OK && l->failed != 0)
		r = err_sys(l->ctx, BOB_FAILED, -l->failed,
		    "cannot look at all processes of /proc");
	return r;
}

static void
work(void *user)
{
	struct listing *l = user;

	l->result = list(l);
	if (job_end(&l->job, JOB_DONE))
		free_listing(l);
}

static int
start(struct bob_scout *s)
{
	struct listing *l = calloc(1, sizeof(*l));
	int r;

	if (l == NULL)
		return err_nomem(s->ctx);
	l->ctx = bob_ctx_new();
	memcpy(l->silent, s->silent, sizeof(l->silent));
	l->n_silent = s->n_silent;
	r = l->ctx == NULL ? err_nomem(s->ctx) : BOB_OK;
	if (r == BOB_OK && s->pattern != NULL)
		r = pattern_new(s->ctx, "process", s->pattern, &l->pattern);
	if (r == BOB_OK) {
		r = thread_start(work, l, 0);
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
bob_scout_new(struct bob_ctx *ctx, const char *pattern, struct bob_scout **ret)
{
	struct bob_scout *s = calloc(1, sizeof(*s));
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
		bob_scout_free(s);
		return BOB_FAILED;
	}
	s->ctx = ctx;
	*ret = s;
	return BOB_OK;
}

void
bob_scout_free(struct bob_scout *s)
{
	if (s == NULL)
		return;
	if (s->now != NULL && job_end(&s->now->job, JOB_DROPPED))
		free_listing(s->now);
	free(s->pattern);
	free(s);
}

int
bob_scout_ask(struct bob_scout *s)
{
	return s->now != NULL ? BOB_OK : start(s);
}

/* A thread that stays where it is is left there, with what it looks at. */
static int
check_stuck(struct bob_scout *s)
{
	struct listing *l = s->now;
	uint64_t n = l->n_seen, t = clock_ns(), pid = l->pid;

	if (n != s->n_seen || pid == 0) {
		s->n_seen = n;
		s->t_seen = t;
		return BOB_AGAIN;
	}
	if (t - s->t_seen < STUCK_NS || s->n_silent == MAX_SILENT)
		return BOB_AGAIN;
	s->silent[s->n_silent++] = (struct silent){ pid, l->start };
	s->now = NULL;
	if (job_end(&l->job, JOB_DROPPED))
		free_listing(l);
	return start(s) < 0 ? BOB_FAILED : BOB_AGAIN;
}

int
bob_scout_poll(struct bob_scout *s, bob_proc_fn *fn, void *user)
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
	for (i = 0; r != BOB_FATAL && i < l->n_entry; i++) {
		struct entry *e = &l->entry[i];

		e->info.name = l->text + e->name;
		e->info.command = l->text + e->command;
		if (fn(user, &e->info) != 0)
			break;
	}
	free_listing(l);
	return r < 0 ? BOB_FAILED : BOB_OK;
}
