/*
 * Saves what top has seen: the sums of its profile, as a trace. top does not
 * keep the order of samples, so each sum is one run that has its length alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bobbin/convert.h>
#include <bobbin/write.h>

#include "top.h"

/* How long it took: lengths of sums do not tell. */
static int
write_duration(const struct top *t, struct bob_writer *out)
{
	static const char key[] = "profiler.duration_s";
	struct bob_dict *dict = t->store.dict;
	struct bob_mark m;
	char text[32];
	int n = snprintf(text, sizeof(text), "%.6f",
	    (double)(t->store.t_us - t->store.t_since) / 1e6);

	memset(&m, 0, sizeof(m));
	m.kind = BOB_MARK_META;
	m.key = bob_str_put(dict, key, sizeof(key) - 1);
	m.value = bob_str_put(dict, text, (size_t)n);
	return m.key == BOB_NO_ID || m.value == BOB_NO_ID
	    ? BOB_FATAL : bob_write_mark(out, &m);
}

static int
write_head(const struct top *t, struct bob_writer *out)
{
	struct bob_mark sums = top_sums_mark(t->store.dict);
	struct bob_segment seg;
	int r;

	memset(&seg, 0, sizeof(seg));
	seg.period_us = t->store.period_us;
	seg.flags = BOB_SEGMENT_TIMED;
	r = bob_write_segment(out, &seg);
	if (r >= 0)
		r = sums.key == BOB_NO_ID || sums.value == BOB_NO_ID
		    ? BOB_FATAL : bob_write_mark(out, &sums);
	return r < 0 ? r : write_duration(t, out);
}

static int
write_cells(struct top *t, struct bob_writer *out)
{
	const struct bob_cell *cell;
	struct bob_run run;
	uint64_t *at;
	size_t n = 0, i;
	int r;

	at = calloc((size_t)bob_dict_counts(t->store.dict).n_track + 1,
	    sizeof(*at));
	cell = bob_profile_cells(t->store.profile, &n);
	r = at == NULL || (cell == NULL && n > 0) ? BOB_FATAL
	                                          : write_head(t, out);
	for (i = 0; r >= 0 && i < n; i++) {
		run = top_sums_run(&cell[i], at);
		r = bob_write_runs(out, &run, 1);
	}
	free(at);
	return r < 0 ? -1 : 0;
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
