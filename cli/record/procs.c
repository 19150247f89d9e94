/*
 * The processes that are recorded: those that were named, matched or started,
 * and with --subprocesses their children. A watch (bobbin/watch.h) attaches to
 * them, also again after an exec(2); this file decides what is said about it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "capture/child.h"
#include "capture/sandbox.h"
#include "print/plain.h"
#include "print/msg.h"
#include "record.h"
#include "script.h"
#include "system/signals.h"

/* Processes that get a line each; more are only counted. */
#define MAX_TOLD 8

/* The limit for attaching before the first sample. A single process has a
 * shorter one in the library. */
#define BEGIN_US 60000000

/* The same after a signal that stops. */
#define SOON_MS 500

/* --- what a watch tells --------------------------------------------------- */

static int
on_came(void *user, struct bob_proc *p)
{
	struct record *r = user;

	/* Those of the start are told together. */
	if (r->n_added++ < MAX_TOLD && r->is_begun)
		record_show_process(p);
	return bob_recorder_add(r->recorder, p);
}

/* Before the first sample it is an error, but others may still be recorded. A
 * process that only matches the pattern may well have no runtime. */
static void
record_tell_refused(struct record *r, const struct bob_watched *p)
{
	if (p->cause == BOB_REFUSED_RUNTIME &&
	    (!p->is_named || r->takes_children || r->is_wrapped))
		return; /* its children may have a runtime */
	if (r->is_wrapped && p->cause == BOB_REFUSED_PERMISSION) {
		/* Another one that it starts may be readable. */
		(void)snprintf(r->refusal, sizeof(r->refusal), "%s",
		    bob_ctx_error(r->ctx)->text);
		return;
	}
	if (!p->is_named && r->n_refused++ >= MAX_TOLD)
		return;
	r->has_no_runtime |= p->cause == BOB_REFUSED_RUNTIME;
	if (r->child == 0)
		r->failure = record_failed(r);
	else if (p->is_named && !r->is_wrapped)
		child_tell_refused(r->args->operands[0], r->ctx, p);
}

static void
record_tell_silent(struct record *r, const struct bob_watched *p)
{
	char at[NUMBER_TEXT];

	msg_warn("%s; not sampled after %s%s", bob_ctx_error(r->ctx)->text,
	    number_time(at, p->was_sampled ? r->t_us : 0), r->names_pids
	        ? ", and the others go on without it" : "");
	r->is_given_up = 1;
}

static void
on_refused(void *user, const struct bob_watched *p)
{
	struct record *r = user;

	if (!r->is_begun)
		record_tell_refused(r, p);
	else if (p->cause == BOB_REFUSED_SILENT)
		record_tell_silent(r, p);
	else if (p->cause != BOB_REFUSED_RUNTIME &&
	    p->cause != BOB_REFUSED_ENDED && r->n_refused++ < MAX_TOLD)
		msg_warn("%s", bob_ctx_error(r->ctx)->text);
}

static void
on_limited(void *user)
{
	const struct record *r = user;

	msg_warn("%s", bob_ctx_error(r->ctx)->text);
}

static int
record_watch_new(struct record *r)
{
	struct bob_watch_events ev = { on_came, on_refused, on_limited, r };
	struct bob_watch_opts o = { .size = sizeof(o), .sampler = r->sampler,
		.attach = &r->attach, .pattern = r->processes.pattern,
		.flags = BOB_WATCH_ONCE, .events = &ev };

	r->attach.dict = bob_recorder_dict(r->recorder);
	if (r->takes_children)
		o.flags |= BOB_WATCH_CHILDREN;
	else if (r->is_wrapped)
		o.flags |= BOB_WATCH_WRAPPED;
	return bob_watch_new(r->ctx, &o, &r->watch) < 0 ? record_failed(r)
	                                                : EXIT_OK;
}

/* --- attaching ------------------------------------------------------------ */

static enum operands
operands_of(const struct args *args)
{
	return args->spelling != NULL ? args->spelling->operands
	                              : OPERANDS_OWN;
}

/* Puts the interpreter of a script into argv: that of its #! line, else PHP or
 * Python by its name. Returns the number of words. */
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

/* Returns the command to start: the operands, with an interpreter before them
 * if they are a script. *shebang holds its words. The caller frees it; NULL:
 * out of memory. */
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

static void
record_confine(struct record *r)
{
	sandbox_enter(r->args, r->ctx, &r->attach, output_is_stdout(&r->output)
	        ? NULL : r->output.path, r->child != 0);
}

static int
record_launch(struct record *r)
{
	struct shebang shebang;
	size_t n;
	const char **argv = command_of(r->args, &shebang, &n);
	int sys = ENOMEM;

	/* What it prints must not get into the trace. */
	if (argv != NULL)
		r->child = child_start(argv, n, r->output.path != NULL &&
		    strcmp(r->output.path, "-") == 0 ? CHILD_ON_STDERR
		                                     : CHILD_AS_IS,
		    &r->descriptors, &sys);
	if (r->child == 0)
		msg_error("%s: %s", argv != NULL ? argv[0] :
		    r->args->operands[0], strerror(sys));
	free(argv);
	if (r->child == 0) {
		/* As env(1) and shells do. */
		r->status = sys == ENOENT ? 127 : 126;
		return EXIT_FAILED;
	}
	if (bob_watch_add(r->watch, (uint64_t)r->child,
	    child_patience_us(r->takes_children || r->is_wrapped)) < 0)
		return record_failed(r);
	return EXIT_OK;
}

static int
record_watch_named(struct record *r)
{
	return processes_watch(&r->processes, r->watch) < 0 ? record_failed(r)
	                                                    : EXIT_OK;
}

