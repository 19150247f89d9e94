/*
 * The processes that top samples: those that were named, the command that was
 * started, those that match a pattern, which come and go, and with
 * --subprocesses what all of them start.
 *
 * One that has no runtime yet may get one (it was only just started), so it
 * is tried again some times. One that may not be read is said once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/attach.h"
#include "live/child.h"
#include "live/sandbox.h"
#include "msg.h"
#include "top.h"

/* How often something that is no interpreter is looked at: once a second, or
 * five times as often when it may be a child that has just been forked. */
#define MAX_TRIES 5
#define CHILD_TRIES 20

/* What attaching to a new one may take from the samples of the others; one that
 * takes longer is refused. */
#define NEW_US 2000000

static struct top_proc *
find(struct top_procs *p, uint64_t pid, uint64_t start)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].pid == pid && (start == 0 ||
		    p->v[i].start == start))
			return &p->v[i];
	return NULL;
}

static struct top_proc *
add(struct top_procs *p, uint64_t pid, uint64_t start)
{
	size_t cap = p->cap > 0 ? 2 * p->cap : 64;
	struct top_proc *v;

	if (p->n == p->cap) {
		v = realloc(p->v, cap * sizeof(*v));
		if (v == NULL)
			return NULL;
		p->v = v;
		p->cap = cap;
	}
	v = &p->v[p->n++];
	memset(v, 0, sizeof(*v));
	v->pid = pid;
	v->start = start;
	return v;
}

/* Begins to sample what was attached. BOB_OK or FATAL. */
static int
take(struct top *t, struct top_proc *to, struct bob_proc *proc)
{
	int r;

	(void)snprintf(to->command, sizeof(to->command), "%.*s",
	    (int)sizeof(to->command) - 1, bob_proc_facts(proc)->command);
	to->is_attached = 1;
	r = bob_sampler_add(t->sampler, proc);
	if (r < 0)
		bob_detach(proc);
	return r;
}

/* BOB_OK, FAILED (the context says why) or FATAL. */
static int
attach(struct top *t, struct top_proc *to, int is_named)
{
	const struct target g = { to->pid, is_named };
	struct bob_proc *proc;
	int r;

	t->procs.attach.dict = t->store.dict;
	to->n_tries++;
	r = is_named ? attach_target(t->ctx, &g, &t->procs.attach, &proc)
	    : attach_in_time(t->ctx, to->pid, &t->procs.attach, NEW_US, &proc);
	return r < 0 ? r : take(t, to, proc);
}

static int
failed(const struct top *t)
{
	msg_error("%s", bob_ctx_error(t->ctx)->text);
	return msg_exit_code(bob_ctx_error(t->ctx));
}

/* Those that -p names: one at least must be readable. */
static int
attach_named(struct top *t)
{
	const struct targets *g = &t->procs.targets;
	size_t n_attached = 0, i;
	struct top_proc *to;
	int code = EXIT_OK, r;

	for (i = 0; i < g->n; i++) {
		to = add(&t->procs, g->v[i].pid, 0);
		if (to == NULL) {
			msg_error("out of memory");
			return EXIT_FAILED;
		}
		r = attach(t, to, 1);
		/* What it starts may be a runtime. */
		to->is_root = r == BOB_FAILED && t->procs.takes_children &&
		    bob_ctx_error(t->ctx)->code == BOB_E_FORMAT;
		n_attached += r == BOB_OK || to->is_root;
		if (r < 0 && !to->is_root)
			code = failed(t);
	}
	if (n_attached > 0 || g->n == 0)
		return EXIT_OK;
	msg_hint("'bobbin doctor -p PID' tells more");
	return code;
}

static int
attach_child(struct top *t)
{
	const char *const *argv = t->args->operands;
	struct bob_proc *proc;
	struct top_proc *to;
	struct child child;
	int sys, code;

	t->procs.child = child_start(argv, t->args->n_operands,
	    t->is_screen ? CHILD_SILENT : CHILD_ON_STDERR, &sys);
	if (t->procs.child == 0) {
		msg_error("%s: %s", argv[0], strerror(sys));
		return EXIT_FAILED;
	}
	sandbox_enter(t->args, t->ctx, &t->procs.attach, NULL, 1);
	to = add(&t->procs, (uint64_t)t->procs.child, 0);
	if (to == NULL) {
		msg_error("out of memory");
		return EXIT_FAILED;
	}
	t->procs.attach.dict = t->store.dict;
	child = (struct child){ .pid = t->procs.child, .name = argv[0],
		.is_parent = t->procs.takes_children };
	code = child_attach(t->ctx, &child, &t->procs.attach, &proc);
	if (code != EXIT_OK)
		return code;
	to->is_root = proc == NULL;
	if (to->is_root)
		return EXIT_OK;
	return take(t, to, proc) < 0 ? failed(t) : EXIT_OK;
}

