/* The block of statistics, and numbers in it; see the header. */
#include "format/tach/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/tach/tach.h"

uint32_t
tach_stats_size(const uint8_t *tail, int is_swapped, uint32_t *version)
{
	if (memcmp(tail, "TACHSTAT", 8) != 0)
		return 0;
	*version = tach_u32(tail + 8, is_swapped);
	return tach_u32(tail + 12, is_swapped);
}

static double
get_double(const uint8_t *p, int is_swapped)
{
	uint64_t bits = tach_u64(p, is_swapped);
	double v;

	_Static_assert(sizeof(v) == sizeof(bits), "IEEE 754 double");
	memcpy(&v, &bits, sizeof(v));
	return v;
}

int
tach_stats_get(const uint8_t *p, uint32_t n, int is_swapped,
    struct tach_stats *ret)
{
	struct tach_stats s = { .duration_s = get_double(p, is_swapped),
		.rate = get_double(p + 8, is_swapped) };

	if (n >= TACH_STATS_LONG) {
		s.failed = get_double(p + 16, is_swapped);
		s.missed = get_double(p + 24, is_swapped);
		s.flags = tach_u32(p + 32, is_swapped) &
		    (TACH_STATS_HAS_FAILED | TACH_STATS_HAS_MISSED);
	}
	if (!(s.flags & TACH_STATS_HAS_FAILED))
		s.failed = 0;
	if (!(s.flags & TACH_STATS_HAS_MISSED))
		s.missed = 0;
	*ret = s;
	return isfinite(s.duration_s) && s.duration_s >= 0 &&
	    isfinite(s.rate) && s.rate >= 0 && isfinite(s.failed) &&
	    s.failed >= 0 && isfinite(s.missed);
}

const char *
tach_mode_name(uint32_t word)
{
	static const char *const name[8] = { NULL, "wall", "cpu", "gil",
		"all", "exception" };

	return name[word & 7];
}

int
tach_put_features(char *buf, uint32_t word)
{
	static const char *const name[] = { "all-threads", "native", "gc",
		"opcodes", "blocking" };
	size_t n = 0, i;

	buf[0] = '\0';
	if (!(word & TACH_FEATURES_KNOWN))
		return 0;
	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (word >> (TACH_FEATURES_SHIFT + i) & 1)
			n += (size_t)snprintf(buf + n, TACH_FEATURES_MAX - n,
			    "%s%s", n == 0 ? "" : ",", name[i]);
	return 1;
}