/* Says why nothing is recorded: nothing can be read, or a signal came first.
 * Returns the exit code. */
static int
record_tell_nothing(const struct record *r, int is_stopped)
{
	int sig = *signals_for_child();

	if (is_stopped && sig != 0)
		msg_error("signal %d came before anything could be read", sig);
	else if (is_stopped)
		msg_error("stopped before anything could be read");
	else if (r->is_wrapped) {
		msg_error("nothing is recorded: %s ran neither PHP nor Python "
		    "that could be read, or ended too soon",
		    r->args->operands[0]);
		if (r->refusal[0] != '\0')
			msg_hint("%s", r->refusal);
	}
	if (is_stopped || r->child != 0)
		return EXIT_FAILED;
	if (r->failure == EXIT_USAGE)
		return r->failure; /* said; the same for all */
	if (r->processes.pattern != NULL && r->n_refused == 0)
		msg_error("no process that can be read matches '%s'",
		    r->processes.pattern);
	msg_hint("%s", r->has_no_runtime
	        ? "--native-only samples C frames of any program; 'bobbin "
	          "doctor' lists the PHP and Python that run"
	        : "'bobbin doctor' lists processes that can be read, and why "
	          "others cannot");
	return r->failure != EXIT_OK ? r->failure : EXIT_FAILED;
}

/* After a signal that stops: if a process can still be attached soon, there is
 * a file of its first samples. */
static int
record_settle_soon(struct record *r)
{
	const struct timespec nap = { 0, 1000 * 1000 };
	int s = BOB_AGAIN, i;

	for (i = 0; s == BOB_AGAIN && r->n_added == 0 && i < SOON_MS; i++) {
		(void)nanosleep(&nap, NULL);
		s = bob_watch_poll(r->watch);
	}
	return s;
}

/* Waits until the command has started something that can be sampled. There is
 * no file before that. */
static int
record_settle_wrapped(struct record *r)
{
	const struct timespec nap = { 0, 1000 * 1000 };
	int s = BOB_OK;

	while (s >= 0 && r->n_added == 0 && !record_is_over(r)) {
		if (*signals_stopped())
			return BOB_AGAIN;
		(void)nanosleep(&nap, NULL);
		s = bob_watch_poll(r->watch);
	}
	return s < 0 ? s : BOB_OK;
}

/* Attaches to all that are there now, before the first sample. */
static int
record_settle(struct record *r)
{
	int s = bob_watch_settle(r->watch, BEGIN_US);

	if (s == BOB_AGAIN && r->child == 0)
		s = record_settle_soon(r);
	if (r->is_wrapped && s >= 0)
		s = record_settle_wrapped(r);
	if (s < 0)
		return record_failed(r);
	r->is_begun = 1;
	if (r->n_refused > MAX_TOLD)
		msg_error("%zu more processes may not be read",
		    r->n_refused - MAX_TOLD);
	if (r->n_added == 0 && (s == BOB_AGAIN || record_is_over(r)))
		return record_tell_nothing(r, s == BOB_AGAIN);
	return EXIT_OK;
}

static int
is_launch(const struct args *args)
{
	return args->n_operands > 0 && operands_of(args) != OPERANDS_PIDS;
}

int
record_set_processes(struct record *r)
{
	int code = processes_init(&r->processes, r->args,
	    operands_of(r->args) == OPERANDS_PIDS);

	if (code == EXIT_OK)
		code = processes_check(&r->processes, r->args,
		    is_launch(r->args));
	r->takes_children = args_has(r->args, OPT_SUBPROCESSES);
	r->is_wrapped = code == EXIT_OK && is_launch(r->args) &&
	    !r->takes_children && r->attach.runtime == NULL &&
	    operands_of(r->args) != OPERANDS_SCRIPT &&
	    !script_is_runtime(r->args->operands[0]);
	r->names_pids = r->is_wrapped || r->takes_children ||
	    r->processes.n > 1 || r->processes.pattern != NULL;
	return code;
}

int
record_attach(struct record *r)
{
	int code = record_watch_new(r);

	if (code == EXIT_OK)
		code = is_launch(r->args) ? record_launch(r)
		                          : record_watch_named(r);
	if (code != EXIT_OK)
		return code;
	record_confine(r);
	return record_settle(r);
}

void
record_wait(struct record *r)
{
	int status;

	if (r->child == 0)
		return;
	if (r->duration_us > 0 && r->t_us >= r->duration_us &&
	    !child_has_ended(r->child))
		msg_note("%s still runs, and bobbin waits for it; ^C ends it",
		    r->args->operands[0]);
	status = child_wait(r->child, signals_for_child());
	if (status >= 0)
		r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
		                                : WEXITSTATUS(status);
	if (status >= 0 && WIFSIGNALED(status))
		msg_note("%s ended by signal %d", r->args->operands[0],
		    WTERMSIG(status));
	else if (status >= 0 && WEXITSTATUS(status) != 0)
		msg_note("%s ended with status %d", r->args->operands[0],
		    WEXITSTATUS(status));
}

/* --- while it runs -------------------------------------------------------- */

int
record_look(struct record *r)
{
	int s = bob_watch_poll(r->watch);

	return s < 0 ? s : BOB_OK;
}

int
record_is_over(const struct record *r)
{
	return bob_watch_is_over(r->watch);
}

void
record_gone(struct record *r, const struct bob_proc *p)
{
	if (r->names_pids && !r->is_wrapped && r->n_added <= MAX_TOLD &&
	    !bob_proc_is_silent(p))
		msg_note("process %llu has ended",
		    (unsigned long long)bob_proc_facts(p)->pid);
}

void
record_free_procs(struct record *r)
{
	processes_done(&r->processes);
	bob_watch_free(r->watch);
}
