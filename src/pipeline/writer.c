/*
 * The public writer (bobbin/write.h): a sink, a dictionary, and checks. Each id
 * that the caller gives must be one of the dictionary. A call that is refused
 * returns FAILED and has no effect. A call that fails in the sink returns
 * FATAL, and each later call repeats its error.
 */
#include "pipeline/sink.h"

#include <stdlib.h>
#include <string.h>

#include <bobbin/limits.h>

#include "core/mem.h"
#include "pipeline/filter.h"

struct bob_writer {
	struct bob_ctx *ctx;
	struct sink *sink;
	struct bob_dict *dict;
	int owns_dict;
	int has_segment;
	uint64_t n_samples;
	uint64_t n_stored; /* of them, with the system */
	struct filter *filter; /* NULL: everything is written */
	struct bob_run *run;   /* room for what is filtered */
	size_t cap_run;
	struct bob_error why; /* of the call that killed it */
};

/* The segment of samples that come before any segment. */
static const struct bob_segment default_segment = { .period_us = 10000 };

static int
usage_error(struct bob_ctx *ctx, const char *what)
{
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET, "%s",
	    what);
}

/* Checks that need no memory. */
static int
check_create(struct bob_ctx *ctx, const struct bob_target *target,
    const struct bob_write_opts *opts)
{
	if (opts->format == NULL)
		return usage_error(ctx, "no format to write was named");
	if (target == NULL && opts->next_output == NULL)
		return usage_error(ctx, "neither a target nor next_output to "
		                  "write to");
	return BOB_OK;
}

/* Splits a filter: a digest leaves idle samples out by itself, because it says
 * how many there were; the rest of the filter is the writer's, which counts
 * what passes. */
static void
split_filter(const struct bob_filter *f, const struct format *format,
    struct bob_filter *own, struct bob_filter *of_digest)
{
	memset(own, 0, sizeof(*own));
	memset(of_digest, 0, sizeof(*of_digest));
	if (f != NULL)
		memcpy(own, f, f->size < sizeof(*own) ? f->size :
		    sizeof(*own));
	own->size = of_digest->size = sizeof(*own);
	if (!format->info.hides_idle)
		return;
	of_digest->idle = own->idle;
	own->idle = BOB_IDLE_KEEP;
}

int
bob_create(struct bob_ctx *ctx, const struct bob_target *target,
    const struct bob_write_opts *opts, struct bob_writer **ret)
{
	struct bob_write_opts o = { 0 };
	const struct format *format;
	struct bob_filter own, of_digest;
	struct sink_spec spec;
	struct bob_writer *w;

	/* A caller built for an older version knows fewer fields. */
	memcpy(&o, opts, opts->size < sizeof(o) ? opts->size : sizeof(o));
	if (check_create(ctx, target, &o) < 0)
		return BOB_FAILED;
	format = format_named(o.format);
	if (format == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_FORMAT, BOB_NO_OFFSET,
		    "no format is called '%s'", o.format);
	split_filter(o.filter, format, &own, &of_digest);
	w = calloc(1, sizeof(*w));
	if (w == NULL) {
		(void)err_nomem(ctx);
		goto failed;
	}
	w->ctx = ctx;
	w->owns_dict = o.dict == NULL;
	w->dict = w->owns_dict ? bob_dict_new(ctx) : o.dict;
	if (w->dict == NULL)
		goto failed;
	spec = (struct sink_spec){ .target = target,
		.options = o.options,
		.n_options = o.n_options,
		.dict = w->dict,
		.next_output = o.next_output,
		.next_user = o.next_user,
		.sources = o.sources,
		.filter = &of_digest,
		.stored = &w->n_stored };
	/* A bad pattern is found before a file is touched. */
	if (filter_new(ctx, &own, w->dict, &w->filter) < 0)
		goto failed;
	if (sink_create(ctx, format, &spec, &w->sink) < 0)
		goto failed;
	*ret = w;
	return BOB_OK;
failed:
	bob_discard(w);
	return err_set_status(ctx, BOB_FAILED);
}

struct bob_dict *
bob_writer_dict(struct bob_writer *out)
{
	return out->dict;
}

uint32_t
bob_writer_caps(const struct bob_writer *out)
{
	return out->sink->caps;
}

uint64_t
bob_writer_bytes(const struct bob_writer *out)
{
	const struct out *side = out->sink->side;

	return sink_bytes(out->sink) +
	    (side != NULL ? out_total(side) : 0);
}

uint64_t
bob_writer_samples(const struct bob_writer *out)
{
	return out->n_samples;
}

uint64_t
bob_writer_stored(const struct bob_writer *out)
{
	return out->n_stored;
}

int
bob_writer_is_gone(const struct bob_writer *out)
{
	const struct sink *sink = out->sink;

	return (sink->out != NULL && out_is_gone(sink->out)) ||
	    (sink->side != NULL && out_is_gone(sink->side));
}

/* Returns the status of a call on the sink. After a failure the writer is dead,
 * and the error is kept. */
static int
settle_status(struct bob_writer *out, int r)
{
	if (r >= BOB_OK)
		return BOB_OK;
	(void)err_set_status(out->ctx, BOB_FATAL);
	out->why = out->ctx->error;
	return BOB_FATAL;
}

