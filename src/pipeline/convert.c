/*
 * Whole conversions: readers one after the other, one sink. The driver loop
 * is conversion_pump; everything else is what has to be known before it.
 */
#include "pipeline/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What has come in is on its way out after this long, when the output is
 * written in place for others to read along. */
#define BARRIER_SECONDS 1

/* Progress is told each time this many bytes have gone by: about ten times a
 * second on a slow format. */
#define PROGRESS_STEP ((uint64_t)4 << 20)

struct bob_read_opts
conversion_read_opts(const struct conversion *c)
{
	struct bob_read_opts o = { .size = sizeof(o) };

	o.format = c->spec->from;
	o.filter = c->spec->filter;
	o.dict = c->dict;
	o.first_segment = c->done.n_segments;
	/* A sink that looks at nothing but stacks still wants something. */
	o.want = sink_variant(c->to, c->spec->options,
	    c->spec->n_options)->want | BOB_WANT_NONE;
	o.options = c->spec->read_options;
	o.n_options = c->spec->n_read_options;
	if ((c->spec->flags & BOB_CONVERT_RECOVER) != 0)
		o.flags |= BOB_READ_RECOVER;
	if ((c->spec->flags & BOB_CONVERT_BY_TIME) != 0 &&
	    (o.want & BOB_WANT_ORDER) != 0)
		o.flags |= BOB_READ_BY_TIME;
	if (c->spec->threads == 1)
		o.flags |= BOB_READ_ONE_THREAD;
	return o;
}

void
conversion_note_gap(struct conversion *c, const struct bob_gap *gap,
    const char *name)
{
	const struct bob_convert_events *e = c->spec->events;

	if (c->gaps_are_told)
		return;
	c->done.n_gaps++;
	c->done.n_lost = count_add(c->done.n_lost, gap->lost);
	c->done.n_rootless = count_add(c->done.n_rootless, gap->rootless);
	if (e != NULL && e->gap != NULL)
		e->gap(e->user, name, gap);
}

static void
note_event(struct conversion *c, const struct bob_event *ev, const char *name)
{
	size_t i;

	switch (ev->kind) {
	case BOB_EVENT_SEGMENT:
		c->done.n_segments++;
		break;
	case BOB_EVENT_RUNS:
		for (i = 0; i < ev->n_runs; i++)
			c->done.n_samples = count_add(c->done.n_samples,
			    ev->runs[i].count);
		break;
	default:
		if (ev->mark->kind == BOB_MARK_GAP)
			conversion_note_gap(c, ev->mark->gap, name);
	}
}

static void
tell_progress(struct conversion *c, const struct bob_reader *rd)
{
	const struct bob_convert_events *e = c->spec->events;
	uint64_t done = c->done.bytes_in + bob_reader_bytes_in(rd);

	if (e == NULL || e->progress == NULL ||
	    done - c->told < PROGRESS_STEP)
		return;
	c->told = done;
	e->progress(e->user, done, c->total);
}

/* In a live output nothing waits longer than a second. */
static int
keep_live(struct conversion *c)
{
	const struct bob_target *to = c->spec->output;
	struct timespec now;

	if (to == NULL || (to->flags & BOB_TARGET_LIVE) == 0)
		return BOB_OK;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec - c->barrier < BARRIER_SECONDS)
		return BOB_OK;
	c->barrier = now.tv_sec;
	return sink_barrier(c->sink, 0);
}

int
conversion_pump(struct conversion *c, struct bob_reader *rd, const char *name)
{
	struct bob_event ev;
	int r, failed = BOB_OK;

	while ((r = bob_next(rd, &ev)) == BOB_OK) {
		note_event(c, &ev, name);
		failed = sink_event(c->sink, &ev);
		if (failed == BOB_OK)
			failed = keep_live(c);
		if (failed < 0)
			break;
		tell_progress(c, rd);
	}
	c->done.bytes_in += bob_reader_bytes_in(rd);
	c->done.is_incomplete |= bob_reader_is_incomplete(rd);
	if (failed < 0)
		return failed;
	return r < 0 ? r : BOB_OK;
}

/* Says what will be lost; FAILED when nothing may be. */
static int
check_plan(struct conversion *c, const struct format *from, const char *name)
{
	const struct bob_convert_events *e = c->spec->events;
	char lost[256];
	uint32_t caps = bob_plan(from->info.caps, c->sink->caps, lost,
	    sizeof(lost));

	if (e != NULL && e->plan != NULL)
		e->plan(e->user, name, from->info.name, c->to->info.name,
		    lost);
	if (caps == 0 || (c->spec->flags & BOB_CONVERT_STRICT_PLAN) == 0)
		return BOB_OK;
	return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "%s: %s cannot carry: %s", name, c->to->info.name, lost);
}

static int
make_sink(struct conversion *c)
{
	const struct bob_convert *s = c->spec;
	struct sink_spec spec = { .target = s->output, .options = s->options,
		.n_options = s->n_options, .dict = c->dict,
		.next_output = s->next_output, .next_user = s->next_user };

	return sink_create(c->ctx, c->to, &spec, &c->sink);
}

/*
 * One input. The sink is made after the first input was opened, so that a
 * conversion which cannot begin leaves no output behind.
 */
