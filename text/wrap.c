/* Where lines end; see the header. */
#include "wrap.h"

#include <stdint.h>
#include <string.h>

#include <bobbin/chars.h>

#include "width.h"

/* The character or the colour at p: returns its bytes, and adds its columns to
 * *width. */
static size_t
step(const char *p, size_t n, size_t *width)
{
	uint32_t c = '?';
	size_t len = bob_char_take(p, n, &c);

	if (*p == '\033') {
		for (len = 1; len < n && p[len - 1] != 'm'; len++)
			;
		return len;
	}
	*width += char_width(c);
	return len == 0 ? 1 : len;
}

static size_t
behind_spaces(const char *p, size_t n, size_t at)
{
	while (at < n && p[at] == ' ')
		at++;
	return at;
}

/* True if the text begins with a unit of number.h. */
static int
is_unit(const char *p, size_t n)
{
	static const char *const unit[] = { "%", "us", "ms", "s", "m", "h",
		"B", "kB", "MB", "GB" };
	size_t i, len;

	for (i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		len = strlen(unit[i]);
		if (n >= len && memcmp(p, unit[i], len) == 0 &&
		    (n == len || p[len] < 'A'))
			return 1;
	}
	return 0;
}

/* True for a space at which a line may end: the first of several, and neither
 * that between a number and its unit nor that behind a plus-minus sign. */
static int
is_break(const char *p, size_t n, size_t at)
{
	char before = at > 0 ? p[at - 1] : '\0';

	if (p[at] != ' ' || before == ' ' || before == '\xb1')
		return 0;
	return before < '0' || before > '9' ||
	    !is_unit(p + at + 1, n - at - 1);
}

size_t
wrap_line(const char *p, size_t n, size_t column, int is_begun, size_t width,
    size_t *ret_next)
{
	size_t at = 0, space = 0, slash = 0, begin = is_begun ? 0 : 1, len;
	int has_space = 0;

	while (at < n) {
		if (at >= begin && is_break(p, n, at)) {
			space = at;
			has_space = 1;
		}
		len = step(p + at, n - at, &column);
		if (column > width && (p[at] != ' ' || !has_space) &&
		    (at > 0 || is_begun))
			break;
		if (p[at] == '/' || p[at] == '\\')
			slash = at + 1;
		at += len;
	}
	if (at >= n) {
		*ret_next = n;
		return n;
	}
	if (!has_space && is_begun) {
		*ret_next = 0;
		return 0;
	}
	if (!has_space) {
		*ret_next = slash > 0 ? slash : at;
		return *ret_next;
	}
	*ret_next = behind_spaces(p, n, space);
	return space;
}
