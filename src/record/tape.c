/* Writes one output file with its metadata, and counts its samples; see
 * tape.h. */
#include "record/tape.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/sampler/counts.h"
#include "record/facts.h"
#include "record/process_sources.h"

static int
put_date(struct tape *t, uint64_t us)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)us);
	return facts_put(t->out, "profiler.start_us", text);
}

static int
put_facts(struct tape *t, const struct bob_proc_facts *f)
{
	char key[64];
	int r;

	(void)snprintf(key, sizeof(key), "%s.version", f->runtime);
	r = facts_put_number(t->out, "pid", (double)f->pid);
	if (r == BOB_OK)
		r = facts_put_number(t->out, "ppid", (double)f->ppid);
	if (r == BOB_OK)
		r = facts_put(t->out, "command", f->command);
	if (r == BOB_OK)
		r = facts_put(t->out, key, f->version);
	return r == BOB_OK ? facts_put_process(t->out, f) : r;
}

int
tape_segment(struct tape *t, const struct tape_opts *o)
{
	struct bob_segment s;
	struct timespec now;
	char host[256] = "";
	int r;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)gethostname(host, sizeof(host) - 1);
	memset(&s, 0, sizeof(s));
	s.period_us = (o->period_ns + 500) / 1000;
	s.start_us = (uint64_t)now.tv_sec * 1000000 +
	    (uint64_t)now.tv_nsec / 1000;
	s.flags = BOB_SEGMENT_TIMED;
	t->t_begin = o->t_us;
	t->base = o->counts;
	t->is_of_one = o->facts != NULL;
	r = bob_write_segment(t->out, &s);
	if (r == BOB_OK)
		r = put_date(t, s.start_us);
	if (r == BOB_OK)
		r = facts_put(t->out, "host", host);
	if (r == BOB_OK && o->service != NULL)
		r = facts_put(t->out, "service", o->service);
	if (r == BOB_OK && o->facts != NULL)
		r = put_facts(t, o->facts);
	if (r == BOB_OK)
		r = facts_put(t->out, "profiler.mode", bob_mode_name(o->mode));
	if (r == BOB_OK)
		r = facts_put(t->out, "bobbin.version", bob_version());
	return r;
}

/* The options were valid when the recording began. If a directory was removed
 * since, no source is shown. */
static struct bob_sources *
open_sources(const struct tape_opts *o)
{
	const char *bad;
	struct bob_sources *s = process_sources_new(o->options, o->n_options,
	    &bad);

	return s != NULL ? s : bob_sources_new_processes();
}

int
tape_see(struct tape *t, const struct bob_proc *p)
{
	return t->sources != NULL ? process_sources_see(t->sources, p) : 0;
}

int
tape_open(struct tape *t, struct bob_ctx *ctx, const char *path,
    const struct tape_opts *o)
{
	/* Lazy: a disk that is busy for seconds must not delay the answers and
	 * the end of a capture. */
	struct bob_target to = { .path = path,
		.flags = BOB_TARGET_PRIVATE | BOB_TARGET_LAZY };
	struct bob_write_opts w = { .size = sizeof(w),
		.format = o->format->name, .options = o->options,
		.n_options = o->n_options, .filter = o->filter };

	if ((o->format->caps & BOB_CAP_ORDER) != 0)
		to.flags |= BOB_TARGET_LIVE;
	memset(t, 0, sizeof(*t));
	t->ctx = ctx;
	t->path = strdup(path);
	t->dict = bob_dict_new(ctx);
	t->sources = open_sources(o);
	w.dict = t->dict;
	w.sources = t->sources;
	if (t->path == NULL || t->dict == NULL || t->sources == NULL ||
	    bob_create(ctx, &to, &w, &t->out) < 0)
		goto fail;
	if (tape_segment(t, o) == BOB_OK)
		return BOB_OK;
	bob_discard(t->out);
fail:
	bob_dict_free(t->dict);
	bob_sources_free(t->sources);
	free(t->path);
	memset(t, 0, sizeof(*t));
	return BOB_FAILED;
}

int
tape_process(struct tape *t, const struct bob_proc_facts *f)
{
	return facts_put_process(t->out, f);
}

