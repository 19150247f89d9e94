/*
 * What format.h offers to formats and to the pipeline: options of sinks and
 * sources, the table of a sink, and the way from one output to the next.
 */
#include <string.h>
#include <unistd.h>

#include "format/format.h"

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
format_sink_option(const struct sink *sink, const char *key)
{
	return find_option(sink->options, sink->n_options, key);
}

const char *
format_source_option(const struct source *src, const char *key)
{
	return find_option(src->options, src->n_options, key);
}

const struct sink_ops *
format_sink_ops(const struct format *format, const struct bob_option *v,
    size_t n)
{
	const struct sink_ops *ops = format->sink;

	return ops->variant == NULL ? ops : ops->variant(v, n);
}

/* Closes a descriptor that was handed over with BOB_TARGET_CLOSE but could not
 * be used. */
static void
close_refused(const struct bob_target *to)
{
	if (to->path == NULL && to->write == NULL &&
	    (to->flags & BOB_TARGET_CLOSE))
		(void)close(to->fd);
}

int
format_open_output(struct sink *sink, const struct bob_target *to)
{
	return sink->ops->head_is_last
	    ? out_open_part(sink->ctx, to, &sink->out)
	    : out_open(sink->ctx, to, &sink->out);
}

int
format_next_output(struct sink *sink, uint64_t index)
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
	if (sink->next_output(sink->next_user, index, &to) != 0) {
		(void)err_set(sink->ctx, BOB_FATAL, BOB_E_IO, BOB_NO_OFFSET,
		    "no output was given for segment %llu",
		    (unsigned long long)index);
		return err_of_output(sink->ctx);
	}
	if (format_open_output(sink, &to) < 0) {
		close_refused(&to);
		return err_set_status(sink->ctx, BOB_FATAL);
	}
	return BOB_OK;
}

const struct format *
format_named(const char *name)
{
	size_t i;

	for (i = 0; formats[i] != NULL; i++)
		if (strcmp(formats[i]->info.name, name) == 0)
			return formats[i];
	return NULL;
}

int
format_begins_segment(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; n >= IN_SEGMENT_HEAD && formats[i] != NULL; i++)
		if (formats[i]->segment_magic != NULL &&
		    memcmp(p, formats[i]->segment_magic, IN_SEGMENT_HEAD) == 0)
			return 1;
	return 0;
}

const struct bob_format_info *
bob_format_get(size_t i)
{
	size_t n;

	for (n = 0; formats[n] != NULL; n++)
		if (n == i)
			return &formats[n]->info;
	return NULL;
}

const struct bob_format_info *
bob_format_named(const char *name)
{
	const struct format *f = format_named(name);

	return f == NULL ? NULL : &f->info;
}

/* Length of the longest of the space-separated suffixes that path has. */
static size_t
suffix_match(const char *suffixes, const char *path)
{
	size_t n_path = strlen(path), best = 0;

	while (*suffixes != '\0') {
		size_t n = strcspn(suffixes, " ");

		if (n > best && n < n_path &&
		    memcmp(path + n_path - n, suffixes, n) == 0)
			best = n;
		suffixes += n;
		suffixes += strspn(suffixes, " ");
	}
	return best;
}

const struct bob_format_info *
bob_format_of_path(const char *path)
{
	const struct bob_format_info *found = NULL;
	size_t best = 0, n, i;

	for (i = 0; formats[i] != NULL; i++) {
		n = suffix_match(formats[i]->info.suffixes, path);
		if (n > best) {
			best = n;
			found = &formats[i]->info;
		}
	}
	return found;
}
