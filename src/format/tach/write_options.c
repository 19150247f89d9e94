/* What a caller may ask of the writer. */
#include <string.h>

#include "core/text.h"
#include "format/tach/write.h"

#define COMMON_OPTIONS                                                       \
	{ "compression", "none|zstd", "how samples are packed (zstd)" },     \
	{ "zstd-level", "N", "how hard zstd tries, 1 to 22 (5)" },           \
	{ "byte-order", "little|big", "of numbers (this machine's)" },       \
	{ "deep", NULL, "keep stacks above 256 frames; CPython cannot "      \
	                "read them" },                                       \
	{ "small", NULL, "look for fewer bytes than CPython writes; takes "  \
	                 "longer" }

const struct bob_option_info tach_write_options[] = {
	{ "dialect", "v2|early-1|1a|1b|1c",
	    "which layout to write (1b, or 1c when its facts are known)" },
	COMMON_OPTIONS,
	{ NULL, NULL, NULL },
};

const struct bob_option_info tach_v2_write_options[] = {
	{ "dialect", "v2", "which layout to write: it has no other" },
	COMMON_OPTIONS,
	{ NULL, NULL, NULL },
};

static int
bad_value(const struct sink *sink, const char *key, const char *value,
    const char *want)
{
	return err_set(sink->ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "tach: option %s: '%s' is not %s", key, value, want);
}

static int
get_dialect(const struct sink *sink, int *ret)
{
	const char *s = format_sink_option(sink, "dialect");

	*ret = s == NULL ? -1 : tach_dialect_named(s);
	if (s != NULL && *ret < 0)
		return bad_value(sink, "dialect", s,
		    "v2, early-1, 1a, 1b or 1c");
	return BOB_OK;
}

static int
get_compression(const struct sink *sink, struct tach_write_opts *o)
{
	const char *s = format_sink_option(sink, "compression");
	const char *level = format_sink_option(sink, "zstd-level");
	int64_t n = 5;

	o->is_packed = s == NULL || strcmp(s, "none") != 0;
	if (o->is_packed && s != NULL && strcmp(s, "zstd") != 0)
		return bad_value(sink, "compression", s, "none or zstd");
	if (level != NULL && (!text_get_i64(level, strlen(level), &n) ||
	    n < 1 || n > 22))
		return bad_value(sink, "zstd-level", level,
		    "a level from 1 to 22");
	o->level = (int)n;
	return BOB_OK;
}

static int
get_byte_order(const struct sink *sink, struct tach_write_opts *o)
{
	const char *s = format_sink_option(sink, "byte-order");
	const uint16_t one = 1;
	int is_little = *(const uint8_t *)&one;

	o->is_big = s == NULL ? !is_little : strcmp(s, "big") == 0;
	o->is_swapped = o->is_big == is_little;
	if (s != NULL && !o->is_big && strcmp(s, "little") != 0)
		return bad_value(sink, "byte-order", s, "little or big");
	return BOB_OK;
}

int
tach_write_options_get(const struct sink *sink, struct tach_write_opts *o)
{
	int r;

	o->is_small = format_sink_option(sink, "small") != NULL;
	o->is_deep = format_sink_option(sink, "deep") != NULL;
	r = get_dialect(sink, &o->dialect);
	if (r == BOB_OK)
		r = get_compression(sink, o);
	return r < 0 ? r : get_byte_order(sink, o);
}
