/* Two sides to compare; see the header. */
#include "pair.h"

#include "print/msg.h"

static int
on_progress(void *user, uint64_t done)
{
	(void)user;
	progress_show(done, 0);
	return 0;
}

int
pair_read(struct job *j, const char *const *before, size_t n_before,
    const char *const *after, size_t n_after, struct bob_profile **ret)
{
	struct bob_profile_opts o = { .size = sizeof(o), .format = j->from,
		.filter = j->filter, .options = &j->dialect,
		.n_options = job_n_options(j), .progress = on_progress,
		.before = j->before };
	int r, code = EXIT_OK;
	size_t i;

	if (job_passes_damage(j))
		o.flags |= BOB_PROFILE_RECOVER;
	if (bob_profile_new(j->ctx, &o, ret) < 0)
		return job_error(j);
	for (i = 0; i < n_before + n_after; i++) {
		r = i < n_before ? bob_profile_add(*ret, before[i], 0)
		    : bob_profile_add(*ret, after[i - n_before], 1);
		progress_wipe();
		if (r < BOB_WARN)
			return job_error(j);
		if (r == BOB_WARN)
			code = EXIT_PARTIAL;
	}
	return job_tell_damage(j, 1) != EXIT_OK ? EXIT_PARTIAL : code;
}

static int
only_waited(const struct bob_times *t)
{
	return t->samples > 0 && t->idle_samples == t->samples &&
	    t->is_idle_hidden;
}

int
pair_check(const struct job *j, const char *const name[2],
    const struct bob_diff_info *info)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (info->total[i].samples > 0)
			continue;
		if (only_waited(&info->times[i])) {
			msg_error("%s: all threads only waited for work, so "
			    "there is nothing to compare", job_name(name[i]));
			msg_hint("--idle compares the time that they waited");
			return EXIT_FAILED;
		}
		msg_error("%s: no samples to compare%s", job_name(name[i]),
		    j->filter != NULL ? " that pass the filters" : "");
		if (j->side[i] != NULL)
			msg_hint("--explain says what was read");
		else
			msg_hint("'bobbin info %s' tells what is in it",
			    name[i]);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
