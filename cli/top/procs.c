/*
 * The processes that top samples: those that were named, the command that was
 * started, those that match the pattern at any time, and with --subprocesses
 * their children. A watch (bobbin/watch.h) finds and attaches them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/child.h"
#include "capture/sandbox.h"
#include "print/msg.h"
#include "top.h"

/* The limits for attaching before the first table: to processes that match the
 * pattern, and to those that were named. */
#define BEGIN_US 1000000
#define NAMED_US 60000000

static struct top_proc *
top_proc_add(struct top_procs *p, uint64_t pid)
{
	size_t cap = p->cap > 0 ? 2 * p->cap : 64;
	struct top_proc **v = p->v, *to;

	if (p->n == p->cap) {
		v = realloc(v, cap * sizeof(*v));
		if (v == NULL)
			return NULL;
		p->v = v;
		p->cap = cap;
	}
	to = calloc(1, sizeof(*to));
	if (to == NULL)
		return NULL;
	to->pid = pid;
	v[p->n++] = to;
	return to;
}

static int
on_came(void *user, struct bob_proc *proc)
{
	struct top *t = user;
	const struct bob_proc_facts *f = bob_proc_facts(proc);
	struct top_proc *to = top_proc_add(&t->procs, f->pid);

	/* Without memory its rows have no command line. */
	if (to != NULL)
		(void)snprintf(to->command, sizeof(to->command), "%.*s",
		    (int)sizeof(to->command) - 1, f->command);
	bob_proc_set_user(proc, to);
	return BOB_OK;
}

/* True if the table says that the process is missing. A process without a
 * runtime is not: it only happens to match the pattern. */
static int
is_missed(const struct bob_watched *p)
{
	return p->cause == BOB_REFUSED_DESCRIPTORS ||
	    p->cause == BOB_REFUSED_PERMISSION ||
	    p->cause == BOB_REFUSED_SILENT || p->cause == BOB_REFUSED_OTHER;
}

/* A process that was named cannot be read from the start: an error. */
static void
top_tell_refused(struct top *t, const struct bob_watched *p)
{
	if (p->cause == BOB_REFUSED_RUNTIME && t->procs.takes_children)
		return; /* its children may have a runtime */
	if (t->procs.child != 0)
		child_tell_refused(t->args->operands[0], t->ctx, p);
	else
		msg_error("%s", bob_ctx_error(t->ctx)->text);
	t->procs.code = msg_exit_code(bob_ctx_error(t->ctx));
}

static void
on_refused(void *user, const struct bob_watched *p)
{
	struct top *t = user;
	struct top_procs *q = &t->procs;

	if (p->is_named && !p->was_sampled && !q->is_begun) {
		top_tell_refused(t, p);
		return;
	}
	if (!is_missed(p))
		return;
	(void)snprintf(q->refusal, sizeof(q->refusal), "%.*s%s",
	    (int)sizeof(q->refusal) - 64, bob_ctx_error(t->ctx)->text,
	    p->cause == BOB_REFUSED_SILENT ? "; the others go on without it"
	                                   : "");
	if (!t->is_screen)
		msg_warn("%s", q->refusal);
}

static void
on_limited(void *user)
{
	struct top *t = user;

	(void)snprintf(t->procs.refusal, sizeof(t->procs.refusal), "%s",
	    bob_ctx_error(t->ctx)->text);
	if (!t->is_screen)
		msg_warn("%s", t->procs.refusal);
}

static int
top_watch_new(struct top *t)
{
	struct top_procs *p = &t->procs;
	struct bob_watch_events ev = { on_came, on_refused, on_limited, t };
	struct bob_watch_opts o = { .size = sizeof(o), .sampler = t->sampler,
		.attach = &p->attach, .pattern = p->processes.pattern,
		.flags = p->takes_children ? BOB_WATCH_CHILDREN : 0,
		.events = &ev };

	p->attach.dict = t->store.dict;
	return bob_watch_new(t->ctx, &o, &p->watch) < 0 ? msg_ctx_error(t->ctx)
	                                                : EXIT_OK;
}

