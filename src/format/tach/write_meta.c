/*
 * Metadata about the capture for which the file has a field. Values are text
 * that anyone may have written: a value that does not fit its field is ignored.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "format/common/meta.h"
#include "format/tach/write.h"

/* Without the locale's influence; 0 when it is no decimal fraction. */
static int
get_decimal(struct bob_bytes s, double *ret)
{
	const char *point = localeconv()->decimal_point;
	size_t n = 0, n_point = strlen(point), i;
	char buf[64], *end;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] == '\0' ||
		    strchr("0123456789.e+-", s.p[i]) == NULL ||
		    n + n_point + 1 >= sizeof(buf))
			return 0;
		if (s.p[i] == '.') {
			memcpy(buf + n, point, n_point);
			n += n_point;
		} else {
			buf[n++] = s.p[i];
		}
	}
	buf[n] = '\0';
	*ret = strtod(buf, &end);
	return n > 0 && *end == '\0' && isfinite(*ret);
}

static int
get_version(struct bob_bytes s, uint8_t *ret)
{
	uint8_t v[3];
	size_t i, at = 0, n;
	int64_t part;

	for (i = 0; i < 3; i++) {
		for (n = 0; at + n < s.n && s.p[at + n] != '.'; n++)
			;
		if (!text_get_i64(s.p + at, n, &part) || part < 0 ||
		    part > 255)
			return 0;
		v[i] = (uint8_t)part;
		at += n + (i < 2);
	}
	if (at != s.n)
		return 0;
	memcpy(ret, v, sizeof(v));
	return 1;
}

/* The number that stands in the header for the name of a mode. */
static int
get_mode(struct bob_bytes s, uint32_t *ret)
{
	uint32_t i;
	const char *name;

	for (i = 1; (name = tach_mode_name(i)) != NULL; i++)
		if (strlen(name) == s.n && memcmp(name, s.p, s.n) == 0) {
			*ret = i;
			return 1;
		}
	return 0;
}

/* The bit that a feature has in the header; 0: there is no such feature. */
static uint32_t
feature_bit(const char *p, size_t n)
{
	char name[TACH_FEATURES_MAX];
	uint32_t bit;

	for (bit = 1u << TACH_FEATURES_SHIFT; bit != 0; bit <<= 1) {
		(void)tach_put_features(name, TACH_FEATURES_KNOWN | bit);
		if (n > 0 && strlen(name) == n && memcmp(name, p, n) == 0)
			return bit;
	}
	return 0;
}

/* Parses words with commas between. An empty text means that there are none. */
static int
get_features(struct bob_bytes s, uint32_t *ret)
{
	uint32_t word = TACH_FEATURES_KNOWN, bit;
	size_t at = 0, n;

	while (at < s.n) {
		for (n = 0; at + n < s.n && s.p[at + n] != ','; n++)
			;
		bit = feature_bit(s.p + at, n);
		if (bit == 0)
			return 0;
		word |= bit;
		at += n + 1;
	}
	*ret = word;
	return 1;
}

static int
is_key(struct bob_bytes key, const char *name)
{
	return key.n == strlen(name) && memcmp(key.p, name, key.n) == 0;
}

static int
take_stat(struct tach_meta *m, struct bob_bytes key, struct bob_bytes value)
{
	struct tach_stats *s = &m->stats;
	uint32_t flag = 0;
	double *field, v;

	if (is_key(key, META_DURATION))
		field = &s->duration_s;
	else if (is_key(key, META_RATE))
		field = &s->rate;
	else if (is_key(key, META_FAILED))
		field = &s->failed, flag = TACH_STATS_HAS_FAILED;
	else if (is_key(key, META_MISSED))
		field = &s->missed, flag = TACH_STATS_HAS_MISSED;
	else
		return 0;
	if (!get_decimal(value, &v))
		return 0;
	*field = v;
	s->flags |= flag;
	m->has_stats = 1;
	return 1;
}

static int
take_meta(struct tach_meta *m, struct bob_bytes key, struct bob_bytes value)
{
	if (is_key(key, META_PYTHON_VERSION))
		return get_version(value, m->python);
	if (is_key(key, META_MODE))
		return get_mode(value, &m->mode);
	if (is_key(key, META_FEATURES))
		return get_features(value, &m->features);
	if (!is_key(key, META_T_BEGIN))
		return take_stat(m, key, value);
	m->has_t_begin = text_get_u64(value.p, value.n, &m->t_begin);
	return m->has_t_begin;
}

static int
stats_differ(const struct tach_stats *a, const struct tach_stats *b)
{
	return a->duration_s != b->duration_s || a->rate != b->rate ||
	    a->failed != b->failed || a->missed != b->missed ||
	    a->flags != b->flags;
}

/* A file has room for the facts of one capture: those of the first segment. A
 * fact in which another segment differs is left out. */
int
tach_meta_take(struct tach_meta *m, struct bob_bytes key,
    struct bob_bytes value, int is_first_segment)
{
	struct tach_meta other = *m;

	if (is_first_segment)
		return take_meta(m, key, value);
	(void)take_meta(&other, key, value);
	m->mixes_modes |= other.mode != m->mode ||
	    other.features != m->features;
	m->mixes_stats |= stats_differ(&other.stats, &m->stats);
	return 0;
}
