/* Moments as people write them; see bobbin/when.h. */
#include <bobbin/when.h>

#include <string.h>
#include <time.h>

#include <bobbin/units.h>

#include "core/text.h"

#define SECOND UINT64_C(1000000)

/* No moment has more characters. */
#define MAX_MOMENT 63

/* What was read so far. */
struct moment {
	const char *p;
	struct tm tm;
	uint64_t us;     /* fraction of the second */
	int has_day, has_zone;
	int64_t east_s;  /* seconds that the zone is ahead of UTC */
};

/* Skips a word and the blanks behind it. Returns 0 if it is not there. */
static int
skip_word(struct moment *m, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(m->p, word, n) != 0 || (m->p[n] != ' ' && m->p[n] != '\0'))
		return 0;
	m->p += n;
	m->p += strspn(m->p, " ");
	return 1;
}

/* Reads a number of `least` to `most` digits that is at most `max`. */
static int
get_number(struct moment *m, size_t least, size_t most, int max, int *ret)
{
	size_t n = text_n_digits(m->p, most);
	uint64_t v;

	if (n < least || !text_get_u64(m->p, n, &v) || v > (uint64_t)max)
		return 0;
	m->p += n;
	*ret = (int)v;
	return 1;
}

static int
skip_char(struct moment *m, char c)
{
	if (*m->p != c)
		return 0;
	m->p++;
	return 1;
}

/* Digits of a second behind the point; those beyond microseconds are
 * dropped. */
static int
get_fraction(struct moment *m)
{
	uint64_t unit = SECOND / 10;
	const char *begin = m->p;

	for (; *m->p >= '0' && *m->p <= '9'; m->p++, unit /= 10)
		m->us += unit * (uint64_t)(*m->p - '0');
	return m->p > begin;
}

/* 14:02, 14:02:03 or 14:02:03.5 */
static int
get_clock(struct moment *m)
{
	if (!get_number(m, 1, 2, 23, &m->tm.tm_hour) || !skip_char(m, ':') ||
	    !get_number(m, 2, 2, 59, &m->tm.tm_min))
		return 0;
	if (!skip_char(m, ':'))
		return 1;
	if (!get_number(m, 2, 2, 60, &m->tm.tm_sec))
		return 0;
	return !skip_char(m, '.') || get_fraction(m);
}

/* Z, UTC, +01:00, -0330 or nothing */
static int
get_zone(struct moment *m)
{
	int hours, minutes = 0, sign;

	m->p += strspn(m->p, " ");
	if (*m->p == '\0')
		return 1;
	m->has_zone = 1;
	if (skip_char(m, 'Z') || skip_word(m, "UTC"))
		return *m->p == '\0';
	sign = *m->p == '-' ? -1 : 1;
	if (!skip_char(m, '+') && !skip_char(m, '-'))
		return 0;
	if (!get_number(m, 2, 2, 23, &hours))
		return 0;
	(void)skip_char(m, ':');
	if (*m->p != '\0' && !get_number(m, 2, 2, 59, &minutes))
		return 0;
	m->east_s = sign * (hours * 3600 + minutes * 60);
	return *m->p == '\0';
}

/* 2026-11-19 */
static int
get_date(struct moment *m)
{
	int year, month, day;

	if (!get_number(m, 4, 4, 9999, &year) || !skip_char(m, '-') ||
	    !get_number(m, 2, 2, 12, &month) || !skip_char(m, '-') ||
	    !get_number(m, 2, 2, 31, &day) || month == 0 || day == 0)
		return 0;
	m->tm.tm_year = year - 1900;
	m->tm.tm_mon = month - 1;
	m->tm.tm_mday = day;
	return 1;
}

/* The date that is `days` after today, at 0:00. */
static int
set_day(struct moment *m, uint64_t now_us, int days)
{
	time_t now = (time_t)(now_us / SECOND);
	struct tm today;

	if (localtime_r(&now, &today) == NULL)
		return 0;
	m->tm.tm_year = today.tm_year;
	m->tm.tm_mon = today.tm_mon;
	m->tm.tm_mday = today.tm_mday + days;
	return 1;
}

