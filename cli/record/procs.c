/*
 * The processes that are recorded: those that were named, found or started;
 * with --subprocesses also what they start.
 *
 * A process that becomes another program is looked at again, and so is a child
 * that cannot be read yet: it may have been forked a moment ago. What is no
 * runtime after some looks is left alone until it has another name; its
 * children are looked at all the same. The list of processes is read ten times
 * a second, when there is something to look for.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "live/attach.h"
#include "live/child.h"
#include "live/sandbox.h"
#include "msg.h"
#include "plain.h"
#include "record.h"
#include "script.h"

#define MAX_FAMILY 4096
/* Looks at a child, and at a program that another has become. */
#define CHILD_TRIES 20
#define RENEWED_TRIES 3
/* Of many processes not all are worth a line. */
#define MAX_TOLD 8

struct member {
	uint64_t pid;
	uint64_t start;   /* 0: not known yet */
	unsigned tries;   /* to attach, that are left */
	int is_attached;
	int is_seen;      /* in the list of processes */
	int is_root;      /* was named or started, and was no runtime */
	struct bob_attaching *attaching; /* NULL: nobody tries */
	char name[16];    /* of the program, as the kernel has it */
};

struct family {
	struct member *v;
	size_t n, cap;
	int is_full;
	int takes_children;
};

static struct member *
find(const struct family *f, uint64_t pid)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].pid == pid)
			return &f->v[i];
	return NULL;
}

/* A new member; NULL when there is no room. */
static struct member *
add(struct family *f, uint64_t pid)
{
	struct member *v;

	if (f->n == f->cap) {
		v = f->n < MAX_FAMILY
		    ? realloc(f->v, (2 * f->cap + 16) * sizeof(*v)) : NULL;
		if (v == NULL) {
			if (!f->is_full)
				msg_warn("there are more than %zu processes; "
				    "the others are left out", f->n);
			f->is_full = 1;
			return NULL;
		}
		f->v = v;
		f->cap = 2 * f->cap + 16;
	}
	v = &f->v[f->n++];
	*v = (struct member){ .pid = pid, .is_seen = 1 };
	return v;
}

/* --- attaching ------------------------------------------------------------ */

/* Adds an attached process to the sampler, and says what it is. */
static int
take(struct record *r, struct bob_proc *p)
{
	const struct bob_proc_facts *f = bob_proc_facts(p);
	struct member *m = find(r->family, f->pid);

	if (m == NULL)
		m = add(r->family, f->pid);
	if (r->n_added++ < MAX_TOLD)
		msg_note("process %llu: %s %s%s%s", (unsigned long long)f->pid,
		    f->runtime, f->version, *f->flavour != '\0' ? " " : "",
		    f->flavour);
	if (m == NULL || bob_sampler_add(r->sampler, p) < 0) {
		bob_detach(p);
		if (m == NULL)
			return EXIT_OK; /* as was said */
		return record_failed(r);
	}
	m->is_attached = 1;
	return record_use(r, p) < 0 ? record_failed(r) : EXIT_OK;
}

static enum operands
operands_of(const struct args *args)
{
	return args->spelling != NULL ? args->spelling->operands
	                              : OPERANDS_OWN;
}

/* What a script is started with: what its first line says, else what its name
 * does. How many words. */
static size_t
put_interpreter(const char *script, struct shebang *b, const char **argv)
{
	if (!shebang_read(script, b)) {
		argv[0] = script_is_php(script) ? "php" : "python3";
		return 1;
	}
	argv[0] = b->interpreter;
	argv[1] = b->arg;
	return b->arg != NULL ? 2 : 1;
}

/* What is started: the operands, behind an interpreter when they are a script
 * of it, whose name is kept in *shebang. The caller frees it; NULL: out of
 * memory. */
static const char **
command_of(const struct args *args, struct shebang *shebang, size_t *ret_n)
{
	const char **argv = calloc(args->n_operands + 2, sizeof(*argv));
	size_t n = 0;

	if (argv == NULL)
		return NULL;
	if (operands_of(args) == OPERANDS_SCRIPT)
		n = put_interpreter(args->operands[0], shebang, argv);
	memcpy(argv + n, args->operands,
	    args->n_operands * sizeof(*args->operands));
	*ret_n = n + args->n_operands;
	return argv;
}

/* One that is no runtime: what it starts may be. */
static int
await(struct family *f, uint64_t pid)
{
	struct member *m = add(f, pid);

	if (m == NULL) {
		msg_error("out of memory");
		return EXIT_FAILED;
	}
	m->tries = CHILD_TRIES;
	m->is_root = 1;
	return EXIT_OK;
}

static int
has_roots(const struct family *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].is_root && f->v[i].is_seen)
			return 1;
	return 0;
}

static void
confine(struct record *r)
{
	sandbox_enter(r->args, r->ctx, &r->attach, conv_is_stdout(&r->target)
	        ? NULL : r->target.path, r->child != 0);
}

