/* The differences as a picture, which is drawn from what was found; or both
 * traces as a page, which compares them by itself. */
#include <string.h>

#include <bobbin/convert.h>

#include "diff.h"
#include "output/outfile.h"
#include "print/msg.h"

#define TITLE_TEXT 512

static int
write_picture(struct diff *x, const struct bob_target *target)
{
	struct bob_diff_output o = { .size = sizeof(o), .output = target,
		.to = "flamegraph",
		.name = { x->name[0], x->name[1] } };

	return bob_diff_write(x->d, &o) < 0 ? job_error(&x->job) : EXIT_OK;
}

/* A page carries the traces, so they are read again. */
static int
check_inputs(const struct diff *x)
{
	size_t i;

	for (i = 0; i < x->job.n_inputs; i++) {
		if (strcmp(x->job.inputs[i], "-") != 0)
			continue;
		(void)msg_usage("standard input cannot be read again for a "
		    "page");
		msg_hint("-o diff.svg makes a picture");
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

/* A range of a store has a name, which its files do not tell. Returns how many
 * options the page gets. */
static size_t
set_options(const struct diff *x, struct bob_option option[2],
    char title[TITLE_TEXT])
{
	size_t n = 0;

	if (x->o.group == BOB_GROUP_LINE)
		option[n++] = (struct bob_option){ .key = "lines" };
	if (x->job.before == NULL)
		return n;
	(void)snprintf(title, TITLE_TEXT, "%s -> %s", x->name[0], x->name[1]);
	option[n++] = (struct bob_option){ .key = "title", .value = title };
	return n;
}

static int
write_page(struct diff *x, const struct bob_target *target)
{
	const struct job *j = &x->job;
	struct bob_filter filter = j->filters.spec, before = j->filters.before;
	struct bob_option option[2];
	char title[TITLE_TEXT];
	struct bob_convert c = { .size = sizeof(c),
		.inputs = j->inputs + j->n_before,
		.n_inputs = j->n_inputs - j->n_before,
		.before = j->inputs, .n_before = j->n_before,
		.before_filter = j->before != NULL ? &before : NULL,
		.output = target, .from = j->from, .to = "html",
		.options = option, .n_options = set_options(x, option, title),
		.filter = &filter, .read_options = &j->dialect,
		.n_read_options = job_n_options(j),
		.flags = j->is_strict ? 0 : BOB_CONVERT_RECOVER };
	int code = check_inputs(x);

	if (code != EXIT_OK)
		return code;
	/* The page shows and hides idle samples itself. */
	filter.idle = before.idle = BOB_IDLE_KEEP;
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
