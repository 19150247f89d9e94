/*
 * From arguments to inputs, filter and context, and from errors of the library
 * to messages with hints.
 */
#include "job.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/convert.h>
#include <bobbin/write.h>

#include "budget.h"
#include "output/outfile.h"
#include "print/msg.h"
#include "print/plain.h"
#include "stored.h"

/* A file with a million bad lines should not fill the screen. */
#define MAX_WARNINGS 20

const char *
job_name(const char *input)
{
	return strcmp(input, "-") == 0 ? "stdin" : input;
}

static void
on_diag(void *user, const struct bob_error *e)
{
	struct job *j = user;
	const char *colon = *e->input != '\0' ? ": " : "";

	if (j->hides_truncation && e->code == BOB_E_TRUNCATED)
		return;
	if (j->collects_damage && damages_add_diag(&j->damages, e))
		return;
	if (e->status != BOB_WARN) {
		msg_note("%s%s%s", e->input, colon, e->text);
		return;
	}
	j->n_warnings++;
	if (j->n_shown >= (j->collects_damage && e->code == BOB_E_CORRUPT
	        ? 1 : MAX_WARNINGS))
		return;
	j->n_shown++;
	msg_warn("%s%s%s", e->input, colon, e->text);
}

/* n paths; with none of them, standard input. */
static int
set_inputs(struct job *j, const char *const *paths, size_t n)
{
	size_t i;

	j->inputs = calloc(n + 1, sizeof(*j->inputs));
	if (j->inputs == NULL)
		return msg_no_memory();
	for (i = 0; i < n; i++)
		j->inputs[i] = paths[i];
	if (n == 0)
		j->inputs[n++] = "-";
	j->n_inputs = n;
	return EXIT_OK;
}

static int
set_operands(struct job *j)
{
	const struct args *a = j->args;

	if (a->n_operands == 0 && isatty(STDIN_FILENO)) {
		(void)msg_usage("%s: no input", j->command->name);
		msg_hint("name a file, or pipe one in");
		return EXIT_USAGE;
	}
	return set_inputs(j, a->operands, a->n_operands);
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

static void
on_gap(void *user, const char *input, const struct bob_gap *gap)
{
	struct job *j = user;

	damages_add_gap(&j->damages, input, gap);
}

/* A file that grows is not damaged at its end. */
int
job_passes_damage(struct job *j)
{
	j->collects_damage = 1;
	bob_ctx_on_gap(j->ctx, on_gap, j);
	if (j->args == NULL)
		return 1;
	j->is_strict = args_has(j->args, OPT_STRICT);
	return !j->is_strict &&
	    (args_has(j->args, OPT_RECOVER) || !args_has(j->args, OPT_FOLLOW));
}

int
job_tell_damage(struct job *j, uint64_t n_samples)
{
	if (j->is_strict)
		return damages_tell(&j->damages, DAMAGES_STRICT);
	return damages_tell(&j->damages, n_samples == 0 ? DAMAGES_ERROR
	                                                : DAMAGES_WARN);
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
	msg_hint("'bobbin help %s' explains it", j->command->name);
	return EXIT_USAGE;
}

static int
job_begin(struct job *j, const struct command *command)
{
	memset(j, 0, sizeof(*j));
	j->command = command;
	j->ctx = bob_ctx_new();
	if (j->ctx == NULL)
		return msg_no_memory();
	bob_ctx_on_diag(j->ctx, on_diag, j);
	return EXIT_OK;
}

int
job_init(struct job *j, const struct args *args)
{
	int r = job_begin(j, args->command);

	j->args = args;
	j->from = args_value(args, OPT_FROM);
	set_dialect(j);
	if (r == EXIT_OK)
		r = budget_set(j->ctx, args);
	if (r == EXIT_OK)
		r = set_order(j);
	if (r == EXIT_OK && !args_has(args, OPT_STORE))
		r = stored_check(args);
	if (r == EXIT_OK && !args_has(args, OPT_STORE))
		r = set_operands(j);
	if (r == EXIT_OK)
		r = filters_init(&j->filters, args);
	if (r == EXIT_OK && j->filters.is_set)
		j->filter = &j->filters.spec;
	if (j->filters.has_before)
		j->before = &j->filters.before;
	if (r == EXIT_OK && args_has(args, OPT_STORE))
		r = stored_inputs(j);
	return r;
}

int
job_init_file(struct job *j, const struct command *command, const char *path)
{
	int r = job_begin(j, command);

	if (r == EXIT_OK)
		r = budget_set(j->ctx, NULL);
	if (r == EXIT_OK)
		r = set_inputs(j, &path, 1);
	j->filters.spec.size = sizeof(j->filters.spec);
	j->filters.spec.idle = filters_idle(command);
	j->filter = &j->filters.spec;
	return r;
}

void
job_done(struct job *j)
{
	(void)job_tell_damage(j, 1);
	if (j->n_warnings > j->n_shown)
		msg_note("%llu more warnings; 'bobbin verify' lists all",
		    (unsigned long long)(j->n_warnings - j->n_shown));
	bob_ctx_free(j->ctx);
	free(j->inputs);
	stored_done(j);
	filters_done(&j->filters);
}

int
job_open(struct job *j, const char *input, uint32_t flags, uint32_t want,
    struct bob_reader **ret)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = j->from,
		.flags = flags | (j->by_time ? BOB_READ_BY_TIME : 0),
		.want = want, .dict = j->dict, .filter = j->filter,
		.options = &j->dialect, .n_options = job_n_options(j) };
	struct stat st;

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

