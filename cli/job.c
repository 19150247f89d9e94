/* Inputs, diagnostics. */
#include "job.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/convert.h>

#include "budget.h"
#include "msg.h"
#include "plain.h"

/* A file with a million bad lines should not fill the screen. */
#define MAX_WARNINGS 20

const char *
job_name(const char *input)
{
	return strcmp(input, "-") == 0 ? "stdin" : input;
}

int
job_needs_name(const char *input, const struct bob_error *e)
{
	const char *name = input != NULL ? job_name(input) : "";

	switch (e->code) {
	case BOB_E_CORRUPT:
	case BOB_E_TRUNCATED:
	case BOB_E_LIMIT:
	case BOB_E_UNSUPPORTED:
	case BOB_E_BUDGET:
		return strncmp(e->text, name, strlen(name)) != 0;
	default:
		return 0;
	}
}

static void
on_diag(void *user, const struct bob_error *e)
{
	struct job *j = user;
	int named = job_needs_name(j->current, e);
	const char *name = named ? job_name(j->current) : "";

	if (j->tells_cuts && e->code == BOB_E_TRUNCATED)
		return;
	if (e->status != BOB_WARN)
		msg_note("%s%s%s", name, named ? ": " : "", e->text);
	else if (++j->n_warnings <= MAX_WARNINGS)
		msg_warn("%s%s%s", name, named ? ": " : "", e->text);
}

static int
set_inputs(struct job *j)
{
	static const char *const standard[] = { "-" };
	size_t i;

	j->n_inputs = j->args->n_operands;
	if (j->n_inputs == 0 && isatty(STDIN_FILENO)) {
		(void)msg_usage("%s: no input", j->args->command->name);
		msg_hint("name a file, or pipe one in");
		return EXIT_USAGE;
	}
	j->inputs = calloc(j->n_inputs + 1, sizeof(*j->inputs));
	if (j->inputs == NULL)
		return EXIT_FAILED;
	for (i = 0; i < j->n_inputs; i++)
		j->inputs[i] = j->args->operands[i];
	if (j->n_inputs == 0)
		j->inputs[j->n_inputs++] = standard[0];
	return EXIT_OK;
}

static void
set_dialect(struct job *j)
{
	const char *name = args_value(j->args, OPT_DIALECT);

	if (name == NULL)
		name = args_value(j->args, OPT_FROM_DIALECT);
	if (name != NULL)
		j->dialect = (struct bob_option){ "dialect", name };
}

size_t
job_n_options(const struct job *j)
{
	return j->dialect.key != NULL;
}

static int
set_order(struct job *j)
{
	const char *order = args_value(j->args, OPT_ORDER);

	j->by_time = order != NULL && strcmp(order, "time") == 0;
	if (order == NULL || j->by_time || strcmp(order, "file") == 0)
		return EXIT_OK;
	(void)msg_usage("--order '%s' is neither file nor time", order);
	msg_hint("'bobbin help %s' explains it", j->args->command->name);
	return EXIT_USAGE;
}

int
job_init(struct job *j, const struct args *args)
{
	int r;

	memset(j, 0, sizeof(*j));
	j->args = args;
	j->from = args_value(args, OPT_FROM);
	j->ctx = bob_ctx_new();
	if (j->ctx == NULL) {
		msg_error("out of memory");
		return EXIT_FAILED;
	}
	bob_ctx_on_diag(j->ctx, on_diag, j);
	set_dialect(j);
	r = budget_set(j->ctx, args);
	if (r == EXIT_OK)
		r = set_order(j);
	if (r == EXIT_OK)
		r = set_inputs(j);
	if (r == EXIT_OK)
		r = filters_init(&j->filters, args);
	if (r == EXIT_OK && j->filters.is_set)
		j->filter = &j->filters.spec;
	if (r == EXIT_FAILED)
		msg_error("out of memory");
	return r;
}

void
job_done(struct job *j)
{
	if (j->n_warnings > MAX_WARNINGS)
		msg_note("%llu more warnings; 'bobbin verify' lists all",
		    (unsigned long long)(j->n_warnings - MAX_WARNINGS));
	bob_ctx_free(j->ctx);
	free(j->inputs);
	filters_done(&j->filters);
}

int
job_open(struct job *j, const char *input, uint32_t flags, uint32_t want,
    struct bob_reader **ret)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = j->from,
		.flags = flags | (j->by_time ? BOB_READ_BY_TIME : 0),
		.want = want, .filter = j->filter,
		.options = &j->dialect, .n_options = job_n_options(j) };
	struct stat st;

	j->current = input;
	j->size = stat(input, &st) == 0 && S_ISREG(st.st_mode)
	    ? (uint64_t)st.st_size
	    : 0;
	return bob_open(j->ctx, input, &o, ret);
}

int
job_next(struct job *j, struct bob_reader *in, struct bob_event *ret)
{
	int r;

	while ((r = bob_next(in, ret)) == BOB_AGAIN) {
		struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

		(void)poll(&p, 1, 1000);
	}
	progress_show(bob_reader_bytes_in(in), j->size);
	return r;
}

/* Into which format an input is best rescued: its own, if that is clear. */
static const char *
suffix_for(const char *input)
{
	const struct bob_format_info *f = bob_format_of_path(input);

	return f != NULL && f->can_write ? f->suffixes : ".rbt";
}

static void
hint_recover(const struct job *j, const char *input)
{
	size_t n = input != NULL ? strlen(input) : 0;
	const char *suffix;

	if (input == NULL || strcmp(input, "-") == 0 ||
	    j->args->command->bit == CMD_RECOVER)
		return;
	if (n > 5 && strcmp(input + n - 5, ".part") == 0) {
		msg_hint("its writer has not finished it; 'bobbin recover %s "
		    "-o %.*s' gives what it has written", input, (int)n - 5,
		    input);
		return;
	}
	suffix = suffix_for(input);
	msg_hint("'bobbin recover %s -o fixed%.*s' keeps what can be read",
	    input, (int)strcspn(suffix, " "), suffix);
}

/* What can be done about it. */
static void
hint(const struct job *j, const struct bob_error *e, const char *input)
{
	const char *command = j->args->command->name;

	switch (e->code) {
	case BOB_E_CORRUPT:
	case BOB_E_TRUNCATED:
		hint_recover(j, input);
		break;
	case BOB_E_LIMIT:
		/* Without a place it is not the input that is wrong. */
		if (e->offset != BOB_NO_OFFSET)
			hint_recover(j, input);
		break;
	case BOB_E_BUDGET:
		budget_hint(e);
		break;
	case BOB_E_FORMAT:
		msg_hint("-f FORMAT says what the input is; 'bobbin formats' "
		    "lists what can be read");
		break;
	case BOB_E_USAGE:
		msg_hint("'bobbin help %s' explains the options", command);
		break;
	default:
		break;
	}
}

int
job_error(const struct job *j, const char *input)
{
	const struct bob_error *e = bob_ctx_error(j->ctx);
	int named = job_needs_name(input, e);
	unsigned i;

	msg_error("%s%s%s", named ? job_name(input) : "", named ? ": " : "",
	    e->text);
	for (i = 0; i < e->n_causes; i++)
		msg_report("  %s", e->cause[i]);
	hint(j, e, input);
	return msg_exit_code(e);
}
