/* What a caller may ask of the writer. */
#include <stdint.h>
#include <string.h>

#include <bobbin/units.h>

#include "format/rbt/write.h"

const struct bob_option_info rbt_write_options[] = {
	{ "timestamps", "auto|none|delta",
	    "times of samples; auto: as the input has them" },
	{ "compress", NULL, "pack each segment as a gzip member" },
	{ "period", "US", "sampling period to write, in microseconds" },
	{ "rotate-time", "TIME", "begin a new segment after TIME" },
	{ "rotate-size", "SIZE", "begin a new segment after SIZE bytes" },
	{ "checkpoint", "N", "write a checkpoint every N samples (1000)" },
	{ "annotate", "all|changes",
	    "samples: each, or those where annotations change" },
	{ RBT_OPTION_STATUS, NULL,
	    "annotate samples with the status of their thread" },
	{ NULL, NULL, NULL },
};

static int
bad_value(const struct sink *sink, const char *key, const char *value,
    const char *want)
{
	return err_set(sink->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "rbt: option %s: '%s' is not %s", key, value, want);
}

/* A decimal number of min .. max; 1, or 0 when it is not one. */
static int
parse_number(const char *s, uint64_t min, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (*s == '\0')
		return 0;
	for (; *s != '\0'; s++) {
		unsigned digit = (unsigned)(*s - '0');

		if (digit > 9 || v > (max - digit) / 10)
			return 0;
		v = v * 10 + digit;
	}
	*ret = v;
	return v >= min;
}

static int
get_times(const struct sink *sink, enum rbt_times *ret)
{
	static const char *const name[] = { "auto", "none", "delta" };
	const char *s = format_sink_option(sink, "timestamps");
	size_t i;

	if (s == NULL)
		return BOB_OK;
	for (i = 0; i < 3; i++)
		if (strcmp(s, name[i]) == 0) {
			*ret = (enum rbt_times)i;
			return BOB_OK;
		}
	return bad_value(sink, "timestamps", s, "auto, none or delta");
}

static int
get_changes(const struct sink *sink, int *ret)
{
	const char *s = format_sink_option(sink, "annotate");

	*ret = s != NULL && strcmp(s, "changes") == 0;
	return s == NULL || *ret || strcmp(s, "all") == 0
	    ? BOB_OK : bad_value(sink, "annotate", s, "all or changes");
}

static int
get_period(const struct sink *sink, struct rbt_write_opts *o)
{
	const char *s = format_sink_option(sink, "period");
	uint64_t v;

	if (s == NULL)
		return BOB_OK;
	if (!parse_number(s, 0, UINT32_MAX, &v))
		return bad_value(sink, "period", s,
		    "a number of microseconds below 2^32");
	o->has_period = 1;
	o->period = (uint32_t)v;
	return BOB_OK;
}

static int
get_rotation(const struct sink *sink, struct rbt_write_opts *o)
{
	const char *time = format_sink_option(sink, "rotate-time");
	const char *size = format_sink_option(sink, "rotate-size");
	uint64_t ns = 0;

	if (time != NULL &&
	    (!bob_parse_time(time, strlen(time), &ns) || ns < 1000))
		return bad_value(sink, "rotate-time", time,
		    "a time such as 10s or 5m");
	o->rotate_us = ns / 1000;
	if (size != NULL && (!bob_parse_size(size, strlen(size),
	        &o->rotate_bytes) || o->rotate_bytes == 0))
		return bad_value(sink, "rotate-size", size,
		    "a size such as 64k or 10MiB");
	return BOB_OK;
}

int
rbt_write_options_get(const struct sink *sink, struct rbt_write_opts *o)
{
	const char *checkpoint = format_sink_option(sink, "checkpoint");
	int r;

	o->compress = format_sink_option(sink, "compress") != NULL;
	o->status = format_sink_option(sink, RBT_OPTION_STATUS) != NULL;
	o->checkpoint = RBT_CHECKPOINT_EVERY;
	if (checkpoint != NULL &&
	    !parse_number(checkpoint, 1, UINT64_MAX / 2, &o->checkpoint))
		return bad_value(sink, "checkpoint", checkpoint,
		    "a number of samples");
	r = get_changes(sink, &o->changes);
	if (r == BOB_OK)
		r = get_times(sink, &o->times);
	if (r == BOB_OK)
		r = get_period(sink, o);
	return r < 0 ? r : get_rotation(sink, o);
}
