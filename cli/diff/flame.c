/* The differences as a flame graph, drawn by the formats that can. */
#include "diff.h"
#include "output/outfile.h"
#include "print/msg.h"

int
diff_flame(struct diff *x)
{
	struct bob_target target = outfile_target(x->o.path);
	struct bob_diff_output o = { .size = sizeof(o), .output = &target,
		.to = x->o.style == DIFF_SVG ? "flamegraph" : "html",
		.name = { job_name(x->job.inputs[0]),
			job_name(x->job.inputs[1]) } };

	outfile_on_signals();
	return bob_diff_write(x->d, &o) < 0 ? job_error(&x->job) : EXIT_OK;
}
