/*
 * From arguments to one call of bob_convert and back to an exit code.
 *
 * The output is kept when the library could finish it, even if an input
 * turned out to be damaged: what stands before the damage is worth having.
 * When writing itself failed, or nothing was read, it is dropped and an older
 * file of that name stays as it was.
 */
#include "conv.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"

/* A missing file is better found before the hours on those in front of it. */
static int
check_inputs(const struct job *j)
{
	struct stat st;
	size_t i;

	for (i = 0; i < j->n_inputs; i++) {
		const char *name = j->inputs[i];
		int r = strcmp(name, "-") == 0 ? 0 : stat(name, &st);

		if (r == 0 && (strcmp(name, "-") == 0 || !S_ISDIR(st.st_mode)))
			continue;
		msg_error("%s: %s", name, strerror(r == 0 ? EISDIR : errno));
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

int
conv_init(struct conv *c, const struct args *args)
{
	size_t i;
	int r;

	memset(c, 0, sizeof(*c));
	c->path = args_value(args, OPT_OUTPUT);
	r = job_init(&c->job, args);
	if (r == EXIT_OK)
		r = check_inputs(&c->job);
	if (r != EXIT_OK)
		return r;
	/* Two more: for the command, and for what a suffix may imply. */
	c->options = calloc(args->n_opts + 2, sizeof(*c->options));
	if (c->options == NULL) {
		msg_error("out of memory");
		return EXIT_FAILED;
	}
	for (i = 0; i < args->n_opts; i++) {
		const struct arg *a = &args->opts[i];

		if (a->opt.id == OPT_TARGET)
			conv_add_option(c, a->opt.name, a->value);
	}
	return EXIT_OK;
}

void
conv_add_option(struct conv *c, const char *key, const char *value)
{
	c->options[c->n_options++] = (struct bob_option){ key, value };
}

void
conv_done(struct conv *c)
{
	free(c->options);
	job_done(&c->job);
}

/* Reading a file while it is overwritten would eat it. */
static int
check_overlap(const struct conv *c)
{
	struct stat out, in;
	size_t i;

	if (!conv_is_stdout(c) && !c->is_live)
		return EXIT_OK;
	if ((c->is_live ? stat(c->path, &out) : fstat(STDOUT_FILENO, &out)) <
	        0 || !S_ISREG(out.st_mode))
		return EXIT_OK;
	for (i = 0; i < c->job.n_inputs; i++) {
		const char *name = c->job.inputs[i];
		int r = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &in)
		                               : stat(name, &in);

		if (r < 0 || in.st_dev != out.st_dev ||
		    in.st_ino != out.st_ino)
			continue;
		(void)msg_usage("%s is input and output at once",
		    job_name(name));
		msg_hint("-o FILE may name an input, without --live: it is "
		    "replaced when the output is whole");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int
check_output(const struct conv *c)
{
	if (conv_check_terminal(c) != EXIT_OK)
		return EXIT_USAGE;
	if (c->is_live &&
	    (conv_is_stdout(c) || outfiles_is_pattern(c->path))) {
		(void)msg_usage("--live needs the name of one file");
		msg_hint("-o FILE names it");
		return EXIT_USAGE;
	}
	if (c->is_live && c->baseline != NULL) {
		(void)msg_usage("--live and --baseline do not go together");
		msg_hint("what differs is known at the end of the input");
		return EXIT_USAGE;
	}
	if (c->is_live && c->job.by_time) {
		(void)msg_usage("--live cannot wait for the order of times");
		msg_hint("leave out --order time; convert the file again when "
		    "it is whole");
		return EXIT_USAGE;
	}
	if (outfiles_is_pattern(c->path) &&
	    !conv_has_option(c->to, "rotate-size")) {
		(void)msg_usage("%s: %s does not come in segments", c->path,
		    c->to->name);
		msg_hint("-o takes a name without {} and %%d");
		return EXIT_USAGE;
	}
	return check_overlap(c);
}

void
conv_say_plan(struct conv *c, const char *lost)
{
	/* Several inputs of one format lose the same: once is enough. */
	if (*lost == '\0' || strcmp(c->lost, lost) == 0)
		return;
	(void)snprintf(c->lost, sizeof(c->lost), "%s", lost);
	if (c->says_plan)
		msg_note("%s cannot carry: %s", c->to->name, lost);
}

/* The library's name of an input lives only as long as its reader. */
static const char *
find_input(const struct conv *c, const char *name)
{
	size_t i;

	for (i = 0; i < c->job.n_inputs; i++)
		if (strcmp(job_name(c->job.inputs[i]), name) == 0)
			return c->job.inputs[i];
	return c->baseline != NULL && strcmp(c->baseline, name) == 0
	    ? c->baseline : NULL;
}

static void
on_plan(void *user, const char *input, const char *from, const char *to,
    const char *lost)
{
	struct conv *c = user;

	c->job.current = find_input(c, input);
	(void)from;
	(void)to;
	conv_say_plan(c, lost);
}

static void
on_gap(void *user, const char *input, const struct bob_gap *gap)
{
	struct conv *c = user;

	if (c->gap != NULL)
		c->gap(c->user, input, gap);
}

static void
on_progress(void *user, uint64_t done, uint64_t total)
{
	(void)user;
	progress_show(done, total);
}

/* One file, or one per segment. */
struct outputs {
	struct outfile one;
	struct outfiles many;
	struct bob_target target;
	int has_many;
};

static int
open_outputs(struct conv *c, struct outputs *o)
{
	memset(o, 0, sizeof(*o));
	outfile_on_signals();
	o->has_many = outfiles_is_pattern(c->path);
	o->many.pattern = c->path;
	if (o->has_many)
		return 0;
	if (outfile_open(&o->one, c->path) < 0)
		return -1;
	o->target = outfile_target(&o->one);
	return 0;
}

static int
close_outputs(struct outputs *o, int keep)
{
	if (keep)
		return o->has_many ? outfiles_keep(&o->many)
		                   : outfile_keep(&o->one);
	if (o->has_many)
		outfiles_drop(&o->many);
	else
		outfile_drop(&o->one);
	return 0;
}

static int
convert(struct conv *c, struct outputs *o)
{
	struct bob_convert_events events = { .plan = on_plan, .gap = on_gap,
		.progress = on_progress, .user = c };
	struct bob_convert what = { .size = sizeof(what),
		.inputs = c->job.inputs, .n_inputs = c->job.n_inputs,
		.output = o->has_many ? NULL : &o->target,
		.from = c->job.from, .to = c->to->name,
		.options = c->options, .n_options = c->n_options,
		.filter = c->job.filter,
		.next_output = o->has_many ? outfiles_next : NULL,
		.next_user = &o->many, .threads = c->threads,
		.flags = c->flags, .events = &events,
		.read_options = &c->job.dialect,
		.n_read_options = job_n_options(&c->job),
		.baseline = c->baseline };
	int r;

	c->job.current = c->baseline; /* the first to be opened */
	if (c->job.by_time)
		what.flags |= BOB_CONVERT_BY_TIME;
	r = bob_convert(c->job.ctx, &what, &c->done);

	progress_wipe();
	return r;
}

/* Writing failed: the library's error would only say that a function did. */
static int
write_failed(const struct outfile *o)
{
	if (o->error == EPIPE) {
		/* Whoever read has had enough. Where the signal is ignored,
		 * it is taken as if it had come. */
		(void)signal(SIGPIPE, SIG_DFL);
		(void)raise(SIGPIPE);
	}
	if (o->error != OUTFILE_SAID)
		msg_error("%s: %s", o->name, strerror(o->error));
	if (o->error == ENOSPC)
		msg_hint("free some room, or write elsewhere with -o");
	return EXIT_FAILED;
}

static int
exit_code(struct conv *c, int r)
{
	const struct bob_error *e = bob_ctx_error(c->job.ctx);

	if (r >= BOB_WARN)
		return r == BOB_WARN ? EXIT_PARTIAL : EXIT_OK;
	if ((c->flags & BOB_CONVERT_STRICT_PLAN) != 0 && c->lost[0] != '\0' &&
	    e->code == BOB_E_USAGE) {
		msg_error("%s", e->text);
		msg_hint("without --strict-plan the rest is written");
		return EXIT_GATE;
	}
	return job_error(&c->job, c->job.current != NULL ? c->job.current
	                                                 : c->job.inputs[0]);
}

/* The library ends the trace properly when an input is damaged. */
static int
is_worth_keeping(const struct conv *c, int r)
{
	return r >= BOB_WARN || (c->done.n_samples > 0 &&
	    bob_ctx_error(c->job.ctx)->code == BOB_E_CORRUPT);
}

int
conv_run(struct conv *c)
{
	struct outputs o;
	const struct outfile *last;
	int r, code;

	code = check_output(c);
	if (code != EXIT_OK)
		return code;
	if (c->is_live)
		return conv_run_live(c);
	if (open_outputs(c, &o) < 0)
		return EXIT_FAILED;
	r = convert(c, &o);
	last = o.has_many ? &o.many.current : &o.one;
	code = last->error != 0 ? write_failed(last) : exit_code(c, r);
	if (close_outputs(&o, last->error == 0 && is_worth_keeping(c, r)) < 0)
		return EXIT_FAILED;
	return code;
}
