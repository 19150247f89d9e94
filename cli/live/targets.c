/* Numbers and patterns of processes. */
#include "targets.h"

#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "plain.h"

static int
has(const struct targets *t, uint64_t pid)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->v[i].pid == pid)
			return 1;
	return 0;
}

static int
add(struct targets *t, uint64_t pid, int is_named)
{
	size_t cap = t->cap > 0 ? 2 * t->cap : 16;
	struct target *v = t->v;

	if (has(t, pid))
		return EXIT_OK;
	if (t->n == t->cap) {
		v = realloc(t->v, cap * sizeof(*v));
		if (v == NULL) {
			msg_error("out of memory");
			return EXIT_FAILED;
		}
		t->v = v;
		t->cap = cap;
	}
	t->v[t->n++] = (struct target){ pid, is_named };
	return EXIT_OK;
}

static int
add_number(struct targets *t, const char *s)
{
	uint64_t pid;

	if (plain_get_u64(s, &pid) && pid > 0 && pid <= INT32_MAX)
		return add(t, pid, 1);
	(void)msg_usage("'%s' is not the number of a process", s);
	msg_hint("-P finds processes by their command line");
	return EXIT_USAGE;
}

int
targets_init(struct targets *t, const struct args *args, int operands)
{
	int code = EXIT_OK;
	size_t i;

	memset(t, 0, sizeof(*t));
	t->pattern = args_value(args, OPT_PROCESS);
	for (i = 0; code == EXIT_OK && i < args->n_opts; i++)
		if (args->opts[i].opt.id == OPT_PID)
			code = add_number(t, args->opts[i].value);
	for (i = 0; operands && code == EXIT_OK && i < args->n_operands; i++)
		code = add_number(t, args->operands[i]);
	return code;
}

void
targets_done(struct targets *t)
{
	free(t->v);
}

static int
on_process(void *user, const struct bob_proc_info *info)
{
	return add(user, info->pid, 0);
}

int
targets_find(struct targets *t, struct bob_ctx *ctx)
{
	if (t->pattern == NULL ||
	    bob_proc_find(ctx, t->pattern, on_process, t) == BOB_OK)
		return EXIT_OK;
	msg_error("%s", bob_ctx_error(ctx)->text);
	return msg_exit_code(bob_ctx_error(ctx));
}