/* The suffix for a rescued input: its own if that can be written. */
static const char *
suffix_for(const char *input)
{
	const struct bob_format_info *f = bob_format_of_path(input);

	return f != NULL && f->can_write ? f->suffixes : ".rbt";
}

static void
hint_recover(const struct job *j, const struct bob_error *e)
{
	const char *input = e->input, *suffix;
	size_t stem = bob_part_stem(input);

	/* Where damage was skipped, recover finds no more. */
	if (!e->input_is_path || j->command->bit == CMD_RECOVER ||
	    (j->collects_damage && !j->is_strict))
		return;
	if (stem > 0) {
		msg_hint("it is unfinished; 'bobbin recover %s -o %.*s' keeps "
		    "what was written", input, (int)stem,
		    input);
		return;
	}
	suffix = suffix_for(input);
	msg_hint("'bobbin recover %s -o fixed%.*s' keeps what can be read",
	    input, (int)strcspn(suffix, " "), suffix);
}

void
job_hint_directory(void)
{
	msg_hint("'bobbin analyze' and 'bobbin explore' read the traces in a "
	    "directory; elsewhere DIR/*.rbt names them");
}

/* Prints what the user can do about an error. */
static void
hint_for_error(const struct job *j, const struct bob_error *e)
{
	const char *command = j->command->name;

	if (j->from != NULL && (e->code == BOB_E_CORRUPT ||
	    e->code == BOB_E_TRUNCATED || e->code == BOB_E_FORMAT)) {
		msg_hint("-f says that it is %s; without -f the content "
		    "decides", j->from);
		return;
	}
	switch (e->code) {
	case BOB_E_CORRUPT:
	case BOB_E_TRUNCATED:
		hint_recover(j, e);
		break;
	case BOB_E_LIMIT:
		/* Without a place it is not the input that is wrong. */
		if (e->offset != BOB_NO_OFFSET)
			hint_recover(j, e);
		break;
	case BOB_E_BUDGET:
		budget_hint(e);
		break;
	case BOB_E_FORMAT:
		if (e->offset != BOB_NO_OFFSET)
			msg_hint("-f FORMAT names the format; 'bobbin formats' "
			    "lists those that can be read");
		break;
	case BOB_E_USAGE:
		msg_hint("'bobbin help %s' explains the options", command);
		break;
	case BOB_E_IO:
		if (e->sys == EISDIR)
			job_hint_directory();
		if (e->side == BOB_SIDE_OUTPUT && e->sys == ENOSPC)
			msg_hint("free some disk space, or write elsewhere "
			    "with -o");
		break;
	default:
		break;
	}
}

int
job_error(const struct job *j)
{
	const struct bob_error *e = bob_ctx_error(j->ctx);

	outfile_end_if_unread(e);
	msg_error("%s%s%s", e->input, *e->input != '\0' ? ": " : "", e->text);
	hint_for_error(j, e);
	return msg_exit_code(e);
}