static int
is_dead(struct bob_writer *out)
{
	if (out->why.status >= BOB_OK)
		return 0;
	out->ctx->error = out->why;
	return 1;
}

int
bob_write_segment(struct bob_writer *out, const struct bob_segment *segment)
{
	if (is_dead(out))
		return BOB_FATAL;
	out->has_segment = 1;
	if (out->filter != NULL)
		filter_segment(out->filter, segment);
	return settle_status(out, sink_segment(out->sink, segment));
}

/* A default segment when there is none yet. */
static int
need_segment(struct bob_writer *out)
{
	return out->has_segment ? BOB_OK
	                        : bob_write_segment(out, &default_segment);
}

/* Returns what is wrong with a run, or NULL. */
static const char *
run_fault(const struct bob_counts *n, const struct bob_run *run)
{
	if (run->stack >= n->n_stack)
		return "a stack that the dictionary does not have";
	if (run->track >= n->n_track)
		return "a track that the dictionary does not have";
	if (run->annot >= n->n_annot)
		return "annotations that the dictionary does not have";
	if (run->count == 0 || run->count > BOB_MAX_COUNT)
		return "a count of 0 or above 2^63 - 1";
	if ((run->flags & BOB_RUN_TIMED) && run->count > 1 &&
	    run->dt == NULL && run->t_first != run->t_last)
		return "two times but not those in between";
	return NULL;
}

/* Filters the *n runs into out->run. */
static int
filter_given_runs(struct bob_writer *out, const struct bob_run **runs,
    size_t *n)
{
	int r;

	if (MEM_GROW(out->ctx, out, run, *n) < 0)
		return BOB_FATAL;
	if (*n > 0)
		memcpy(out->run, *runs, *n * sizeof(*out->run));
	r = filter_runs(out->filter, out->run, n);
	*runs = out->run;
	return r;
}

int
bob_write_runs(struct bob_writer *out, const struct bob_run *runs, size_t n)
{
	struct bob_counts counts = bob_dict_counts(out->dict);
	size_t i;
	int r;

	if (is_dead(out))
		return BOB_FATAL;
	for (i = 0; i < n; i++) {
		const char *fault = run_fault(&counts, &runs[i]);

		if (fault != NULL)
			return err_set(out->ctx, BOB_FAILED, BOB_E_USAGE,
			    BOB_NO_OFFSET, "run %zu of %zu has %s", i, n,
			    fault);
	}
	r = need_segment(out);
	if (r < 0)
		return r;
	if (out->filter != NULL && filter_given_runs(out, &runs, &n) < 0)
		return settle_status(out, BOB_FATAL);
	for (i = 0; i < n; i++)
		out->n_samples = count_add(out->n_samples, runs[i].count);
	return n > 0 ? settle_status(out, sink_runs(out->sink, runs, n))
	             : BOB_OK;
}

int
bob_write_mark(struct bob_writer *out, const struct bob_mark *mark)
{
	struct bob_counts n = bob_dict_counts(out->dict);
	int r;

	if (is_dead(out))
		return BOB_FATAL;
	if (mark->kind == BOB_MARK_META &&
	    (mark->key >= n.n_str || mark->value >= n.n_str))
		return usage_error(out->ctx, "metadata with a string that the "
		                       "dictionary does not have");
	if (mark->kind == BOB_MARK_UNKNOWN && mark->bytes == NULL &&
	    mark->length > 0)
		return usage_error(out->ctx, "an event without its bytes");
	/* A gap is about the input and may come before any segment. */
	r = mark->kind == BOB_MARK_GAP ? BOB_OK : need_segment(out);
	if (r >= BOB_OK && out->filter != NULL)
		filter_mark(out->filter, mark);
	return r < 0 ? r : settle_status(out, sink_mark(out->sink, mark));
}

int
bob_write_event(struct bob_writer *out, const struct bob_event *event)
{
	switch (event->kind) {
	case BOB_EVENT_SEGMENT:
		return bob_write_segment(out, event->segment);
	case BOB_EVENT_RUNS:
		return bob_write_runs(out, event->runs, event->n_runs);
	default:
		return bob_write_mark(out, event->mark);
	}
}

int
bob_barrier(struct bob_writer *out, int durable)
{
	if (is_dead(out))
		return BOB_FATAL;
	return settle_status(out, sink_barrier(out->sink, durable));
}

int
bob_finish_counted(struct bob_writer *out, uint64_t *ret_stored)
{
	struct sink *sink = out->sink;
	int r = BOB_FATAL;

	out->sink = NULL;
	if (is_dead(out)) {
		sink_discard(sink);
		out->ctx->error = out->why;
	} else {
		r = settle_status(out, sink_finish(sink, NULL));
	}
	if (ret_stored != NULL)
		*ret_stored = r == BOB_OK ? out->n_samples : out->n_stored;
	bob_discard(out);
	return r;
}

int
bob_finish(struct bob_writer *out)
{
	return bob_finish_counted(out, NULL);
}

void
bob_discard_files(struct bob_writer *out)
{
	sink_remove(out->sink);
	out->sink = NULL;
	bob_discard(out);
}

void
bob_discard(struct bob_writer *out)
{
	if (out == NULL)
		return;
	sink_discard(out->sink);
	filter_free(out->filter);
	free(out->run);
	if (out->owns_dict)
		bob_dict_free(out->dict);
	free(out);
}
