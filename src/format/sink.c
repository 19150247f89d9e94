/* What sinks and sources share: their options, and going from one output to
 * the next. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "format/format.h"

struct unit {
	const char *name;
	uint64_t size;
};

static const struct unit sizes[] = {
	{ "", 1 },
	{ "k", (uint64_t)1 << 10 },
	{ "M", (uint64_t)1 << 20 },
	{ "G", (uint64_t)1 << 30 },
	{ NULL, 0 },
};

static const struct unit times[] = {
	{ "us", 1 },
	{ "ms", 1000 },
	{ "s", 1000000 },
	{ "", 1000000 },
	{ "m", (uint64_t)60 * 1000000 },
	{ "h", (uint64_t)3600 * 1000000 },
	{ "d", (uint64_t)86400 * 1000000 },
	{ NULL, 0 },
};

/* The last one counts; a switch may come without a value. */
static const char *
find_option(const struct bob_option *v, size_t n, const char *key)
{
	for (; n > 0; n--)
		if (strcmp(v[n - 1].key, key) == 0)
			return v[n - 1].value != NULL ? v[n - 1].value : "";
	return NULL;
}

const char *
sink_option(const struct sink *sink, const char *key)
{
	return find_option(sink->options, sink->n_options, key);
}

const char *
source_option(const struct source *src, const char *key)
{
	return find_option(src->options, src->n_options, key);
}

const struct sink_ops *
sink_variant(const struct format *format, const struct bob_option *v, size_t n)
{
	const struct sink_ops *ops = format->sink;

	return ops->variant == NULL ? ops : ops->variant(v, n);
}

/* Digits and a unit. */
static int
parse(const char *s, const struct unit *unit, uint64_t *ret)
{
	const char *start = s;
	uint64_t v = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return 0;
	if (s == start)
		return 0;
	while (unit->name != NULL && strcasecmp(s, unit->name) != 0)
		unit++;
	if (unit->name == NULL || __builtin_mul_overflow(v, unit->size, &v))
		return 0;
	*ret = v;
	return 1;
}

int
option_size(const char *text, uint64_t *ret)
{
	return parse(text, sizes, ret);
}

int
option_time(const char *text, uint64_t *ret)
{
	return parse(text, times, ret);
}

/* What was handed over with the request to close it is closed even when it
 * could not be used. */
static void
refuse(const struct bob_target *to)
{
	if (to->path == NULL && to->write == NULL &&
	    (to->flags & BOB_TARGET_CLOSE))
		(void)close(to->fd);
}

int
sink_open_output(struct sink *sink, const struct bob_target *to)
{
	return sink->ops->head_is_last
	    ? out_open_part(sink->ctx, to, &sink->out)
	    : out_open(sink->ctx, to, &sink->out);
}

int
sink_next_output(struct sink *sink, uint64_t index)
{
	struct bob_target to = { .fd = -1 };
	struct out *old = sink->out;
	int r;

	if (old != NULL) {
		sink->bytes_before += out_total(old);
		sink->out = NULL;
		r = out_finish(old);
		if (r < 0)
			return r;
	}
	if (sink->next_output(sink->next_user, index, &to) != 0)
		return err_set(sink->ctx, BOB_FATAL, BOB_E_IO, BOB_NO_OFFSET,
		    "no output was given for segment %llu",
		    (unsigned long long)index);
	if (sink_open_output(sink, &to) < 0) {
		refuse(&to);
		sink->ctx->error.status = BOB_FATAL;
		return BOB_FATAL;
	}
	return BOB_OK;
}
