/* The options, and what a sample lasts; see flame.h. */
#include "format/flame/flame.h"

#include <string.h>

int
flame_open(struct sink *sink)
{
	struct flame_writer *w = sink->state;
	const char *title = format_sink_option(sink, "title");

	w->is_icicle = format_sink_option(sink, "icicle") != NULL;
	w->has_lines = sink->diff != NULL ? sink->diff->has_lines :
	    format_sink_option(sink, "lines") != NULL;
	w->texts = bob_dict_new(sink->ctx);
	if (w->texts == NULL)
		return BOB_FATAL;
	if (title == NULL)
		return BOB_OK;
	w->title = bob_str_put(w->texts, title, strlen(title));
	return w->title == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

void
flame_close(struct sink *sink)
{
	struct flame_writer *w = sink->state;

	bob_dict_free(w->texts);
}

static struct flame_scale
scale_of_digest(const struct format_digest *d)
{
	const struct bob_times *t = &d->times;
	struct flame_scale s = { .by_time = d->by_time };

	if (t->basis == BOB_TIME_NONE || t->share_samples == 0)
		return s;
	s.has_times = d->by_time || t->basis == BOB_TIME_CLOCK;
	s.period = s.has_times ? 1 : t->share_us / t->share_samples;
	return s;
}

struct flame_scale
flame_scale(const struct sink *sink)
{
	struct flame_scale s = { 0 };

	if (sink->diff == NULL)
		return scale_of_digest(&sink->digest);
	s.by_time = s.has_times = sink->diff->by_time;
	s.period = (uint64_t)s.has_times;
	return s;
}
