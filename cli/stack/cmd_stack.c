/*
 * bobbin stack: the current stack of each thread of some processes.
 *
 * A stack that changes while it is read is read again, for up to a second. If
 * that does not help, it is not shown, and the report says so.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/attach.h"
#include "capture/options.h"
#include "capture/processes.h"
#include "capture/sandbox.h"
#include "print/plain.h"
#include "print/msg.h"
#include "stack.h"
#include "system/clock.h"
#include "system/descriptors.h"

#define TRY_US 1000000

/* Attaching runs ahead by this many processes. One that takes longer than
 * LATE_US is shown after the others; large programs were seen to take 0.3 s. */
#define AHEAD 16
#define LATE_US 500000

struct stack {
	const struct args *args;
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct bob_attach_opts attach;
	const char *vars[BOB_MAX_CAPTURE_VARS]; /* of attach */
	struct processes processes;
	struct bob_attaching **begun; /* by process; NULL: not */
	struct json json;
	int is_json;
	size_t n_shown;   /* processes that were told about */
	size_t n_missing; /* of which something is missing */
};

/* Samples until all threads could be read, or a second is over. BOB_OK or
 * FATAL. */
static int
stack_sample(struct bob_proc *p, struct stack_report *r)
{
	uint64_t t_end = now_us() + TRY_US, before;
	int s;

	for (;;) {
		before = r->counts.lost;
		s = bob_look(p, now_us(), &r->runs, &r->n);
		bob_proc_counts(p, &r->counts);
		r->has_more = bob_proc_locals(p, &r->locals, &r->n_locals);
		r->lost = r->counts.lost - before;
		r->n_tries++;
		r->has_ended = s == BOB_EOF;
		if (s < 0)
			return s;
		if (r->has_ended || (s == BOB_OK && r->lost == 0) ||
		    now_us() >= t_end)
			return BOB_OK;
		if (s == BOB_AGAIN && r->lost == 0)
			r->lost = 1; /* gone in the middle of it */
	}
}

static void
stack_show(struct stack *s, const struct stack_report *r)
{
	if (s->is_json) {
		stack_json(&s->json, r);
	} else if (r->error != NULL) {
		msg_error("%s", r->error);
	} else {
		if (s->n_shown > 0)
			(void)putchar('\n');
		stack_text(r);
	}
	s->n_shown += r->error == NULL;
	s->n_missing += r->error != NULL || r->lost > 0 || r->has_ended;
}

/* A process that only matches the pattern may have no runtime, or have
 * ended. */
static int
is_passed_over(const struct stack *s, const struct process *t)
{
	const struct bob_error *e = bob_ctx_error(s->ctx);

	return !t->is_named && (e->code == BOB_E_FORMAT ||
	    (e->code == BOB_E_IO && e->sys == ESRCH));
}

static int
stack_read(struct stack *s, size_t i)
{
	const struct process *t = &s->processes.v[i];
	struct stack_report r = { .dict = s->dict, .pid = t->pid,
		.with_locals = args_has(s->args, OPT_LOCALS) };
	struct bob_attaching *begun = s->begun[i];
	struct bob_proc *p;
	int code = EXIT_OK;

	s->begun[i] = NULL;
	if (attach_process(s->ctx, t, &s->attach, begun, &p) < 0) {
		if (bob_ctx_error(s->ctx)->code == BOB_E_NOMEM ||
		    bob_ctx_error(s->ctx)->code == BOB_E_USAGE)
			return msg_ctx_error(s->ctx);
		r.error = bob_ctx_error(s->ctx)->text;
		if (!is_passed_over(s, t))
			stack_show(s, &r);
		return EXIT_OK;
	}
	r.facts = bob_proc_facts(p);
	if (stack_sample(p, &r) < 0)
		code = msg_ctx_error(s->ctx);
	else
		stack_show(s, &r);
	bob_detach(p);
	return code;
}

/* Begins to attach. On failure stack_read tries again, and says why. */
static void
stack_attach_ahead(struct stack *s, size_t i)
{
	if (i < s->processes.n && !s->processes.v[i].is_silent &&
	    bob_attach_begin(s->ctx, s->processes.v[i].pid, &s->attach,
	        &s->begun[i]) < 0)
		s->begun[i] = NULL;
}

/* Waits for a process that is being attached. True if it is late. */
static int
is_late(const struct stack *s, size_t i)
{
	const struct timespec nap = { 0, 200 * 1000 };
	struct bob_attaching *a = s->begun[i];

	if (a == NULL)
		return 0;
	while (!bob_attach_is_done(a) && bob_attach_age(a) < LATE_US)
		(void)nanosleep(&nap, NULL);
	return !bob_attach_is_done(a);
}

/* In their order; late ones come last. Of processes whose command line cannot
 * be read it is unknown whether they match: they only get a warning. */
