/* The differences as a flame graph, drawn by the formats that can. */
#include <string.h>
#include <sys/stat.h>

#include <bobbin/convert.h>

#include "diff.h"
#include "output/outfile.h"
#include "print/msg.h"

/* A flame graph is drawn from the files, not from the profile. */
static int
check_inputs(const struct diff *x)
{
	struct stat st;
	int i;

	for (i = 0; i < 2; i++) {
		const char *name = x->job.inputs[i];

		if (strcmp(name, "-") != 0 &&
		    (stat(name, &st) < 0 || S_ISREG(st.st_mode)))
			continue;
		(void)msg_usage("%s: a flame graph reads its inputs twice, "
		    "so that each must be a file", job_name(name));
		msg_hint("'bobbin convert -o FILE' makes one of it");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

int
diff_flame(struct diff *x)
{
	struct bob_target target = outfile_target(x->o.path);
	struct bob_convert c = { .size = sizeof(c),
		.inputs = x->job.inputs + 1, .n_inputs = 1,
		.baseline = x->job.inputs[0], .output = &target,
		.from = x->job.from, .filter = x->job.filter,
		.to = x->o.style == DIFF_SVG ? "flamegraph" : "html",
		.read_options = &x->job.dialect,
		.n_read_options = job_n_options(&x->job) };
	int r = check_inputs(x);

	if (r != EXIT_OK)
		return r;
	/* Damage was told when the inputs were read for the comparison. */
	if (job_passes_damage(&x->job))
		c.flags |= BOB_CONVERT_RECOVER;
	bob_ctx_on_gap(x->job.ctx, NULL, NULL);
	bob_ctx_on_diag(x->job.ctx, NULL, NULL);
	outfile_on_signals();
	return bob_convert(x->job.ctx, &c, NULL) < BOB_WARN
	    ? job_error(&x->job) : EXIT_OK;
}
