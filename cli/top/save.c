/*
 * Saves what top has seen: the sums of its profile, as a trace. Each sum is one
 * run without a time, because top does not keep the order of samples.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/convert.h>
#include <bobbin/write.h>

#include "top.h"

static int
write_cells(struct top *t, struct bob_writer *out)
{
	struct bob_segment seg;
	const struct bob_cell *cell;
	struct bob_run run;
	size_t n = 0, i;
	int r;

	memset(&seg, 0, sizeof(seg));
	seg.period_us = t->store.period_us;
	r = bob_write_segment(out, &seg);
	cell = bob_profile_cells(t->store.profile, &n);
	for (i = 0; cell != NULL && r >= 0 && i < n; i++) {
		memset(&run, 0, sizeof(run));
		run.count = cell[i].samples;
		run.stack = cell[i].stack;
		run.track = cell[i].track;
		run.annot = cell[i].annot;
		run.status = cell[i].status;
		run.flags = cell[i].flags & BOB_RUN_STATUS;
		r = bob_write_runs(out, &run, 1);
	}
	return r < 0 || (cell == NULL && n > 0) ? -1 : 0;
}

int
top_save(struct top *t, const char *path, char *err, size_t n)
{
	const struct bob_format_info *f = bob_format_of_path(path);
	struct bob_target to = { .path = path };
	struct bob_write_opts o = { .size = sizeof(o),
		.dict = t->store.dict };
	struct bob_filter hide = { .size = sizeof(hide),
		.idle = BOB_IDLE_HIDE };
	struct bob_writer *out = NULL;

	if (path[0] == '\0' || access(path, F_OK) == 0) {
		(void)snprintf(err, n, path[0] == '\0'
		    ? "a file needs a name" : "%s is there already", path);
		return -1;
	}
	o.format = f != NULL ? f->name : "rbt";
	if (f != NULL && f->hides_idle && !t->table.shows_idle)
		o.filter = &hide;
	if (bob_create(t->ctx, &to, &o, &out) < 0) {
		(void)snprintf(err, n, "%s", bob_ctx_error(t->ctx)->text);
		return -1;
	}
	if (write_cells(t, out) < 0) {
		(void)snprintf(err, n, "%s", bob_ctx_error(t->ctx)->text);
		(void)bob_discard(out);
		return -1;
	}
	if (bob_finish(out) < 0) {
		(void)snprintf(err, n, "%s", bob_ctx_error(t->ctx)->text);
		return -1;
	}
	return 0;
}