static int
stack_read_each(struct stack *s)
{
	const struct process *t = s->processes.v;
	int code = EXIT_OK;
	size_t i;

	for (i = 0; i < AHEAD; i++)
		stack_attach_ahead(s, i);
	for (i = 0; code == EXIT_OK && i < s->processes.n; i++) {
		stack_attach_ahead(s, i + AHEAD);
		if (t[i].is_silent)
			msg_warn("process %llu does not answer: it is unknown "
			    "whether it matches",
			    (unsigned long long)t[i].pid);
		else if (!is_late(s, i))
			code = stack_read(s, i);
	}
	for (i = 0; code == EXIT_OK && i < s->processes.n; i++)
		if (s->begun[i] != NULL)
			code = stack_read(s, i);
	for (i = 0; i < s->processes.n; i++)
		bob_attach_drop(s->begun[i]);
	return code;
}

static int
stack_read_all(struct stack *s)
{
	int code = EXIT_OK;

	s->json.f = stdout;
	if (s->is_json) {
		json_open(&s->json, NULL, '{');
		json_open(&s->json, "processes", '[');
	}
	s->begun = calloc(s->processes.n + 1, sizeof(*s->begun));
	code = s->begun != NULL ? stack_read_each(s) : msg_no_memory();
	free(s->begun);
	if (s->is_json) {
		json_close(&s->json, '[');
		json_close(&s->json, '{');
		json_end(&s->json);
	}
	if (code != EXIT_OK)
		return code;
	if (s->n_shown == 0 && s->n_missing == 0) {
		msg_error("no process that can be read matches '%s'",
		    s->processes.pattern);
		msg_hint("'bobbin doctor' lists those there are");
	} else if (s->n_missing > 0 && s->n_shown == 0) {
		msg_hint("'bobbin doctor -p PID' tells more");
	}
	return s->n_shown == 0 ? EXIT_FAILED
	    : s->n_missing > 0 ? EXIT_PARTIAL
	                       : EXIT_OK;
}

static int
set_attach(struct stack *s)
{
	struct bob_attach_opts *o = &s->attach;
	int code = capture_set_attach(s->args, o);

	o->dict = s->dict;
	o->flags |= BOB_ATTACH_REQUEST | BOB_ATTACH_MEMORY;
	if (args_has(s->args, OPT_LOCALS))
		o->flags |= BOB_ATTACH_LOCALS;
	if (code == EXIT_OK)
		code = capture_set_tasks(s->args, o);
	return code == EXIT_OK ? capture_set_vars(s->args, o, s->vars) : code;
}

static int
stack_run(struct stack *s)
{
	int code = processes_init(&s->processes, s->args, 1);

	if (code == EXIT_OK && !processes_are_given(&s->processes)) {
		code = msg_usage("stack: no process given");
		msg_hint("-p PID, or -P PATTERN of its command line");
	}
	if (code == EXIT_OK)
		code = set_attach(s);
	if (code == EXIT_OK)
		code = processes_find(&s->processes, s->ctx);
	if (code == EXIT_OK) {
		sandbox_enter(s->args, s->ctx, &s->attach, NULL, 0);
		code = stack_read_all(s);
	}
	processes_done(&s->processes);
	return code;
}

int
cmd_stack(const struct args *args)
{
	struct stack s;
	int code;

	memset(&s, 0, sizeof(s));
	s.args = args;
	descriptors_raise(NULL);
	s.is_json = args_has(args, OPT_JSON);
	s.ctx = bob_ctx_new();
	s.dict = s.ctx != NULL ? bob_dict_new(s.ctx) : NULL;
	code = s.dict != NULL ? stack_run(&s) : msg_no_memory();
	bob_dict_free(s.dict);
	bob_ctx_free(s.ctx);
	return code;
}

/* True if standard input is a terminal, /dev/null, or closed. */
static int
has_no_input(void)
{
	struct stat st;

	return fstat(STDIN_FILENO, &st) < 0 || S_ISCHR(st.st_mode);
}

const char *
stack_option(const struct args *args)
{
	static const struct {
		int id;
		const char *name;
	} own[] = {
		{ OPT_JSON, "--json" },
		{ OPT_LOCALS, "--locals" },
		{ OPT_REDACT, "--redact" },
		{ OPT_PAUSE, "--pause" },
		{ OPT_WITH_OPCODE, "--opcodes" },
		{ OPT_ASYNC, "--async" },
		{ OPT_NATIVE, "--native" },
	};
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (args_has(args, own[i].id))
			return own[i].name;
	return NULL;
}

int
stack_is_meant(const struct args *args)
{
	size_t i;

	if (args->n_operands == 0)
		return args_has(args, OPT_PID) && !args_has(args, OPT_STORE) &&
		    (stack_option(args) != NULL || has_no_input());
	for (i = 0; i < args->n_operands; i++) {
		const char *s = args->operands[i];

		if (s[strspn(s, "0123456789")] != '\0' || *s == '\0' ||
		    access(s, F_OK) == 0)
			return 0;
	}
	return 1;
}