int
top_procs_init(struct top *t)
{
	struct top_procs *p = &t->procs;
	int code = targets_init(&p->targets, t->args, 0);
	int is_named = p->targets.n > 0 || p->targets.pattern != NULL;

	if (code != EXIT_OK)
		return code;
	p->takes_children = args_has(t->args, OPT_SUBPROCESSES);
	if (is_named == (t->args->n_operands > 0)) {
		(void)msg_usage("top: %s", is_named ? "processes or a "
		    "command, not both" : "of which process?");
		msg_hint("-p PID, -P PATTERN of its command line, or -- "
		    "COMMAND...");
		return EXIT_USAGE;
	}
	if (t->args->n_operands > 0)
		return attach_child(t);
	sandbox_enter(t->args, t->ctx, &p->attach, NULL, 0);
	code = attach_named(t);
	if (code == EXIT_OK && p->targets.pattern != NULL &&
	    top_procs_scan(t) < 0)
		code = failed(t);
	return code;
}

void
top_procs_done(struct top *t)
{
	if (t->procs.child != 0)
		child_end(t->procs.child);
	targets_done(&t->procs.targets);
	free(t->procs.v);
}

/* --- those that match, and children --------------------------------------- */

/* Whether another look may find an interpreter in it. */
static int
is_awaited(const struct top_procs *p, const struct top_proc *to)
{
	return !to->is_attached && !to->is_refused &&
	    to->n_tries < (p->takes_children ? CHILD_TRIES : MAX_TRIES);
}

static void
refuse(struct top *t, struct top_proc *to)
{
	struct top_procs *p = &t->procs;

	to->is_refused = 1;
	p->n_refused++;
	(void)snprintf(p->refusal, sizeof(p->refusal), "%s",
	    bob_ctx_error(t->ctx)->text);
	if (!t->is_screen)
		msg_warn("%s", p->refusal);
}

static int
on_process(void *user, const struct bob_proc_info *info)
{
	struct top *t = user;
	struct top_proc *to = find(&t->procs, info->pid, info->start);
	const struct bob_error *e;
	int r;

	if (to == NULL)
		to = find(&t->procs, info->pid, 0);
	if (to != NULL && to->start == 0)
		to->start = info->start; /* it was named by its number */
	if (to != NULL && to->start != info->start)
		to = NULL;
	if (to == NULL)
		to = add(&t->procs, info->pid, info->start);
	if (to == NULL)
		return BOB_FATAL;
	to->is_seen = 1;
	if (!is_awaited(&t->procs, to))
		return 0;
	r = attach(t, to, 0);
	e = bob_ctx_error(t->ctx);
	if (r == BOB_FAILED && e->code != BOB_E_FORMAT &&
	    e->code != BOB_E_NOMEM && !(e->code == BOB_E_IO && e->sys == ESRCH))
		refuse(t, to);
	return r == BOB_FATAL ? r : 0;
}

/* Of all processes: those that are known, and what they have started. */
static int
on_any_process(void *user, const struct bob_proc_info *info)
{
	struct top *t = user;

	if (find(&t->procs, info->pid, 0) == NULL &&
	    find(&t->procs, info->ppid, 0) == NULL)
		return 0;
	return on_process(user, info);
}

/* Forgets those that are not there any more. */
static void
forget(struct top_procs *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->n; i++) {
		if (!p->v[i].is_seen && !p->v[i].is_attached) {
			p->n_refused -= p->v[i].is_refused;
			continue;
		}
		p->v[n++] = p->v[i];
	}
	p->n = n;
}

int
top_procs_scan(struct top *t)
{
	struct top_procs *p = &t->procs;
	size_t i;
	int r;

	for (i = 0; i < p->n; i++)
		p->v[i].is_seen = 0;
	r = p->targets.pattern != NULL
	    ? bob_proc_find(t->ctx, p->targets.pattern, on_process, t) : BOB_OK;
	if (r == BOB_OK && p->takes_children)
		r = bob_proc_list(t->ctx, on_any_process, t);
	if (r == BOB_OK)
		forget(p);
	return r;
}

int
top_procs_are_over(const struct top *t)
{
	const struct top_procs *p = &t->procs;
	size_t i;

	if (p->targets.pattern != NULL ||
	    bob_sampler_get(t->sampler, 0) != NULL)
		return 0;
	for (i = 0; i < p->n; i++)
		if (is_awaited(p, &p->v[i]) || (p->v[i].is_root &&
		    (p->child == 0 || !child_has_ended(p->child))))
			return 0;
	return 1;
}

void
top_procs_gone(struct top *t, const struct bob_proc *proc)
{
	struct top_proc *p = find(&t->procs, bob_proc_facts(proc)->pid, 0);

	if (p != NULL && bob_proc_is_silent(proc)) {
		p->is_attached = 0;
		p->is_refused = 1;
		t->procs.n_refused++;
		(void)snprintf(t->procs.refusal, sizeof(t->procs.refusal),
		    "process %llu: its memory or its files do not answer; the "
		    "others go on without it", (unsigned long long)p->pid);
		if (!t->is_screen)
			msg_warn("%s", t->procs.refusal);
		return;
	}
	/* It may come back as another program. */
	if (p != NULL && (t->procs.targets.pattern != NULL ||
	    t->procs.takes_children))
		p->is_attached = 0;
}

const char *
top_procs_command(void *user, uint64_t pid)
{
	const struct top *t = user;
	size_t i;

	for (i = 0; i < t->procs.n; i++)
		if (t->procs.v[i].pid == pid)
			return t->procs.v[i].command;
	return "(ended)";
}