static int
convert_input(struct conversion *c, const char *path)
{
	struct bob_read_opts o = conversion_read_opts(c);
	const struct format *from;
	struct bob_reader *rd;
	struct stat st;
	int r, fd;

	r = bob_open(c->ctx, path, &o, &rd);
	if (r < 0)
		return r;
	from = rd->format;
	if (c->sink == NULL)
		r = make_sink(c);
	if (r == BOB_OK && c->is_baseline)
		c->sink->is_baseline = 1;
	if (r == BOB_OK)
		r = check_plan(c, from, rd->name);
	if (r < 0)
		goto out;
	r = BOB_EOF;
	if (o.flags == 0 && reader_open_path(c->ctx, path, &fd) == BOB_OK) {
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    fd != STDIN_FILENO)
			r = conversion_parallel(c, from, fd,
			    (uint64_t)st.st_size, rd->name);
		if (fd != STDIN_FILENO)
			(void)close(fd);
	}
	if (r == BOB_EOF)
		r = conversion_pump(c, rd, rd->name);
out:
	bob_close(rd);
	return r;
}

/* Bytes of all inputs, for progress; 0 when one of them is a pipe. */
static uint64_t
total_size(const struct bob_convert *s)
{
	uint64_t total = 0;
	struct stat st;
	size_t i;

	for (i = 0; i < s->n_inputs; i++) {
		if (stat(s->inputs[i], &st) < 0 || !S_ISREG(st.st_mode))
			return 0;
		total += (uint64_t)st.st_size;
	}
	return total;
}

static int
check_spec(struct conversion *c)
{
	const char *to = c->spec->to;

	c->to = to == NULL ? NULL : format_named(to);
	if (c->to == NULL || c->to->sink == NULL)
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    c->to == NULL ? "no format is called '%s'" :
		    "bobbin reads %s but does not write it",
		    to == NULL ? "" : to);
	if (c->spec->baseline != NULL &&
	    !sink_variant(c->to, c->spec->options,
	        c->spec->n_options)->takes_baseline)
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%s cannot show what differs from a baseline", to);
	if (c->spec->from != NULL && format_named(c->spec->from) == NULL)
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "no format is called '%s'", c->spec->from);
	if ((c->spec->flags & BOB_CONVERT_EXACT) != 0 &&
	    (c->spec->flags & BOB_CONVERT_BY_TIME) != 0)
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "an exact copy keeps the order of the file");
	return BOB_OK;
}

/* What the inputs are compared with; it does not count among them. */
static int
convert_baseline(struct conversion *c)
{
	struct bob_converted none = { 0 };
	int r;

	c->is_baseline = 1;
	r = convert_input(c, c->spec->baseline);
	c->is_baseline = 0;
	if (c->sink != NULL)
		c->sink->is_baseline = 0;
	none.n_gaps = c->done.n_gaps;
	none.n_lost = c->done.n_lost;
	none.n_rootless = c->done.n_rootless;
	none.is_incomplete = c->done.is_incomplete;
	c->done = none;
	return r;
}

/* All inputs; stops at the first that fails. */
static int
convert_inputs(struct conversion *c)
{
	int r = BOB_OK;
	size_t i;

	if (c->spec->baseline != NULL)
		r = convert_baseline(c);
	for (i = 0; r == BOB_OK && i < c->spec->n_inputs; i++)
		r = convert_input(c, c->spec->inputs[i]);
	return r;
}

static int
convert_exactly(struct conversion *c)
{
	const struct bob_convert *s = c->spec;
	struct out *out;
	int r = out_open(c->ctx, s->output, &out);
	size_t i;

	if (r < 0)
		return r;
	for (i = 0; r == BOB_OK && i < s->n_inputs; i++)
		r = conversion_exact(c, s->inputs[i], out);
	if (r < 0) {
		out_discard(out);
		return r;
	}
	c->done.bytes_out = out_total(out);
	return out_finish(out);
}

int
bob_convert(struct bob_ctx *ctx, const struct bob_convert *spec,
    struct bob_converted *ret)
{
	struct bob_convert s = { 0 };
	struct conversion c = { .ctx = ctx, .spec = &s };
	struct bob_error damage;
	int r, finished;

	memcpy(&s, spec, spec->size < sizeof(s) ? spec->size : sizeof(s));
	r = check_spec(&c);
	if (r < 0)
		goto out;
	c.dict = bob_dict_new(ctx);
	if (c.dict == NULL) {
		r = BOB_FAILED;
		goto out;
	}
	c.total = total_size(&s);
	r = (s.flags & BOB_CONVERT_EXACT) != 0 ? convert_exactly(&c) :
	    convert_inputs(&c);
	if (c.sink != NULL && r < 0 && ctx->error.code != BOB_E_CORRUPT) {
		sink_discard(c.sink);
	} else if (c.sink != NULL) {
		/* Damage in an input: what came before it is still good. */
		damage = ctx->error;
		finished = sink_finish(c.sink, &c.done.bytes_out);
		if (finished < 0)
			r = finished;
		else if (r < 0)
			ctx->error = damage;
	}
	bob_dict_free(c.dict);
out:
	if (ret != NULL)
		*ret = c.done;
	if (r < 0)
		return BOB_FAILED;
	return c.done.n_gaps > 0 ? BOB_WARN : BOB_OK;
}