static int
top_start_child(struct top *t)
{
	const char *const *argv = t->args->operands;
	int sys;

	t->procs.child = child_start(argv, t->args->n_operands,
	    t->is_screen ? CHILD_SILENT : CHILD_ON_STDERR, &t->descriptors,
	    &sys);
	if (t->procs.child == 0) {
		msg_error("%s: %s", argv[0], strerror(sys));
		return EXIT_FAILED;
	}
	if (bob_watch_add(t->procs.watch, (uint64_t)t->procs.child,
	    child_patience_us(t->procs.takes_children)) < 0)
		return msg_ctx_error(t->ctx);
	return EXIT_OK;
}

static int
top_watch_named(struct top *t)
{
	return processes_watch(&t->procs.processes, t->procs.watch) < 0
	    ? msg_ctx_error(t->ctx) : EXIT_OK;
}

/* Attaches to all that are there now, before the first sample. If processes
 * were named, at least one must be readable. */
static int
top_begin(struct top *t)
{
	struct top_procs *p = &t->procs;
	int is_named = p->processes.n > 0 || p->child != 0;

	/* What is seen may be saved here. */
	sandbox_enter(t->args, t->ctx, &p->attach, t->is_screen ? "top.rbt"
	                                                        : NULL,
	    p->child != 0);
	if (bob_watch_settle(p->watch, is_named ? NAMED_US : BEGIN_US) < 0)
		return msg_ctx_error(t->ctx);
	p->is_begun = 1;
	if (!bob_watch_is_over(p->watch))
		return EXIT_OK;
	if (p->child == 0)
		msg_hint("'bobbin doctor -p PID' tells more");
	return p->code != EXIT_OK ? p->code : EXIT_FAILED;
}

int
top_procs_init(struct top *t)
{
	struct top_procs *p = &t->procs;
	int has_command = t->args->n_operands > 0;
	int code = processes_init(&p->processes, t->args, 0);

	if (code == EXIT_OK)
		code = processes_check(&p->processes, t->args, has_command);
	p->takes_children = args_has(t->args, OPT_SUBPROCESSES);
	if (code == EXIT_OK)
		code = top_watch_new(t);
	if (code == EXIT_OK)
		code = has_command ? top_start_child(t) : top_watch_named(t);
	return code == EXIT_OK ? top_begin(t) : code;
}

void
top_procs_done(struct top *t)
{
	struct top_procs *p = &t->procs;

	if (p->child != 0)
		child_end(p->child);
	processes_done(&p->processes);
	bob_watch_free(p->watch);
	while (p->n > 0)
		free(p->v[--p->n]);
	free(p->v);
}

/* --- while it runs -------------------------------------------------------- */

int
top_procs_poll(struct top *t)
{
	struct top_procs *p = &t->procs;
	struct bob_watched w;
	size_t i;
	int r;

	bob_watch_set_dict(p->watch, t->store.dict);
	r = bob_watch_poll(p->watch);
	for (i = p->n_refused = 0; bob_watch_get(p->watch, i, &w); i++)
		p->n_refused += (size_t)is_missed(&w);
	return r < 0 ? r : BOB_OK;
}

int
top_procs_are_over(const struct top *t)
{
	return bob_watch_is_over(t->procs.watch);
}

/* Where processes come and go, forgets the command line. */
void
top_procs_gone(struct top *t, const struct bob_proc *proc)
{
	struct top_procs *p = &t->procs;
	size_t i;

	if (p->processes.pattern == NULL && !p->takes_children)
		return;
	for (i = 0; i < p->n; i++) {
		if (p->v[i] != bob_proc_user(proc))
			continue;
		free(p->v[i]);
		p->v[i] = p->v[--p->n];
	}
}

const char *
top_procs_command(void *user, uint64_t pid)
{
	const struct top *t = user;
	size_t i = t->procs.n;

	while (i-- > 0)
		if (t->procs.v[i]->pid == pid)
			return t->procs.v[i]->command;
	return "(ended)";
}

const char *
top_subject(const struct top *t, char *buf, size_t n)
{
	size_t n_procs = t->stats.n_procs;
	char refused[64] = "";

	if (t->procs.n_refused > 0)
		(void)snprintf(refused, sizeof(refused), " (%zu refused)",
		    t->procs.n_refused);
	if (t->procs.n == 1 && n_procs == 1)
		(void)snprintf(buf, n, "%llu %s%s",
		    (unsigned long long)t->procs.v[0]->pid,
		    t->procs.v[0]->command, refused);
	else
		(void)snprintf(buf, n, "%zu process%s%s", n_procs,
		    n_procs == 1 ? "" : "es", refused);
	return buf;
}