/* Turns the fields into a moment. A day that the month does not have is
 * none. */
static int
finish(struct moment *m, int day_is_given, uint64_t *ret)
{
	int day = m->tm.tm_mday;
	time_t t;

	m->tm.tm_isdst = m->has_zone ? 0 : -1;
	t = m->has_zone ? timegm(&m->tm) : mktime(&m->tm);
	if (t < 0 || (day_is_given && m->tm.tm_mday != day) ||
	    (int64_t)t < m->east_s)
		return 0;
	*ret = (uint64_t)((int64_t)t - m->east_s) * SECOND + m->us;
	return 1;
}

static int
parse_ago(const char *text, uint64_t now_us, uint64_t *ret)
{
	uint64_t ns, sum = 0;
	size_t n;

	/* One length behind the other: 1h30m. */
	for (; *text != '\0'; text += n) {
		n = strspn(text, "0123456789.");
		n += strcspn(text + n, "0123456789.");
		if (!bob_parse_time(text, n, &ns) || ns / 1000 > now_us - sum)
			return 0;
		sum += ns / 1000;
	}
	*ret = now_us - sum;
	return sum > 0;
}

static int
parse_seconds(struct moment *m, uint64_t *ret)
{
	size_t n = text_n_digits(m->p, 12);
	uint64_t v;

	if (!text_get_u64(m->p, n, &v))
		return 0;
	m->p += n;
	if ((skip_char(m, '.') && !get_fraction(m)) || *m->p != '\0')
		return 0;
	*ret = v * SECOND + m->us;
	return 1;
}

/* Keeps in *m the day and the zone that were given, if there are any. */
static int
parse(struct moment *m, const char *text, uint64_t now_us, uint64_t *ret)
{
	int is_date = 0, r;

	*m = (struct moment){ .p = text };
	if (strcmp(text, "now") == 0) {
		*ret = now_us;
		return 1;
	}
	if (*text == '-')
		return parse_ago(text + 1, now_us, ret);
	if (skip_char(m, '@'))
		return parse_seconds(m, ret);
	m->has_day = 1;
	if (skip_word(m, "yesterday"))
		r = set_day(m, now_us, -1);
	else if (skip_word(m, "today"))
		r = set_day(m, now_us, 0);
	else if (strlen(text) >= 10 && text[4] == '-')
		r = is_date = get_date(m) && (*m->p == '\0' ||
		    skip_char(m, 'T') || skip_char(m, ' '));
	else
		r = *text != '\0' && set_day(m, now_us, 0);
	if (r && *m->p != '\0')
		r = get_clock(m) && get_zone(m);
	return r && finish(m, is_date, ret);
}

int
bob_when(const char *text, uint64_t now_us, uint64_t *ret)
{
	struct moment m;

	return parse(&m, text, now_us, ret);
}

/* A time of the day alone, on the day and in the zone of another moment.
 * Returns 0 if it is no such time. */
static int
parse_same_day(const struct moment *day, const char *text, uint64_t *ret)
{
	struct moment m = *day;

	m.p = text;
	m.us = 0;
	m.tm.tm_hour = m.tm.tm_min = m.tm.tm_sec = 0;
	return day->has_day && get_clock(&m) && get_zone(&m) &&
	    finish(&m, 0, ret);
}

int
bob_when_range(const char *text, uint64_t now_us, uint64_t *ret_from,
    uint64_t *ret_to)
{
	const char *dots = strstr(text, ".."), *to;
	char from[MAX_MOMENT + 1] = "";
	struct moment m = { .p = NULL }, end;

	if (dots == NULL || (size_t)(dots - text) > MAX_MOMENT)
		return 0;
	to = dots + 2;
	memcpy(from, text, (size_t)(dots - text));
	*ret_from = 0;
	*ret_to = UINT64_MAX;
	if (dots > text && !parse(&m, from, now_us, ret_from))
		return 0;
	if (*to != '\0' && !parse_same_day(&m, to, ret_to) &&
	    !parse(&end, to, now_us, ret_to))
		return 0;
	return *ret_from < *ret_to;
}
