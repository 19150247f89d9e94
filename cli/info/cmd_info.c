/* bobbin info: reads each input and prints what is in it. */
#include <stdio.h>

#include <bobbin/profile.h>
#include <bobbin/read.h>

#include "info.h"
#include "input/job.h"
#include "print/msg.h"

/* Adds up the times of the input, as the reports do. The profile has the same
 * dictionary as the reader, so that events go to both. */
static int
read_all(struct job *j, struct info *x, struct bob_reader *in,
    struct bob_profile *p)
{
	struct bob_event ev;
	int r;

	x->dict = bob_reader_dict(in);
	x->lost_is_exact = 1;
	while ((r = job_next(j, in, &ev)) == BOB_OK) {
		if (info_event(x, &ev) < 0)
			return msg_no_memory();
		if (bob_profile_feed(p, 0, &ev) < 0)
			return job_error(j);
	}
	progress_wipe();
	if (r < 0 || bob_profile_times(p, 0, NULL, &x->times) < 0)
		return job_error(j);
	if (info_sum(x, in) < 0)
		return msg_no_memory();
	return EXIT_OK;
}

static int
info_input(struct job *j, const char *input, int is_first)
{
	int is_json = args_has(j->args, OPT_JSON);
	struct info x = { .input = input,
		.keeps_all = is_json || args_has(j->args, OPT_ALL),
		.times.size = sizeof(x.times) };
	struct bob_profile_opts o = { .size = sizeof(o),
		.flags = BOB_PROFILE_TIMES };
	struct bob_profile *p;
	struct bob_reader *in;
	int code, damaged = EXIT_OK;

	if (bob_profile_new(j->ctx, &o, &p) < 0)
		return job_error(j);
	j->dict = bob_profile_dict(p);
	if (job_open(j, input, job_passes_damage(j) ? BOB_READ_RECOVER : 0,
	    BOB_WANT_ALL, &in) < 0) {
		bob_profile_free(p);
		return job_error(j);
	}
	code = read_all(j, &x, in, p);
	/* A report says what there is, also if that is nothing. */
	if (code == EXIT_OK)
		damaged = job_tell_damage(j, 1);
	if (code == EXIT_OK && is_json)
		info_json(&x);
	if (code == EXIT_OK && !is_json) {
		if (!is_first)
			(void)putchar('\n');
		info_text(&x);
	}
	if (code == EXIT_OK)
		code = damaged;
	info_done(&x);
	bob_close(in);
	bob_profile_free(p);
	return code;
}

static int
info_inputs(struct job *j)
{
	int worst = EXIT_OK;
	size_t i;

	for (i = 0; i < j->n_inputs && worst != EXIT_USAGE; i++) {
		int code = info_input(j, j->inputs[i], i == 0);

		/* A failure outweighs a gap. */
		if (worst == EXIT_OK || code == EXIT_FAILED)
			worst = code;
	}
	return worst;
}

int
cmd_info(const struct args *args)
{
	struct job j;
	int worst = job_init(&j, args);

	if (worst == EXIT_OK)
		worst = info_inputs(&j);
	job_done(&j);
	return worst;
}