int
tape_runs(struct tape *t, const struct bob_run *v, size_t n)
{
	struct bob_run *run = t->run;
	size_t i;

	t->n_refused = n;
	if (n > t->cap_run) {
		run = realloc(t->run, n * sizeof(*run));
		if (run == NULL)
			return BOB_FATAL;
		t->run = run;
		t->cap_run = n;
	}
	for (i = 0; i < n; i++) {
		run[i] = v[i];
		run[i].t_first -= t->t_begin;
		run[i].t_last -= t->t_begin;
		/* Without threads the metadata name the process, which saves a
		 * third of the bytes. */
		if (t->is_of_one && (bob_track_get(t->dict, v[i].track)->flags &
		        BOB_TRACK_TID) == 0)
			run[i].track = 0;
	}
	if (bob_write_runs(t->out, run, n) < 0)
		return BOB_FATAL;
	t->n_refused = 0;
	t->n_given += n;
	t->n_passed = bob_writer_samples(t->out);
	return BOB_OK;
}

int
tape_barrier(struct tape *t)
{
	int r = bob_barrier(t->out, 0);

	if (r == BOB_OK)
		memset(t->told_late, 0, sizeof(t->told_late));
	return r;
}

static int
tell_cause(struct tape *t, int cause, uint64_t n)
{
	char key[64];

	(void)snprintf(key, sizeof(key), "profiler.lost_%s",
	    bob_unkept_name(cause));
	return facts_put_number(t->out, key, (double)n);
}

int
tape_tell(struct tape *t, struct ledger *l)
{
	int i, r = BOB_OK;

	for (i = 0; r == BOB_OK && i < BOB_N_UNKEPT; i++) {
		uint64_t n = l->untold[i];

		if (n == 0)
			continue;
		t->told_here[i] += n;
		t->told_late[i] += n;
		l->untold[i] = 0;
		r = tell_cause(t, i, n);
	}
	return r;
}

int
tape_put_counts(struct tape *t, struct bob_capture_counts c, uint64_t t_us)
{
	counts_subtract(&c, &t->base);
	return facts_put_counts(t->out, &c,
	    (double)(t_us - t->t_begin) / 1e6);
}

int
tape_module(struct tape *t, const struct bob_module *m)
{
	char key[4096 + 64];
	int n = snprintf(key, sizeof(key), "native.buildid.%s", m->path);

	if (*m->build_id == '\0' || n <= 0 || (size_t)n >= sizeof(key))
		return BOB_OK;
	return facts_put(t->out, key, m->build_id);
}

int
tape_has_things(const struct bob_dict *dict, uint64_t n)
{
	struct bob_counts c = bob_dict_counts(dict);

	return (uint64_t)c.n_str + c.n_frame + c.n_stack + c.n_annot >= n;
}

int
tape_is_full(const struct tape *t)
{
	return t->dict != NULL && tape_has_things(t->dict, TAPE_MAX_THINGS);
}

void
tape_add_to(const struct tape *t, struct ledger *sum)
{
	uint64_t stored;

	if (t->out == NULL)
		return;
	stored = bob_writer_stored(t->out);
	sum->sum.written += stored;
	sum->sum.pending += t->n_passed - stored;
	sum->sum.filtered += t->n_given - t->n_passed;
	sum->sum.n_bytes += bob_writer_bytes(t->out);
}

/* Adds the samples of a closed tape to the ledger. */
static void
settle_samples(const struct tape *t, struct ledger *l, int cause,
    uint64_t stored)
{
	assert(stored <= t->n_passed + t->n_refused);
	assert(t->n_passed <= t->n_given);
	l->sum.written += stored;
	l->sum.filtered += t->n_given - t->n_passed;
	ledger_lose(l, cause, t->n_passed + t->n_refused - stored);
}

/* Losses that were in the metadata of this file are in no file again. */
static void
untell(struct ledger *l, const uint64_t *told)
{
	int i;

	for (i = 0; i < BOB_N_UNKEPT; i++)
		l->untold[i] += told[i];
}

static int
close_writer(struct tape *t, struct ledger *l, int cause)
{
	uint64_t stored;
	int r;

	if (bob_writer_is_gone(t->out)) {
		bob_discard(t->out);
		settle_samples(t, l, BOB_UNKEPT_REMOVED, 0);
		untell(l, t->told_here);
		return BOB_OK;
	}
	r = bob_finish_counted(t->out, &stored);
	settle_samples(t, l, cause, stored);
	if (r < 0)
		untell(l, t->told_late);
	return r;
}

static void
tape_release(struct tape *t)
{
	bob_dict_free(t->dict);
	bob_sources_free(t->sources);
	free(t->path);
	free(t->run);
	memset(t, 0, sizeof(*t));
}

int
tape_close(struct tape *t, struct ledger *l, int cause)
{
	int r = t->out != NULL ? close_writer(t, l, cause) : BOB_OK;

	tape_release(t);
	return r;
}

void
tape_discard(struct tape *t, struct ledger *l)
{
	bob_discard_files(t->out);
	untell(l, t->told_here);
	tape_release(t);
}