static int
launch(struct record *r)
{
	struct shebang shebang;
	struct bob_proc *p;
	size_t n;
	const char **argv = command_of(r->args, &shebang, &n);
	int sys = ENOMEM, code = EXIT_FAILED;

	/* What it prints must not get into the trace. */
	if (argv != NULL)
		r->child = child_start(argv, n, r->target.path != NULL &&
		    strcmp(r->target.path, "-") == 0 ? CHILD_ON_STDERR
		                                     : CHILD_AS_IS, &sys);
	if (r->child == 0)
		msg_error("%s: %s", argv != NULL ? argv[0] :
		    r->args->operands[0], strerror(sys));
	else
		confine(r);
	if (r->child != 0)
		code = child_attach(r->ctx, &(struct child){ .pid = r->child,
		    .name = r->args->operands[0], .signal = r->signal,
		    .is_parent = r->family->takes_children }, &r->attach, &p);
	free(argv);
	if (code != EXIT_OK)
		return code;
	return p != NULL ? take(r, p) : await(r->family, (uint64_t)r->child);
}

/* A process that was only found by its name need not be one of ours. */
static int
is_passed_over(const struct record *r, const struct target *t)
{
	const struct bob_error *e = bob_ctx_error(r->ctx);

	return !t->is_named && (e->code == BOB_E_FORMAT ||
	    (e->code == BOB_E_IO && e->sys == ESRCH));
}

/* One that cannot be read does not hurt the others. */
static int
attach_targets(struct record *r)
{
	size_t n_refused = 0, i;
	struct bob_proc *p;
	int code = EXIT_OK, failure = EXIT_FAILED;

	for (i = 0; code == EXIT_OK && i < r->targets.n; i++) {
		const struct target *t = &r->targets.v[i];

		if (attach_target(r->ctx, t, &r->attach, &p) == BOB_OK) {
			code = take(r, p);
		} else if (t->is_named && r->family->takes_children &&
		    bob_ctx_error(r->ctx)->code == BOB_E_FORMAT) {
			code = await(r->family, t->pid);
		} else if (!is_passed_over(r, t) &&
		    (t->is_named || n_refused++ < MAX_TOLD)) {
			failure = record_failed(r);
		}
	}
	if (n_refused > MAX_TOLD)
		msg_error("%zu more processes may not be read",
		    n_refused - MAX_TOLD);
	if (code != EXIT_OK || bob_sampler_get(r->sampler, 0) != NULL ||
	    has_roots(r->family))
		return code;
	if (failure == EXIT_USAGE)
		return failure; /* the same for all, and said */
	if (r->targets.pattern != NULL && n_refused == 0)
		msg_error("no process that can be read matches '%s'",
		    r->targets.pattern);
	msg_hint("'bobbin doctor' lists processes that can be read, and tells "
	    "why others cannot");
	return failure;
}

static int
is_launch(const struct args *args)
{
	return args->n_operands > 0 && operands_of(args) != OPERANDS_PIDS;
}

static int
check_usage(const struct record *r)
{
	int is_named = r->targets.n > 0 || r->targets.pattern != NULL;
	int is_started = is_launch(r->args);

	if (is_named != is_started)
		return EXIT_OK;
	(void)msg_usage("record: %s", is_named
	        ? "processes or a command, not both" : "of which process?");
	msg_hint("-p PID or -P PATTERN samples what runs, -- COMMAND... "
	    "starts one");
	return EXIT_USAGE;
}

int
record_attach(struct record *r)
{
	int code = targets_init(&r->targets, r->args,
	    operands_of(r->args) == OPERANDS_PIDS);

	if (code == EXIT_OK)
		code = check_usage(r);
	r->family = code == EXIT_OK ? calloc(1, sizeof(*r->family)) : NULL;
	if (code == EXIT_OK && r->family == NULL) {
		msg_error("out of memory");
		code = EXIT_FAILED;
	}
	if (code != EXIT_OK)
		return code;
	r->family->takes_children = args_has(r->args, OPT_SUBPROCESSES);
	r->names_pids = r->targets.n > 1 || r->targets.pattern != NULL ||
	    r->family->takes_children;
	if (is_launch(r->args))
		return launch(r);
	confine(r);
	code = targets_find(&r->targets, r->ctx);
	if (code == EXIT_OK)
		code = attach_targets(r);
	if (r->n_added > MAX_TOLD)
		msg_note("%zu processes in all", r->n_added);
	return code;
}

