/* Which processes a command line names; see the header. */
#include "processes.h"

#include <stdlib.h>
#include <string.h>

#include "print/plain.h"
#include "print/msg.h"

static int
processes_have(const struct processes *p, uint64_t pid)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].pid == pid)
			return 1;
	return 0;
}

static int
processes_add(struct processes *p, struct process new)
{
	size_t cap = p->cap > 0 ? 2 * p->cap : 16;
	struct process *v;

	if (processes_have(p, new.pid))
		return EXIT_OK;
	if (p->n == p->cap) {
		v = realloc(p->v, cap * sizeof(*v));
		if (v == NULL)
			return msg_no_memory();
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n++] = new;
	return EXIT_OK;
}

static int
processes_add_number(struct processes *p, const char *s)
{
	uint64_t pid;

	if (plain_get_u64(s, &pid) && pid > 0 && pid <= INT32_MAX)
		return processes_add(p,
		    (struct process){ .pid = pid, .is_named = 1 });
	(void)msg_usage("'%s' is not a process id", s);
	msg_hint("-P finds processes by their command line");
	return EXIT_USAGE;
}

int
processes_init(struct processes *p, const struct args *args,
    int takes_operands)
{
	int code = EXIT_OK;
	size_t i;

	memset(p, 0, sizeof(*p));
	p->pattern = args_value(args, OPT_PROCESS);
	for (i = 0; code == EXIT_OK && i < args->n_opts; i++)
		if (args->opts[i].opt.id == OPT_PID)
			code = processes_add_number(p, args->opts[i].value);
	if (!takes_operands)
		return code;
	for (i = 0; code == EXIT_OK && i < args->n_operands; i++)
		code = processes_add_number(p, args->operands[i]);
	return code;
}

void
processes_done(struct processes *p)
{
	free(p->v);
}

int
processes_are_given(const struct processes *p)
{
	return p->n > 0 || p->pattern != NULL;
}

int
processes_check(const struct processes *p, const struct args *args,
    int has_command)
{
	if (processes_are_given(p) != has_command)
		return EXIT_OK;
	(void)msg_usage("%s: %s", args->command->name, has_command
	        ? "processes or a command, not both" : "no process given");
	msg_hint("-p PID or -P PATTERN samples what runs, -- COMMAND... "
	    "starts one");
	return EXIT_USAGE;
}

static int
on_process(void *user, const struct bob_proc_info *info)
{
	return processes_add(user, (struct process){ .pid = info->pid,
	    .is_silent = info->is_silent });
}

int
processes_find(struct processes *p, struct bob_ctx *ctx)
{
	if (p->pattern == NULL ||
	    bob_proc_find(ctx, p->pattern, on_process, p) == BOB_OK)
		return EXIT_OK;
	return msg_ctx_error(ctx);
}

int
processes_watch(const struct processes *p, struct bob_watch *watch)
{
	int r = BOB_OK;
	size_t i;

	for (i = 0; r >= 0 && i < p->n; i++)
		r = bob_watch_add(watch, p->v[i].pid, 0);
	return r;
}
