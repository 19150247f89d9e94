/* From arguments to one call of bob_convert, and from its result to an exit
 * code. */
#include "conv.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bobbin/times.h>

#include "input/pair.h"
#include "output/outfile.h"
#include "output/outname.h"
#include "print/msg.h"
#include "print/plain.h"
#include "system/signals.h"

/* A missing file is found before hours are spent on the files before it. */
static int
check_inputs(const struct job *j)
{
	struct stat st;
	size_t i;

	for (i = 0; i < j->n_inputs; i++) {
		const char *name = j->inputs[i];
		int r;

		if (strcmp(name, "-") == 0)
			continue;
		r = stat(name, &st);
		if (r == 0 && !S_ISDIR(st.st_mode))
			continue;
		msg_error("%s: %s", name, strerror(r == 0 ? EISDIR : errno));
		if (r == 0)
			job_hint_directory();
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

int
conv_init(struct conv *c, const struct args *args)
{
	int code;

	memset(c, 0, sizeof(*c));
	code = output_init(&c->output, args);
	if (code == EXIT_OK)
		code = job_init(&c->job, args);
	c->output.input_dialect = &c->job.dialect;
	return code == EXIT_OK ? check_inputs(&c->job) : code;
}

void
conv_done(struct conv *c)
{
	output_done(&c->output);
	job_done(&c->job);
}

void
conv_pass_damage(struct conv *c)
{
	if (job_passes_damage(&c->job))
		c->flags |= BOB_CONVERT_RECOVER | BOB_CONVERT_SOME;
}

/* An input that is overwritten while it is read would be destroyed. */
static int
check_overlap(const struct conv *c)
{
	struct stat out, in;
	size_t i;

	if (c->is_live ? stat(c->output.path, &out) < 0
	               : !output_is_stdout(&c->output) ||
	        fstat(STDOUT_FILENO, &out) < 0)
		return EXIT_OK;
	if (!S_ISREG(out.st_mode))
		return EXIT_OK;
	for (i = 0; i < c->job.n_inputs; i++) {
		const char *name = c->job.inputs[i];
		int r = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &in)
		                               : stat(name, &in);

		if (r < 0 || in.st_dev != out.st_dev ||
		    in.st_ino != out.st_ino)
			continue;
		(void)msg_usage("%s is both input and output",
		    job_name(name));
		msg_hint("-o FILE may name an input, without --live: it is "
		    "replaced when the output is complete");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int
check_output(const struct conv *c)
{
	const struct output *o = &c->output;

	if (output_check_terminal(o) != EXIT_OK)
		return EXIT_USAGE;
	if (c->is_live &&
	    (output_is_stdout(o) || outname_is_pattern(o->path))) {
		(void)msg_usage("--live needs the name of one file");
		msg_hint("-o FILE names it");
		return EXIT_USAGE;
	}
	if (c->is_live && c->baseline != NULL) {
		(void)msg_usage("--live and --baseline exclude each other");
		msg_hint("differences are known only at the end of the input");
		return EXIT_USAGE;
	}
	if (c->baseline != NULL && (c->flags & BOB_CONVERT_STRICT_PLAN) != 0) {
		(void)msg_usage("--baseline and --strict-plan exclude each "
		    "other");
		msg_hint("a difference keeps sums, not samples");
		return EXIT_USAGE;
	}
	if (c->is_live && c->job.by_time) {
		(void)msg_usage("--live and --order time exclude each other");
		msg_hint("convert the file again with --order time when it is "
		    "complete");
		return EXIT_USAGE;
	}
	if (outname_is_pattern(o->path) && !output_takes(o, "rotate-size")) {
		(void)msg_usage("%s: %s has no segments", o->path,
		    o->format->name);
		msg_hint("-o takes a name without {} and %%d");
		return EXIT_USAGE;
	}
	return check_overlap(c);
}

/* What is lost is looked for only where somebody is told. */
static int
wants_plan(const struct conv *c)
{
	return c->output.tells_plan && !msg_is_quiet();
}

static void
on_plan(void *user, const char *input, const char *from, const char *to,
    const char *lost)
{
	struct conv *c = user;

	(void)input;
	(void)from;
	(void)to;
	output_tell_plan(&c->output, lost);
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

static int
convert(struct conv *c, struct outnames *names)
{
	int has_many = outname_is_pattern(c->output.path);
	struct bob_target target = outfile_target(c->output.path);
	struct bob_convert_events events = {
		.plan = wants_plan(c) ? on_plan : NULL, .gap = on_gap,
		.progress = on_progress, .user = c };
	struct bob_convert what = { .size = sizeof(what),
		.inputs = c->job.inputs, .n_inputs = c->job.n_inputs,
		.output = has_many ? NULL : &target,
		.from = c->job.from, .to = c->output.format->name,
		.options = c->output.options, .n_options = c->output.n_options,
		.filter = c->job.filter,
		.next_output = has_many ? outname_next : NULL,
		.next_user = names, .threads = c->threads,
		.flags = c->flags, .events = &events,
		.read_options = &c->job.dialect,
		.n_read_options = job_n_options(&c->job),
		.before = &c->baseline, .n_before = c->baseline != NULL };
	int r;

	if (c->job.by_time)
		what.flags |= BOB_CONVERT_BY_TIME;
	if (c->is_live) {
		what.flags |= BOB_CONVERT_LIVE;
		signals_catch_stop(SIGINT, SIGNALS_ONCE);
		signals_catch_stop(SIGTERM, SIGNALS_ONCE);
		what.stop = signals_stopped();
		target.flags = BOB_TARGET_LIVE;
	} else {
		outfile_on_signals();
	}
	r = bob_convert(c->job.ctx, &what, &c->done);

	progress_wipe();
	return r;
}

static int
exit_code(struct conv *c, int r)
{
	const struct bob_error *e = bob_ctx_error(c->job.ctx);

	int code = EXIT_OK;

	/* Damage that leaves no sample is an error of the library too. */
	if (r >= BOB_WARN || (e->code == BOB_E_CORRUPT &&
	    c->done.n_samples == 0))
		code = job_tell_damage(&c->job, c->job.filters.is_set ? 1
		        : c->done.times.size != 0 ? c->done.times.samples
		        : c->done.n_samples);
	if (code == EXIT_FAILED)
		return code;
	if (r >= BOB_WARN)
		return r == BOB_WARN ? EXIT_PARTIAL : code;
	if (e->code == BOB_E_PLAN) {
		msg_error("%s", e->text);
		msg_hint("without --strict-plan the rest is written");
		return EXIT_GATE;
	}
	return job_error(&c->job);
}

/* "wrote x.folded: folded, 530 samples, 12.3 kB" */
static void
say_result(const struct conv *c)
{
	char n[NUMBER_TEXT], bytes[NUMBER_TEXT], idle[BOB_TIMES_TEXT];

	if (!c->says_result || output_is_stdout(&c->output))
		return;
	msg_step("wrote %s (%s): %s, %s", c->output.path,
	    c->output.format->name,
	    number_nouns(n, c->done.n_samples, "sample"),
	    number_bytes(bytes, c->done.bytes_out));
	if (c->done.times.size != 0 &&
	    *bob_times_idle(idle, &c->done.times) != '\0')
		msg_step("%s", idle);
}

/* What two recordings differ in: the library compares, the format draws. */
static int
write_difference(struct conv *c, const struct bob_diff *d)
{
	struct bob_target target = outfile_target(c->output.path);
	struct bob_diff_output o = { .size = sizeof(o), .output = &target,
		.to = c->output.format->name, .options = c->output.options,
		.n_options = c->output.n_options,
		.name = { job_name(c->baseline),
			job_name(c->job.inputs[0]) } };

	outfile_on_signals();
	return bob_diff_write(d, &o) < 0 ? job_error(&c->job) : EXIT_OK;
}

static int
convert_difference(struct conv *c)
{
	struct bob_diff_opts o = { .size = sizeof(o),
		.group = output_has_option(&c->output, "lines")
		    ? BOB_GROUP_LINE : BOB_GROUP_FUNCTION,
		.min_tested = PAIR_MIN_SHARE };
	const char *const name[2] = { c->baseline, c->job.inputs[0] };
	struct bob_profile *p = NULL;
	struct bob_diff *d = NULL;
	struct bob_diff_info info;
	int code = pair_read(&c->job, &c->baseline, 1, c->job.inputs,
	    c->job.n_inputs, &p), r;

	if (code == EXIT_OK || code == EXIT_PARTIAL) {
		if (bob_diff_new(p, &o, &d) < 0) {
			code = job_error(&c->job);
		} else {
			info = bob_diff_info(d);
			r = pair_check(&c->job, name, &info);
			if (r == EXIT_OK)
				r = write_difference(c, d);
			code = r != EXIT_OK ? r : code;
		}
	}
	bob_diff_free(d);
	bob_profile_free(p);
	return code;
}

int
conv_run(struct conv *c)
{
	struct outnames names = { .pattern = c->output.path };
	int r, code;

	code = check_output(c);
	if (code != EXIT_OK)
		return code;
	if (filters_for_output(&c->job.filters, c->job.args,
	        c->output.format))
		c->job.filter = &c->job.filters.spec;
	if (c->baseline != NULL && !c->output.format->takes_before)
		return convert_difference(c);
	r = convert(c, &names);
	free(names.name);
	code = exit_code(c, r);
	if (code == EXIT_OK || code == EXIT_PARTIAL)
		say_result(c);
	return code;
}