void
record_wait(struct record *r)
{
	int status;

	if (r->child == 0)
		return;
	if (r->duration_us > 0 && r->t_us >= r->duration_us &&
	    !child_has_ended(r->child))
		msg_note("%s goes on, and we wait for it; ^C ends it",
		    r->args->operands[0]);
	status = child_wait(r->child, r->signal);
	if (status >= 0 && WIFSIGNALED(status))
		msg_note("%s ended by signal %d", r->args->operands[0],
		    WTERMSIG(status));
	else if (status >= 0 && WEXITSTATUS(status) != 0)
		msg_note("%s ended with status %d", r->args->operands[0],
		    WEXITSTATUS(status));
}

/* --- while it runs -------------------------------------------------------- */

static int
on_process(void *user, const struct bob_proc_info *info)
{
	struct family *f = user;
	struct member *m = find(f, info->pid);

	if (m == NULL && f->takes_children && find(f, info->ppid) != NULL) {
		m = add(f, info->pid);
		if (m != NULL)
			m->tries = CHILD_TRIES;
	}
	if (m == NULL)
		return 0;
	if (m->start == 0)
		m->start = info->start;
	/* Else the number is somebody else's now. */
	m->is_seen = m->start == info->start;
	if (f->takes_children && strncmp(m->name, info->name,
	        sizeof(m->name) - 1) != 0) {
		(void)snprintf(m->name, sizeof(m->name), "%s", info->name);
		if (!m->is_attached)
			m->tries = CHILD_TRIES;
	}
	return 0;
}

static void
drop_ended(struct family *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		if (f->v[i].is_seen || f->v[i].is_attached)
			f->v[n++] = f->v[i];
		else
			bob_attach_drop(f->v[i].attaching);
	f->n = n;
}

/* EXIT_OK also when it could not be attached. */
static int
try(struct record *r, struct member *m)
{
	struct bob_proc *p;
	int s;

	if (m->attaching == NULL) {
		m->tries--;
		if (bob_attach_begin(r->ctx, m->pid, &r->attach,
		        &m->attaching) < 0)
			m->tries = 0;
		return EXIT_OK;
	}
	s = bob_attach_poll(r->ctx, m->attaching, r->attach.dict, &p);
	if (s == BOB_AGAIN)
		return EXIT_OK;
	m->attaching = NULL;
	if (s == BOB_OK)
		return take(r, p);
	if (bob_ctx_error(r->ctx)->code != BOB_E_FORMAT)
		m->tries = 0;
	return EXIT_OK;
}

/* One that takes longer than this is not waited for at the end. */
#define LATE_US 1000000

static int
is_tried(const struct member *m)
{
	return m->attaching != NULL
	    ? bob_attach_age(m->attaching) < LATE_US : m->tries > 0;
}

static int
is_waiting(const struct family *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (!f->v[i].is_attached && is_tried(&f->v[i]))
			return 1;
	return 0;
}

int
record_look(struct record *r)
{
	struct family *f = r->family;
	int code = EXIT_OK;
	size_t i;

	if (!f->takes_children && !is_waiting(f))
		return EXIT_OK;
	for (i = 0; i < f->n; i++)
		f->v[i].is_seen = 0;
	if (bob_proc_list(r->ctx, on_process, f) < 0) {
		/* Who was not seen need not have ended. */
		for (i = 0; i < f->n; i++)
			f->v[i].is_seen = 1;
		return EXIT_OK;
	}
	drop_ended(f);
	for (i = 0; code == EXIT_OK && i < f->n; i++)
		if (!f->v[i].is_attached && (f->v[i].attaching != NULL ||
		    f->v[i].tries > 0))
			code = try(r, &f->v[i]);
	return code;
}

int
record_is_over(const struct record *r)
{
	if (bob_sampler_get(r->sampler, 0) != NULL || is_waiting(r->family))
		return 0;
	return !r->family->takes_children || (r->child != 0
	        ? child_has_ended(r->child) : !has_roots(r->family));
}

void
record_gone(struct record *r, const struct bob_proc *p)
{
	uint64_t pid = bob_proc_facts(p)->pid;
	struct member *m = find(r->family, pid);
	char at[PLAIN_NUMBER];

	if (bob_proc_is_silent(p)) {
		msg_warn("process %llu: its memory or its files do not answer; "
		    "not sampled after %s%s", (unsigned long long)pid,
		    plain_time(at, r->t_us), r->names_pids
		        ? ", and the others go on without it" : "");
		r->is_given_up = 1;
		if (m != NULL)
			m->is_attached = 0;
		return;
	}
	if (m != NULL) {
		m->is_attached = 0;
		m->tries = r->family->takes_children ? CHILD_TRIES
		                                     : RENEWED_TRIES;
	}
	if (r->names_pids && r->n_added <= MAX_TOLD)
		msg_note("process %llu has ended", (unsigned long long)pid);
}

void
record_free_procs(struct record *r)
{
	size_t i;

	targets_done(&r->targets);
	for (i = 0; r->family != NULL && i < r->family->n; i++)
		bob_attach_drop(r->family->v[i].attaching);
	if (r->family != NULL)
		free(r->family->v);
	free(r->family);
}
