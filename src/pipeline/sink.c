/*
 * Sinks as handles, see pipeline/sink.h: checks options, opens and finishes the
 * output, calls the slots that are not NULL.
 */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "pipeline/digest.h"
#include "pipeline/sink.h"

static int
check_option(struct bob_ctx *ctx, const struct bob_format_info *info,
    const struct bob_option *option)
{
	const struct bob_option_info *i = info->options;

	for (; i != NULL && i->key != NULL; i++) {
		if (strcmp(i->key, option->key) != 0)
			continue;
		if (i->arg == NULL || option->value != NULL)
			return BOB_OK;
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "%s: option %s needs a value (%s)", info->name, i->key,
		    i->arg);
	}
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "%s: there is no option '%s'", info->name, option->key);
}

static int
check_options(struct bob_ctx *ctx, const struct format *format,
    const struct sink_spec *spec)
{
	size_t i;
	int r = BOB_OK;

	for (i = 0; i < spec->n_options && r == BOB_OK; i++)
		r = check_option(ctx, &format->info, &spec->options[i]);
	return r;
}

/* The output goes last, because the slot close may look at it. */
void
sink_discard(struct sink *sink)
{
	if (sink == NULL)
		return;
	if (sink->ops->close != NULL)
		sink->ops->close(sink);
	out_discard(sink->out);
	digest_free(sink->adder);
	free(sink->state);
	free(sink);
}

void
sink_remove(struct sink *sink)
{
	if (sink->side != NULL)
		out_unlink(sink->side);
	if (sink->out != NULL)
		out_unlink(sink->out);
	sink_discard(sink);
}

static struct sink *
sink_new(struct bob_ctx *ctx, const struct sink_ops *ops)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	if (sink != NULL)
		sink->state = calloc(1, ops->state_size + 1);
	if (sink == NULL || sink->state == NULL) {
		free(sink);
		(void)err_nomem(ctx);
		return NULL;
	}
	sink->ops = ops;
	sink->ctx = ctx;
	return sink;
}

static int
sink_open(struct sink *sink, const struct sink_spec *spec)
{
	int r = BOB_OK;

	if (sink->ops->takes_digest && spec->diff == NULL)
		r = digest_new(sink->ctx, spec->dict, spec->filter,
		    &sink->adder);
	if (r == BOB_OK && spec->target != NULL)
		r = format_open_output(sink, spec->target);
	if (r == BOB_OK && sink->ops->open != NULL)
		r = sink->ops->open(sink);
	sink->options = NULL;
	sink->n_options = 0;
	if (r < 0 && sink->out != NULL && sink->out->path == NULL)
		sink->out->owns_fd = 0; /* the caller keeps the descriptor that
		                         * it gave */
	return r;
}

int
sink_create(struct bob_ctx *ctx, const struct format *format,
    const struct sink_spec *spec, struct sink **ret)
{
	struct sink *sink;

	if (format->sink == NULL)
		return err_set(ctx, BOB_FAILED, BOB_E_FORMAT, BOB_NO_OFFSET,
		    "%s can be read but not written", format->info.name);
	if (check_options(ctx, format, spec) < 0)
		return BOB_FAILED;
	sink = sink_new(ctx, format_sink_ops(format, spec->options,
	    spec->n_options));
	if (sink == NULL)
		goto failed;
	sink->dict = spec->dict;
	sink->caps = format->info.caps;
	sink->options = spec->options;
	sink->n_options = spec->n_options;
	sink->next_output = spec->next_output;
	sink->next_user = spec->next_user;
	sink->sources = spec->sources;
	sink->stored = spec->stored;
	sink->diff = spec->diff;
	sink->of_digest.dict = spec->dict;
	sink->of_digest.filter = spec->filter;
	if (sink_open(sink, spec) < 0)
		goto failed;
	*ret = sink;
	return BOB_OK;
failed:
	sink_discard(sink);
	return err_set_status(ctx, BOB_FAILED);
}

static int
add_to_digest(struct sink *sink, const struct bob_event *event)
{
	return sink->adder == NULL ? BOB_OK
	                           : digest_event(sink->adder, event);
}

