/* bobbin explore: from options and inputs to the full-screen explorer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bobbin/profile.h>
#include <bobbin/source.h>

#include "explore/action.h"
#include "explore/explore.h"
#include "input/grouping.h"
#include "input/job.h"
#include "input/sources.h"
#include "print/msg.h"
#include "print/plain.h"

/* Room for the names of inputs in the title. */
#define TITLE 512

struct explore {
	struct job job;
	struct explore_opts tui;
	struct bob_profile *profile;
	struct bob_sources *sources;
	char title[TITLE];
	int code; /* of what was read */
};

static void
on_warning(void *user, const char *text)
{
	const struct explore *x = user;

	msg_warn("%s: %s", x->tui.keymap, text);
}

static int
on_progress(void *user, uint64_t done)
{
	const struct explore *x = user;

	progress_show(done, x->job.size);
	return 0;
}

static int
set_theme(struct explore *x, const struct args *args)
{
	const char *theme = args_value(args, OPT_THEME);
	const char *color = args_value(args, OPT_COLOR);

	x->tui.tty.no_color = color != NULL && strcmp(color, "never") == 0;
	if (theme == NULL || strcmp(theme, "auto") == 0)
		return EXIT_OK;
	if (strcmp(theme, "dark") == 0)
		x->tui.tty.theme = TTY_THEME_DARK;
	else if (strcmp(theme, "light") == 0)
		x->tui.tty.theme = TTY_THEME_LIGHT;
	else
		return msg_usage("--theme '%s' is not auto, dark or light",
		    theme);
	return EXIT_OK;
}

static int
set_group(struct explore *x, const struct args *args)
{
	const char *group = args_value(args, OPT_GROUP_BY);

	x->tui.no_line = args_has(args, OPT_NO_LINE);
	x->tui.group = BOB_GROUP_FUNCTION;
	if (group == NULL)
		return EXIT_OK;
	return grouping_set(group, &x->tui.group, &x->tui.annotation);
}

static int
set_diff(struct explore *x, const struct args *args)
{
	x->tui.is_diff = args_has(args, OPT_DIFF);
	if (!x->tui.is_diff || x->job.n_inputs == 2)
		return EXIT_OK;
	(void)msg_usage("explore: --diff compares two inputs, not %zu",
	    x->job.n_inputs);
	msg_hint("as in bobbin explore --diff before.rbt after.rbt");
	return EXIT_USAGE;
}

static int
set_options(struct explore *x, const struct args *args)
{
	int code = set_theme(x, args);

	if (code == EXIT_OK)
		code = sources_open(args, &x->sources);
	x->tui.sources = x->sources;
	if (code == EXIT_OK)
		code = set_group(x, args);
	if (code == EXIT_OK)
		code = set_diff(x, args);
	x->tui.ctx = x->job.ctx;
	x->tui.follows = args_has(args, OPT_FOLLOW);
	return code;
}

/* Damage ends an input, but what was read before is shown. */
static int
read_inputs(struct explore *x)
{
	struct bob_profile_opts o = { .size = sizeof(o),
		.format = x->job.from, .split = grouping_split(x->tui.group),
		.filter = x->job.filter, .options = &x->job.dialect,
		.n_options = job_n_options(&x->job), .progress = on_progress,
		.user = x };
	size_t i;
	int r, code = EXIT_OK;

	if (job_passes_damage(&x->job))
		o.flags |= BOB_PROFILE_RECOVER;
	if (x->tui.follows)
		o.flags |= BOB_PROFILE_FOLLOW;
	if (bob_profile_new(x->job.ctx, &o, &x->profile) < 0)
		return job_error(&x->job);
	for (i = 0; i < x->job.n_inputs; i++) {
		r = bob_profile_add(x->profile, x->job.inputs[i],
		    x->tui.is_diff && i == 1);
		progress_wipe();
		if (r == BOB_WARN && code == EXIT_OK)
			code = EXIT_PARTIAL;
		else if (r < BOB_WARN)
			code = job_error(&x->job);
	}
	if (job_tell_damage(&x->job, 1) != EXIT_OK && code == EXIT_OK)
		code = EXIT_PARTIAL;
	return code;
}

static void
make_title(struct explore *x)
{
	const char *between = x->tui.is_diff ? " -> " : ", ";
	size_t at = 0, i;

	for (i = 0; i < x->job.n_inputs && at < TITLE; i++)
		at += (size_t)snprintf(x->title + at, TITLE - at, "%s%s",
		    i > 0 ? between : "", job_name(x->job.inputs[i]));
	if (x->job.title != NULL)
		(void)snprintf(x->title, TITLE, "%s", x->job.title);
	x->tui.title = x->title;
}

static int
has_samples(const struct explore *x)
{
	return x->tui.follows ||
	    bob_profile_info(x->profile, 0).n_samples > 0 ||
	    (x->tui.is_diff &&
	        bob_profile_info(x->profile, 1).n_samples > 0);
}

static int
explore(struct explore *x)
{
	char err[512];
	int code = read_inputs(x);

	if (code == EXIT_USAGE || x->profile == NULL)
		return code;
	if (!has_samples(x)) {
		if (code == EXIT_OK || code == EXIT_PARTIAL)
			msg_error("no samples%s to explore",
			    x->job.filter != NULL ? " that pass the filters"
			                          : "");
		return EXIT_FAILED;
	}
	make_title(x);
	x->tui.profile = x->profile;
	if (explore_run(&x->tui, err, sizeof(err)) < 0) {
		msg_error("explore: %s", err);
		msg_hint("'bobbin analyze' reports without a terminal");
		return EXIT_FAILED;
	}
	return code;
}

static int
diagnose(struct explore *x)
{
	char err[512];

	if (explore_diagnose(&x->tui, err, sizeof(err)) < 0) {
		msg_error("explore: %s", err);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

int
cmd_explore(const struct args *args)
{
	struct explore x;
	int code;

	memset(&x, 0, sizeof(x));
	x.tui.keymap = args_value(args, OPT_KEYMAP);
	x.tui.warn = on_warning;
	x.tui.user = &x;
	if (args_has(args, OPT_DIAGNOSE)) {
		code = set_theme(&x, args);
		return code == EXIT_OK ? diagnose(&x) : code;
	}
	code = job_init(&x.job, args);
	if (code == EXIT_OK)
		code = set_options(&x, args);
	/* A key shows idle samples, so the profile must have them. */
	x.tui.idle = x.job.filters.spec.idle;
	x.job.filters.spec.idle = BOB_IDLE_KEEP;
	if (code == EXIT_OK)
		code = explore(&x);
	bob_profile_free(x.profile);
	bob_sources_free(x.sources);
	job_done(&x.job);
	return code;
}

int
explore_key_help(size_t i, struct key_help *ret)
{
	int group, action;

	for (group = 0; group < N_ACTION_GROUPS; group++) {
		for (action = 1; action < N_ACTIONS; action++) {
			if (action_info(action)->group != group || i-- > 0)
				continue;
			ret->group = action_group_title(group);
			(void)snprintf(ret->keys, sizeof(ret->keys), "%s",
			    action_info(action)->keys);
			ret->what = action_info(action)->help;
			return 1;
		}
	}
	return 0;
}
