/* Which threads are sampled, and which variables of them; see the header. */
#include "options.h"

#include <string.h>

#include "print/plain.h"
#include "print/msg.h"

static int
set_mode(const char *s, struct bob_attach_opts *ret)
{
	int i;

	for (i = 0; bob_mode_name(i) != NULL; i++)
		if (strcmp(bob_mode_name(i), s) == 0) {
			ret->mode = (uint32_t)i;
			return EXIT_OK;
		}
	(void)msg_usage("--mode '%s' is unknown", s);
	msg_hint("wall, cpu, gil or exception");
	return EXIT_USAGE;
}

static int
set_thread(const char *s, struct bob_attach_opts *ret)
{
	uint64_t n;

	if (strcmp(s, "all") == 0)
		return EXIT_OK;
	if (strcmp(s, "main") == 0) {
		ret->thread = BOB_MAIN_THREAD;
		return EXIT_OK;
	}
	if (plain_get_u64(s, &n) && n > 0 && n <= INT32_MAX) {
		ret->thread = n;
		return EXIT_OK;
	}
	(void)msg_usage("--threads '%s' is not a thread", s);
	msg_hint("all, main, or a thread id, as top -H shows it");
	return EXIT_USAGE;
}

int
capture_set_tasks(const struct args *args, struct bob_attach_opts *ret)
{
	const char *s = args_value(args, OPT_ASYNC);

	if (s == NULL)
		return EXIT_OK;
	if (strcmp(s, "running") == 0) {
		ret->flags |= BOB_ATTACH_TASKS;
	} else if (strcmp(s, "all") == 0) {
		ret->flags |= BOB_ATTACH_TASKS | BOB_ATTACH_ALL_TASKS;
	} else {
		(void)msg_usage("--async '%s' is unknown", s);
		msg_hint("running, or all, which includes tasks that wait");
		return EXIT_USAGE;
	}
	if (args_has(args, OPT_NATIVE_ONLY)) {
		(void)msg_usage("--async cannot be combined with "
		    "--native-only: tasks are Python's");
		msg_hint("--native shows frames of C and of Python");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

int
capture_set_threads(const struct args *args, struct bob_attach_opts *ret)
{
	const char *mode = args_value(args, OPT_MODE);
	const char *threads = args_value(args, OPT_SAMPLED_THREADS);
	int r = EXIT_OK;

	if (args_has(args, OPT_ON_CPU))
		ret->flags |= BOB_ATTACH_ON_CPU;
	if (args_has(args, OPT_NATIVE_MARKS))
		ret->flags |= BOB_ATTACH_NATIVE_MARKS;
	if (mode != NULL)
		r = set_mode(mode, ret);
	if (r == EXIT_OK && threads != NULL)
		r = set_thread(threads, ret);
	return r == EXIT_OK ? capture_set_tasks(args, ret) : r;
}

/* Has the library check the options before there is a process. */
static int
check_attach_opts(const struct bob_attach_opts *o)
{
	struct bob_ctx *ctx = bob_ctx_new();
	int code = EXIT_OK;

	if (ctx == NULL)
		return msg_no_memory();
	if (bob_attach_check(ctx, o) < 0)
		code = msg_usage("%s", bob_ctx_error(ctx)->text);
	bob_ctx_free(ctx);
	return code;
}

int
capture_set_vars(const struct args *args, struct bob_attach_opts *ret,
    const char *room[BOB_MAX_CAPTURE_VARS])
{
	size_t i, n = args_count(args, OPT_TRACE_VAR);

	if (n > BOB_MAX_CAPTURE_VARS)
		return msg_usage("--trace-var was given %zu times, "
		    "and %u are possible", n, BOB_MAX_CAPTURE_VARS);
	for (i = 0; i < args->n_opts; i++)
		if (args->opts[i].opt.id == OPT_TRACE_VAR)
			room[ret->n_vars++] = args->opts[i].value;
	ret->vars = room;
	ret->redact = args_value(args, OPT_REDACT);
	return check_attach_opts(ret);
}
