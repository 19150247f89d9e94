/* The differences as a picture, which is drawn from what was found; or both
 * traces as a page, which compares them by itself. */
#include <string.h>

#include <bobbin/convert.h>

#include "diff.h"
#include "output/outfile.h"
#include "print/msg.h"

static int
write_picture(struct diff *x, const struct bob_target *target)
{
	struct bob_diff_output o = { .size = sizeof(o), .output = target,
		.to = "flamegraph",
		.name = { job_name(x->job.inputs[0]),
			job_name(x->job.inputs[1]) } };

	return bob_diff_write(x->d, &o) < 0 ? job_error(&x->job) : EXIT_OK;
}

/* A page carries the traces, so they are read again. */
static int
check_inputs(const struct diff *x)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (strcmp(x->job.inputs[i], "-") != 0)
			continue;
		(void)msg_usage("standard input cannot be read again for a "
		    "page");
		msg_hint("-o diff.svg makes a picture");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int
write_page(struct diff *x, const struct bob_target *target)
{
	struct bob_filter filter = x->job.filters.spec;
	struct bob_option lines = { .key = "lines" };
	struct bob_convert c = { .size = sizeof(c),
		.inputs = &x->job.inputs[1], .n_inputs = 1,
		.before = &x->job.inputs[0], .n_before = 1,
		.output = target, .from = x->job.from, .to = "html",
		.options = &lines, .n_options = x->o.group == BOB_GROUP_LINE,
		.filter = &filter, .read_options = &x->job.dialect,
		.n_read_options = job_n_options(&x->job),
		.flags = x->job.is_strict ? 0 : BOB_CONVERT_RECOVER };
	int code = check_inputs(x);

	if (code != EXIT_OK)
		return code;
	/* The page shows and hides idle samples itself. */
	filter.idle = BOB_IDLE_KEEP;
	return bob_convert(x->job.ctx, &c, NULL) < BOB_WARN
	    ? job_error(&x->job) : EXIT_OK;
}

int
diff_flame(struct diff *x)
{
	struct bob_target target = outfile_target(x->o.path);

	outfile_on_signals();
	return x->o.style == DIFF_SVG ? write_picture(x, &target)
	    : write_page(x, &target);
}
