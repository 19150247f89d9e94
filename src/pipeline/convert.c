/*
 * Conversions: readers one after the other into one sink. conversion_pump is
 * the loop; the rest of the file prepares it and cleans up behind it. Threads
 * are in parallel.c, exact copies in exact.c.
 */
#include "pipeline/convert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "pipeline/coming.h"

/* An output that others read while it is written gets a barrier after this
 * long. */
#define BARRIER_SECONDS 1

/* Progress is reported each time this many bytes were read: about ten times a
 * second on a slow format. */
#define PROGRESS_STEP ((uint64_t)4 << 20)

/* The sink gets everything that is read, and its digest filters: what does not
 * pass has a part in the times of what does. */
static int
only_adds(const struct sink_ops *ops)
{
	return ops->takes_digest && ops->runs == NULL;
}

struct bob_read_opts
conversion_read_opts(const struct conversion *c)
{
	const struct sink_ops *ops = format_sink_ops(c->to, c->spec->options,
	    c->spec->n_options);
	struct bob_read_opts o = { .size = sizeof(o) };

	o.format = c->spec->from;
	if (!only_adds(ops))
		o.filter = c->filter;
	o.dict = c->dict;
	o.first_segment = c->done.n_segments;
	/* Without BOB_WANT_NONE, 0 would mean everything. */
	o.want = ops->takes_digest ? BOB_WANT_ALL & ~BOB_WANT_STATS
	                           : ops->want | BOB_WANT_NONE;
	o.options = c->spec->read_options;
	o.n_options = c->spec->n_read_options;
	if ((c->spec->flags & BOB_CONVERT_RECOVER) != 0)
		o.flags |= BOB_READ_RECOVER;
	if ((c->spec->flags & BOB_CONVERT_BY_TIME) != 0 &&
	    (ops->want & BOB_WANT_ORDER) != 0)
		o.flags |= BOB_READ_BY_TIME;
	if (c->looks)
		o.want |= BOB_WANT_TIMES | BOB_WANT_TRACKS |
		    BOB_WANT_ANNOTATIONS | BOB_WANT_STATUS | BOB_WANT_MARKS;
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

/* The input is still being written. */
static int
input_is_coming(const struct conversion *c)
{
	return (c->spec->flags & BOB_CONVERT_LIVE) != 0;
}

/* An output that others read while it is written: hands samples to the system
 * after BARRIER_SECONDS, or at once while the input pauses. */
static int
barrier_if_due(struct conversion *c, int is_idle)
{
	const struct bob_target *to = c->spec->output;
	struct timespec now;

	if (!c->is_dirty || (!input_is_coming(c) &&
	    (to == NULL || (to->flags & BOB_TARGET_LIVE) == 0)))
		return BOB_OK;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	if (!is_idle && now.tv_sec - c->barrier < BARRIER_SECONDS)
		return BOB_OK;
	c->barrier = now.tv_sec;
	c->is_dirty = 0;
	return sink_barrier(c->sink, 0);
}

static int
wants_plan(const struct conversion *c)
{
	return c->spec->events != NULL && c->spec->events->plan != NULL;
}

/* Tells what of the input the output cannot hold. */
static void
tell_plan(struct conversion *c, const struct bob_reader *rd, uint32_t caps)
{
	const struct bob_convert_events *e = c->spec->events;
	char lost[256];

	if (!wants_plan(c))
		return;
	(void)bob_plan(caps, 0, lost, sizeof(lost));
	e->plan(e->user, rd->name, rd->format->info.name, c->to->info.name,
	    lost);
}

/* With BOB_CONVERT_STRICT_PLAN: FAILED when the format of the input can hold
 * what the output cannot. A part of the input would prove nothing. */
static int
refuse_plan(struct conversion *c, const struct bob_reader *rd, uint32_t caps)
{
	char lost[256];

	tell_plan(c, rd, caps);
	if (caps == 0)
		return BOB_OK;
	(void)bob_plan(caps, 0, lost, sizeof(lost));
	return err_set(c->ctx, BOB_FAILED, BOB_E_PLAN, BOB_NO_OFFSET,
	    "%s: %s cannot carry: %s", rd->name, c->to->info.name, lost);
}

/*
 * Reports what the conversion will lose, once the format is known: what the
 * input has and the output cannot hold. A file is looked at first; the plan of
 * a pipe is told behind it. Of one that is still being written, only the format
 * is known.
 */
static int
check_plan(struct conversion *c, const struct bob_reader *rd)
{
	struct bob_read_opts o;
	uint32_t caps;

	if (rd->format == NULL || c->has_plan)
		return BOB_OK;
	c->has_plan = 1;
	caps = rd->format->info.caps & ~c->sink->caps;
	if ((c->spec->flags & BOB_CONVERT_STRICT_PLAN) != 0)
		return refuse_plan(c, rd, caps);
	if (c->looks)
		return BOB_OK;
	if (caps != 0 && wants_plan(c) && rd->is_path && !input_is_coming(c)) {
		o = conversion_read_opts(c);
		caps &= contents_peek(c->ctx, rd->name, &o, caps);
	}
	tell_plan(c, rd, caps);
	return BOB_OK;
}

/* Hands an event to the sink; NULL: the input has none yet. */
static int
pass_on(struct conversion *c, const struct bob_event *ev, const char *name)
{
	int r = BOB_OK;

	if (ev != NULL) {
		note_event(c, ev, name);
		if (c->looks)
			contents_add(&c->contents, c->dict, ev);
		c->is_dirty = 1;
		r = sink_event(c->sink, ev);
	}
	if (r == BOB_OK)
		r = barrier_if_due(c, ev == NULL);
	c->sink_is_dead = r < 0;
	return r;
}

int
conversion_pump(struct conversion *c, struct bob_reader *rd, const char *name)
{
	struct bob_event ev;
	int r, failed = BOB_OK;

	while ((r = bob_next(rd, &ev)) == BOB_OK || r == BOB_AGAIN) {
		failed = check_plan(c, rd);
		if (failed == BOB_OK)
			failed = pass_on(c, r == BOB_OK ? &ev : NULL, name);
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

static int
make_sink(struct conversion *c)
{
	const struct bob_convert *s = c->spec;
	struct sink_spec spec = { .target = s->output, .options = s->options,
		.n_options = s->n_options, .dict = c->dict,
		.next_output = s->next_output, .next_user = s->next_user,
		.filter = only_adds(format_sink_ops(c->to, s->options,
		    s->n_options)) ? s->filter : NULL };

	return sink_create(c->ctx, c->to, &spec, &c->sink);
}

static int
open_reader(struct conversion *c, const char *path,
    const struct bob_read_opts *o, struct coming *coming,
    struct bob_reader **ret)
{
	int is_path = strcmp(path, "-") != 0, r;
	struct in *in;

	if (!input_is_coming(c))
		return bob_open(c->ctx, path, o, ret);
	coming->stop = c->spec->stop;
	r = coming_open(coming, c->ctx, path, &in);
	return r < 0 ? r : reader_new(c->ctx, in, is_path ? path : "stdin", o,
	    is_path, ret);
}

/* Uses several threads when the whole input is in a file; else takes one event
 * after the other. */
static int
convert_events(struct conversion *c, struct bob_reader *rd, uint32_t flags)
{
	struct in_whole whole;
	int r = check_plan(c, rd);

	if (r < 0)
		return r;
	r = BOB_EOF;
	if ((flags & ~(uint32_t)BOB_READ_RECOVER) == 0 && !input_is_coming(c) &&
	    in_whole(rd->in, &whole) && whole.p == NULL)
		r = conversion_parallel(c, rd->format, whole.fd, whole.size,
		    rd->name);
	return r == BOB_EOF ? conversion_pump(c, rd, rd->name) : r;
}

/* True for an input that cannot be read twice, when somebody wants to know what
 * is lost of it. */
static int
looks_at(const struct conversion *c, const char *path)
{
	struct stat st;

	if (!wants_plan(c) || input_is_coming(c) ||
	    (c->spec->flags & BOB_CONVERT_STRICT_PLAN) != 0)
		return 0;
	return strcmp(path, "-") == 0 || stat(path, &st) < 0 ||
	    !S_ISREG(st.st_mode);
}

static int
convert_input(struct conversion *c, const char *path)
{
	struct bob_read_opts o;
	struct coming coming = { .fd = -1 };
	struct ctx_input before;
	struct bob_reader *rd;
	int r;

	c->looks = looks_at(c, path);
	c->contents = (struct contents){ .n_frame = c->dict->n.n_frame };
	o = conversion_read_opts(c);
	r = open_reader(c, path, &o, &coming, &rd);

	if (r == BOB_OK) {
		before = ctx_read(c->ctx, reader_input(rd));
		c->has_plan = 0;
		r = convert_events(c, rd, o.flags);
		if (c->looks && rd->format != NULL)
			tell_plan(c, rd, rd->format->info.caps &
			    ~c->sink->caps & c->contents.caps);
		if (r == BOB_OK)
			r = sink_next_input(c->sink);
		(void)ctx_read(c->ctx, before);
		bob_close(rd);
	}
	coming_close(&coming);
	return r;
}

/* Bytes of all inputs, for progress; 0 when one of them is a pipe. */
static uint64_t
total_size(const struct bob_convert *s)
{
	uint64_t total = 0;
	struct stat st;
	const char *path;
	size_t i;

	for (i = 0; i < s->n_before + s->n_inputs; i++) {
		path = i < s->n_before ? s->before[i]
		    : s->inputs[i - s->n_before];
		if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
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
	if (c->spec->from != NULL && format_named(c->spec->from) == NULL)
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "no format is called '%s'", c->spec->from);
	if (c->spec->n_before > 0 && (!c->to->info.takes_before ||
	    (c->spec->flags & BOB_CONVERT_EXACT) != 0))
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%s cannot show a difference", to);
	if (input_is_coming(c) && (c->spec->flags &
	    (BOB_CONVERT_EXACT | BOB_CONVERT_BY_TIME)) != 0)
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "what is still coming can neither be copied exactly, nor "
		    "be put in order");
	if ((c->spec->flags & BOB_CONVERT_EXACT) != 0 &&
	    (c->spec->flags & BOB_CONVERT_BY_TIME) != 0)
		return err_set(c->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "an exact copy keeps the order of the file");
	return BOB_OK;
}

/* Converts all inputs; stops at the first that fails. The output is opened
 * first: one that cannot be written is found before anything is read. */
static int
convert_inputs(struct conversion *c)
{
	const struct bob_convert *s = c->spec;
	int r = make_sink(c);
	size_t i;

	if (s->before_filter != NULL)
		c->filter = s->before_filter;
	for (i = 0; r == BOB_OK && i < s->n_before; i++)
		r = convert_input(c, s->before[i]);
	c->filter = s->filter;
	if (r == BOB_OK && s->n_before > 0)
		r = sink_side(c->sink);
	for (i = 0; r == BOB_OK && i < s->n_inputs; i++)
		r = convert_input(c, s->inputs[i]);
	return r;
}

/* With BOB_CONVERT_SOME: FAILED if damage has left nothing. A filter may have
 * dropped what was left, unless a digest filters, which is counted later. */
static int
check_some(const struct conversion *c)
{
	if ((c->spec->flags & BOB_CONVERT_SOME) == 0 ||
	    (c->spec->filter != NULL &&
	        (c->sink == NULL || !only_adds(c->sink->ops))) ||
	    c->done.n_samples > 0 ||
	    (c->done.n_gaps == 0 && c->ctx->n_skipped == c->n_skipped))
		return BOB_OK;
	return err_set(c->ctx, BOB_FAILED, BOB_E_CORRUPT, BOB_NO_OFFSET,
	    "%s: damaged, and no sample in it can be read",
	    c->spec->n_inputs == 1 ? c->spec->inputs[0] : "the inputs");
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

/* True when the output is to be finished, not discarded. Samples before a
 * damage are good, and those of a live input are in the output already. */
static int
is_worth_keeping(const struct conversion *c, int r)
{
	if (r >= 0 || c->sink_is_dead)
		return r >= 0;
	return input_is_coming(c) || (c->done.n_samples > 0 &&
	    c->ctx->error.code == BOB_E_CORRUPT);
}

/* Ends the output. What a digest leaves out is not written. */
static int
finish_sink(struct conversion *c)
{
	struct sink *sink = c->sink;
	int r = sink_sum_up(sink);

	if (r < 0) {
		sink_discard(sink);
		return r;
	}
	if (only_adds(sink->ops)) {
		c->done.times = sink->digest.times;
		c->done.n_samples = c->done.times.share_samples;
	}
	return sink_finish(sink, &c->done.bytes_out);
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
	c.filter = s.filter;
	r = check_spec(&c);
	if (r < 0)
		goto out;
	c.dict = bob_dict_new(ctx);
	if (c.dict == NULL) {
		r = BOB_FAILED;
		goto out;
	}
	c.total = total_size(&s);
	c.n_skipped = ctx->n_skipped;
	r = (s.flags & BOB_CONVERT_EXACT) != 0 ? convert_exactly(&c) :
	    convert_inputs(&c);
	if (r >= 0)
		r = check_some(&c);
	if (c.sink != NULL && !is_worth_keeping(&c, r)) {
		sink_discard(c.sink);
	} else if (c.sink != NULL) {
		damage = ctx->error;
		finished = finish_sink(&c);
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
