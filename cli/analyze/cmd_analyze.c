/*
 * bobbin analyze: reads the inputs into a profile and prints the report. The
 * parts of the report are in the other files of this folder (analyze.h).
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze.h"
#include "input/grouping.h"
#include "print/msg.h"

static int
on_progress(void *user, uint64_t done)
{
	const struct analyze *a = user;

	progress_show(done, a->job.size);
	return analyze_is_stopped();
}

static int
wants_requests(const struct layout *l)
{
	return layout_has(l, SECTION_REQUESTS) ||
	    layout_has(l, SECTION_ROUTES) || layout_has(l, SECTION_FREQUENT);
}

int
analyze_profile(struct analyze *a, const struct bob_filter *filter,
    struct bob_profile **ret)
{
	const struct analyze_opts *o = &a->o;
	struct bob_profile_opts p = { .size = sizeof(p), .format = a->job.from,
		.split = grouping_split(o->group), .filter = filter,
		.options = &a->job.dialect, .n_options = job_n_options(&a->job),
		.n_last = o->n_last, .request_key = o->request_key,
		.progress = on_progress, .user = a };

	if (job_passes_damage(&a->job))
		p.flags |= BOB_PROFILE_RECOVER;
	if (o->follows)
		p.flags |= BOB_PROFILE_FOLLOW;
	if (wants_requests(&o->layout))
		p.flags |= BOB_PROFILE_REQUESTS;
	if (o->annotation != NULL && strcmp(o->annotation, "request.id") == 0)
		p.flags |= BOB_PROFILE_REQUEST_IDS;
	if (bob_profile_new(a->job.ctx, &p, ret) < 0)
		return job_error(&a->job);
	return EXIT_OK;
}

/* Bytes of all inputs, for the progress line; 0 if one has no size. */
static uint64_t
size_of_inputs(const struct job *j)
{
	uint64_t sum = 0;
	struct stat st;
	size_t i;

	for (i = 0; i < j->n_inputs; i++) {
		if (stat(j->inputs[i], &st) < 0 || !S_ISREG(st.st_mode))
			return 0;
		sum += (uint64_t)st.st_size;
	}
	return sum;
}

/* A failure outweighs a gap. */
static void
note_code(struct analyze *a, int code)
{
	if (a->code == EXIT_OK || (code != EXIT_OK && code != EXIT_PARTIAL))
		a->code = code;
}

/* Damage ends an input, but what was read before counts, and the other inputs
 * are read. */
static void
add_inputs(struct analyze *a)
{
	size_t i;
	int r;

	a->job.size = size_of_inputs(&a->job);
	for (i = 0; i < a->job.n_inputs && !analyze_is_stopped(); i++) {
		r = bob_profile_add(a->profile, a->job.inputs[i], 0);
		progress_wipe();
		if (r == BOB_WARN)
			note_code(a, EXIT_PARTIAL);
		else if (r < 0)
			note_code(a, job_error(&a->job));
	}
	note_code(a, job_tell_damage(&a->job, a->o.follows ? 1
	        : bob_profile_info(a->profile, 0).n_read));
}

static int
is_block(const struct analyze *a)
{
	return a->o.style != STYLE_CSV && a->o.style != STYLE_JSON;
}

/* What the report is of: before reli's tables, which begin with it, and below
 * our report, which begins with the answer. */
static void
say_summary(const struct analyze *a)
{
	struct span l = { 0 };
	size_t i;

	/* Elsewhere the end of the program says why a write failed. */
	if (isatty(STDOUT_FILENO))
		(void)fflush(stdout);
	for (i = 0; summary_line(a, i, &l); i++) {
		if (l.n > 0)
			msg_report("%.*s", (int)l.n, l.p);
		span_done(&l);
	}
}

/* Shows the report on standard output. EXIT_OK, or EXIT_FAILED. */
static int
print_report(struct analyze *a)
{
	struct block b = { 0 };
	int code = EXIT_OK;

	if (a->o.style == STYLE_JSON)
		analyze_json(a, stdout);
	else if (a->o.style == STYLE_CSV)
		analyze_csv(a, stdout);
	else if (a->o.style == STYLE_MD)
		analyze_md(a, &b);
	else
		analyze_text(a, &b);
	if (is_block(a) && !block_is_whole(&b))
		code = msg_no_memory();
	else
		block_print(&b, stdout, "\n");
	block_done(&b);
	return code;
}

int
analyze_report(struct analyze *a)
{
	int code = analyze_gather(a);
	struct span l = { 0 };

	if (code == EXIT_OK)
		code = analyze_fit(a);
	if (code != EXIT_OK)
		return code;
	if (a->o.style == STYLE_RELI || a->o.style == STYLE_CSV)
		say_summary(a);
	code = print_report(a);
	if (a->o.style == STYLE_TABLES) {
		msg_report("%s", "");
		say_summary(a);
	}
	if (a->r.is_cut && a->o.style == STYLE_CSV) {
		left_out(a, &l);
		msg_note("%.*s", (int)l.n, l.p);
	} else if (a->o.style != STYLE_JSON && a->o.style != STYLE_MD &&
	    why_empty(a, &l))
		msg_note("%.*s", (int)l.n, l.p);
	span_done(&l);
	return code;
}

static int
analyze_run(struct analyze *a)
{
	int code = analyze_profile(a, a->job.filter, &a->profile);

	if (code != EXIT_OK)
		return code;
	if (a->o.follows)
		follow_signals();
	add_inputs(a);
	if (a->code == EXIT_USAGE)
		return a->code;
	if (a->o.follows)
		return analyze_follow(a);
	if (a->code == EXIT_FAILED &&
	    bob_profile_info(a->profile, 0).n_read == 0)
		return a->code;
	code = analyze_report(a);
	return code == EXIT_OK ? a->code : code;
}

static void
analyze_done(struct analyze *a)
{
	report_done(&a->r);
	bob_profile_free(a->profile);
	job_done(&a->job);
}

int
analyze_file(const char *path)
{
	const struct spelling *own;
	struct analyze a = { .code = EXIT_OK };
	int code = job_init_file(&a.job, command_named("analyze", &own), path);

	analyze_defaults(&a.o);
	a.has_answer = 1;
	if (code == EXIT_OK)
		code = analyze_run(&a);
	analyze_done(&a);
	return code;
}

int
cmd_analyze(const struct args *args)
{
	struct analyze a = { .code = EXIT_OK };
	int code = job_init(&a.job, args);

	if (code == EXIT_OK)
		code = analyze_options(&a.o, args);
	/* Who asks for sections gets these alone. */
	a.has_answer = !args_has(args, OPT_SECTIONS);
	if (code == EXIT_OK)
		code = analyze_run(&a);
	analyze_done(&a);
	return code;
}
