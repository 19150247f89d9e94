/*
 * bobbin stack: one stack of each thread of some processes, now.
 *
 * A stack that changes while it is read is read again for up to a second. One
 * that was still not proven is not shown, and that is said.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "live/attach.h"
#include "live/descriptors.h"
#include "live/targets.h"
#include "live/native.h"
#include "live/sandbox.h"
#include "msg.h"
#include "plain.h"
#include "stack.h"

#define TRY_US 1000000
#define NAP_US 2000

struct stack {
	const struct args *args;
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct bob_attach_opts attach;
	const char *vars[BOB_MAX_LIVE_VARS]; /* of attach */
	struct targets targets;
	struct json json;
	int is_json;
	size_t n_shown;   /* processes that were told about */
	size_t n_missing; /* of which something is missing */
};

static int
library_failed(const struct stack *s)
{
	msg_error("%s", bob_ctx_error(s->ctx)->text);
	return msg_exit_code(bob_ctx_error(s->ctx));
}

/* Samples until all threads could be read, or a second is over. BOB_OK or
 * FATAL. */
static int
sample(struct bob_proc *p, struct stack_report *r)
{
	const struct timespec nap = { 0, NAP_US * 1000 };
	uint64_t t_end = now_us() + TRY_US, before;
	int s;

	for (;;) {
		before = r->counts.lost;
		s = bob_sample(p, now_us(), &r->runs, &r->n);
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
		(void)nanosleep(&nap, NULL);
	}
}

static void
show(struct stack *s, const struct stack_report *r)
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

/* A process that was only found by its name need not be one of ours. */
static int
is_passed_over(const struct stack *s, const struct target *t)
{
	const struct bob_error *e = bob_ctx_error(s->ctx);

	return !t->is_named && (e->code == BOB_E_FORMAT ||
	    (e->code == BOB_E_IO && e->sys == ESRCH));
}

static int
look_at(struct stack *s, const struct target *t)
{
	struct stack_report r = { .dict = s->dict, .pid = t->pid,
		.with_locals = args_has(s->args, OPT_LOCALS) };
	struct bob_proc *p;
	int code = EXIT_OK;

	if (attach_target(s->ctx, t, &s->attach, &p) < 0) {
		if (bob_ctx_error(s->ctx)->code == BOB_E_NOMEM ||
		    bob_ctx_error(s->ctx)->code == BOB_E_USAGE)
			return library_failed(s);
		r.error = bob_ctx_error(s->ctx)->text;
		if (!is_passed_over(s, t))
			show(s, &r);
		return EXIT_OK;
	}
	r.facts = bob_proc_facts(p);
	if (sample(p, &r) < 0)
		code = library_failed(s);
	else
		show(s, &r);
	bob_detach(p);
	return code;
}

static int
look_at_all(struct stack *s)
{
	int code = EXIT_OK;
	size_t i;

	s->json.f = stdout;
	if (s->is_json) {
		json_open(&s->json, NULL, '{');
		json_open(&s->json, "processes", '[');
	}
	for (i = 0; code == EXIT_OK && i < s->targets.n; i++)
		code = look_at(s, &s->targets.v[i]);
	if (s->is_json) {
		json_close(&s->json, '[');
		json_close(&s->json, '{');
		json_end(&s->json);
	}
	if (code != EXIT_OK)
		return code;
	if (s->n_shown == 0 && s->n_missing == 0) {
		msg_error("no process that can be read matches '%s'",
		    s->targets.pattern);
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
	const struct args *a = s->args;
	struct bob_attach_opts *o = &s->attach;
	int code;

	o->size = sizeof(*o);
	o->dict = s->dict;
	o->runtime = args_value(a, OPT_RUNTIME);
	o->version = args_value(a, OPT_RUNTIME_VERSION);
	o->flags = BOB_ATTACH_REQUEST | BOB_ATTACH_MEMORY;
	if (args_has(a, OPT_PAUSE))
		o->flags |= BOB_ATTACH_PAUSE;
	if (args_has(a, OPT_WITH_OPCODE))
		o->flags |= BOB_ATTACH_OPCODES;
	if (args_has(a, OPT_LOCALS))
		o->flags |= BOB_ATTACH_LOCALS;
	code = attach_set_tasks(a, o);
	return code == EXIT_OK ? attach_set_vars(a, o, s->vars) : code;
}

static int
stack(struct stack *s)
{
	int code = targets_init(&s->targets, s->args, 1);

	if (code == EXIT_OK && s->targets.n == 0 &&
	    s->targets.pattern == NULL) {
		code = msg_usage("stack: of which process?");
		msg_hint("-p PID, or -P PATTERN of its command line");
	}
	if (code == EXIT_OK)
		code = set_attach(s);
	if (code == EXIT_OK)
		code = targets_find(&s->targets, s->ctx);
	if (code == EXIT_OK)
		code = native_set(s->args, &s->attach);
	if (code == EXIT_OK) {
		sandbox_enter(s->args, s->ctx, &s->attach, NULL, 0);
		code = look_at_all(s);
	}
	targets_done(&s->targets);
	return code;
}

int
cmd_stack(const struct args *args)
{
	struct stack s;
	int code = EXIT_FAILED;

	memset(&s, 0, sizeof(s));
	s.args = args;
	descriptors_raise();
	s.is_json = args_has(args, OPT_JSON);
	s.ctx = bob_ctx_new();
	s.dict = s.ctx != NULL ? bob_dict_new(s.ctx) : NULL;
	if (s.dict == NULL)
		msg_error("out of memory");
	else
		code = stack(&s);
	bob_dict_free(s.dict);
	bob_ctx_free(s.ctx);
	return code;
}

/* A terminal, /dev/null, or nothing: no trace comes from there. */
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
		return args_has(args, OPT_PID) &&
		    (stack_option(args) != NULL || has_no_input());
	for (i = 0; i < args->n_operands; i++) {
		const char *s = args->operands[i];

		if (s[strspn(s, "0123456789")] != '\0' || *s == '\0' ||
		    access(s, F_OK) == 0)
			return 0;
	}
	return 1;
}
