/*
 * JSON onto a struct text: strings that are safe wherever JSON may end up,
 * and numbers.
 *
 *     text_str(t, "{\"name\":");
 *     json_string(t, name.p, name.n);
 *     text_byte(t, '}');
 */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include "core/text.h"

/*
 * The bytes as a JSON string with its quotes. What is not UTF-8 becomes
 * U+FFFD; control characters, U+2028, U+2029 and < > & are written \uXXXX, so
 * that the result may stand in a script or an attribute of HTML as it is.
 */
void json_string(struct text *t, const char *p, size_t n);

/* The same without quotes: a part of a string. */
void json_text(struct text *t, const char *p, size_t n);

/* v / 1000 without an exponent and without zeros behind: microseconds as
 * milliseconds. */
void json_thousandths(struct text *t, int64_t v);

/* What stands behind the digits of such a number, for v < 1000: ".25", or
 * nothing for 0. `to` has JSON_FRACTION bytes of room; returns the length. */
#define JSON_FRACTION 4
static inline size_t
json_fraction(char *to, unsigned v)
{
	to[0] = '.';
	to[1] = (char)('0' + v / 100);
	to[2] = (char)('0' + v / 10 % 10);
	to[3] = (char)('0' + v % 10);
	return v == 0 ? 0 : v % 100 == 0 ? 2 : v % 10 == 0 ? 3 : 4;
}

#endif