int
sink_segment(struct sink *sink, const struct bob_segment *segment)
{
	struct bob_event ev = { .kind = BOB_EVENT_SEGMENT,
		.segment = segment };

	if (add_to_digest(sink, &ev) < 0)
		return BOB_FATAL;
	return sink->ops->segment == NULL ? BOB_OK
	                                  : sink->ops->segment(sink, segment);
}

/* The samples given to a sink that streams are in its output, or it has
 * failed. */
static void
count_streamed(struct sink *sink, const struct bob_run *v, size_t n)
{
	uint64_t sum = sink->n_streamed;
	size_t i;

	for (i = 0; i < n; i++)
		sum = count_add(sum, v[i].count);
	sink->n_streamed = sum;
	sink->out->stored = sink->stored;
	sink->out->by_marks = 1;
	out_mark(sink->out, sum);
}

int
sink_runs(struct sink *sink, const struct bob_run *v, size_t n)
{
	struct bob_event ev = { .kind = BOB_EVENT_RUNS, .runs = v,
		.n_runs = n };
	int r;

	if (add_to_digest(sink, &ev) < 0)
		return BOB_FATAL;
	if (sink->ops->runs == NULL)
		return BOB_OK;
	r = sink->ops->runs(sink, v, n);
	if (r == BOB_OK && sink->ops->streams && sink->stored != NULL)
		count_streamed(sink, v, n);
	return r;
}

int
sink_mark(struct sink *sink, const struct bob_mark *mark)
{
	struct bob_event ev = { .kind = BOB_EVENT_MARK, .mark = mark };

	if (add_to_digest(sink, &ev) < 0)
		return BOB_FATAL;
	return sink->ops->mark == NULL ? BOB_OK : sink->ops->mark(sink, mark);
}

int
sink_side(struct sink *sink)
{
	struct format_digest before = { 0 };
	int r = BOB_OK;

	if (sink->adder != NULL) {
		r = digest_end(sink->adder, &before);
		sink->times_before = before.times;
		digest_free(sink->adder);
		sink->adder = NULL;
	}
	if (r == BOB_OK && sink->ops->takes_digest)
		r = digest_new(sink->ctx, sink->of_digest.dict,
		    sink->of_digest.filter, &sink->adder);
	return r < 0 ? r : sink->ops->side(sink);
}

int
sink_next_input(struct sink *sink)
{
	return sink->adder == NULL ? BOB_OK : digest_next_input(sink->adder);
}

int
sink_sum_up(struct sink *sink)
{
	if (sink->adder == NULL || sink->digest.times.size != 0)
		return BOB_OK;
	return digest_end(sink->adder, &sink->digest);
}

int
sink_event(struct sink *sink, const struct bob_event *event)
{
	if (event->kind == BOB_EVENT_RUNS)
		return sink_runs(sink, event->runs, event->n_runs);
	if (event->kind == BOB_EVENT_SEGMENT)
		return sink_segment(sink, event->segment);
	return sink_mark(sink, event->mark);
}

int
sink_barrier(struct sink *sink, int durable)
{
	int r = BOB_OK;

	if (sink->ops->flush != NULL)
		r = sink->ops->flush(sink);
	if (r == BOB_OK && sink->side != NULL)
		r = out_barrier(sink->side, durable);
	if (r == BOB_OK && sink->out != NULL)
		r = out_barrier(sink->out, durable);
	return r;
}

uint64_t
sink_bytes(const struct sink *sink)
{
	return sink->bytes_before +
	    (sink->out == NULL ? 0 : out_total(sink->out));
}

int
sink_finish(struct sink *sink, uint64_t *bytes)
{
	struct out *out;
	int r = sink_sum_up(sink);

	if (r == BOB_OK && sink->ops->finish != NULL)
		r = sink->ops->finish(sink);
	if (bytes != NULL)
		*bytes = sink_bytes(sink);
	if (r < 0) {
		sink_discard(sink);
		return r;
	}
	out = sink->out;
	sink->out = NULL;
	sink_discard(sink);
	return out == NULL ? BOB_OK : out_finish(out);
}
