/* bobbin diff: reads two traces, compares them, and applies the gate. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "input/pair.h"
#include "output/outfile.h"
#include "print/msg.h"

static int
check_operands(const struct args *args)
{
	if (args_has(args, OPT_STORE))
		return EXIT_OK;
	if (args->n_operands != 2) {
		(void)msg_usage("diff: %s", args->n_operands == 0
		    ? "two traces are needed" : "a second trace is needed");
		msg_hint("usage: bobbin diff %s", args->command->synopsis);
		return EXIT_USAGE;
	}
	if (strcmp(args->operands[0], "-") == 0 &&
	    strcmp(args->operands[1], "-") == 0) {
		(void)msg_usage("diff: standard input cannot be both traces");
		msg_hint("name a file instead of one of them");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

/* What the reader of a report should know about its errors. */
static void
say_order(const struct diff *x)
{
	int i;

	for (i = 0; i < 2; i++) {
		const char *name = x->name[i];

		if (x->info.order[i] == BOB_DIFF_NO_ORDER)
			msg_note("%s has no order of samples: they are assumed "
			    "to be independent", name);
		else if (x->info.order[i] == BOB_DIFF_SORTED)
			msg_note("%s is sorted by stack: its samples are "
			    "assumed to be independent", name);
	}
}

static int
diff_compare(struct diff *x)
{
	struct bob_diff_opts o = { .size = sizeof(o),
		.normalize = x->o.normalize, .group = x->o.group,
		.annotation = x->o.annotation, .max_depth = x->o.depth,
		.min_share = x->o.min_share,
		.min_tested = x->o.min_share };

	/* These have all paths. */
	if (x->o.style >= DIFF_FOLDED)
		o.max_depth = 0, o.min_share = 0;
	if (bob_diff_new(x->profile, &o, &x->d) < 0)
		return job_error(&x->job);
	x->info = bob_diff_info(x->d);
	if (pair_check(&x->job, x->name, &x->info) != EXIT_OK)
		return EXIT_FAILED;
	if (x->o.n_gates > 0 && bob_diff_gate(x->d, x->o.gate, x->o.n_gates,
	        &x->hit, &x->n_hits, &x->n_tested) < 0)
		return job_error(&x->job);
	if (x->o.style == DIFF_FOLDED && diff_folded_fits(x) != EXIT_OK)
		return EXIT_FAILED;
	return diff_mark_paths(x);
}

static void
diff_show(struct diff *x, FILE *f)
{
	switch (x->o.style) {
	case DIFF_JSON:
		diff_json(x, f);
		break;
	case DIFF_MD:
		diff_md(x, f);
		break;
	case DIFF_FOLDED:
		diff_folded(x, f);
		break;
	default:
		diff_text(x, f);
		break;
	}
}

static ssize_t
put(void *out, const char *p, size_t n)
{
	return bob_out_put(out, p, n) < 0 ? 0 : (ssize_t)n;
}

/* Writes the report to a file, which gets its name when it is complete. */
static int
show_in_file(struct diff *x)
{
	struct bob_target target = outfile_target(x->o.path);
	struct bob_out *out;
	FILE *f;
	int failed;

	outfile_on_signals();
	if (bob_out_open(x->job.ctx, &target, &out) < 0)
		return job_error(&x->job);
	f = fopencookie(out, "w", (cookie_io_functions_t){ .write = put });
	if (f == NULL) {
		bob_out_discard(out);
		msg_error("%s: %s", x->o.path, strerror(errno));
		return EXIT_FAILED;
	}
	diff_show(x, f);
	failed = ferror(f);
	if (fclose(f) != 0 || failed) {
		bob_out_discard(out);
		return job_error(&x->job);
	}
	return bob_out_finish(out) < 0 ? job_error(&x->job) : EXIT_OK;
}

/* Says what the gate found, for outputs that do not contain it. */
static void
say_gate(const struct diff *x)
{
	size_t i;

	for (i = 0; i < x->n_hits; i++) {
		const struct bob_gate_hit *h = &x->hit[i];
		struct bob_key key = bob_diff_key(x->d, h->key);

		msg_error("%.*s grew by %.1f %% (%s), limit %g %%",
		    (int)(key.text.n < 200 ? key.text.n : 200), key.text.p,
		    100 * h->change.growth, diff_order_name(h->order),
		    100 * x->o.gate[h->gate].limit);
	}
}

/* The sides of files are a file each, those of a store are ranges. */
static void
set_sides(struct diff *x)
{
	struct job *j = &x->job;
	int i;

	if (j->before == NULL)
		j->n_before = 1;
	for (i = 0; i < 2; i++)
		x->name[i] = j->side[i] != NULL ? j->side[i]
		    : job_name(j->inputs[i]);
}

static int
diff_run(struct diff *x)
{
	const struct job *j = &x->job;
	int partial, code;

	set_sides(x);
	partial = pair_read(&x->job, j->inputs, j->n_before, j->inputs +
	    j->n_before, j->n_inputs - j->n_before, &x->profile);
	if (partial != EXIT_OK && partial != EXIT_PARTIAL)
		return partial;
	code = diff_compare(x);
	if (code != EXIT_OK)
		return code;
	if (x->o.style < DIFF_FOLDED || x->o.n_gates > 0)
		say_order(x);
	if (x->o.style == DIFF_SVG || x->o.style == DIFF_HTML)
		code = diff_flame(x);
	else if (x->o.path != NULL)
		code = show_in_file(x);
	else
		diff_show(x, stdout);
	if (code != EXIT_OK)
		return code;
	if (x->o.path != NULL || x->o.style >= DIFF_FOLDED)
		say_gate(x);
	return x->n_hits > 0 ? EXIT_GATE : partial;
}

int
cmd_diff(const struct args *args)
{
	struct diff x = { 0 };
	int code = check_operands(args);

	if (code != EXIT_OK)
		return code;
	code = job_init(&x.job, args);
	if (code == EXIT_OK)
		code = diff_options(&x.o, args);
	if (code == EXIT_OK)
		code = diff_run(&x);
	free(x.is_changed);
	free(x.way);
	bob_gate_hits_free(x.hit);
	bob_diff_free(x.d);
	bob_profile_free(x.profile);
	diff_options_done(&x.o);
	job_done(&x.job);
	return code;
}
