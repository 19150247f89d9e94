/*
 * Writing JSON to a struct text: strings and numbers. Strings are safe in
 * scripts and attributes of HTML, too.
 *
 *     text_str(t, "{\"name\":");
 *     json_string(t, name.p, name.n);
 *     text_byte(t, '}');
 */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include "core/text.h"

/* The bytes as a JSON string with its quotes, escaped as by bob_char_json
 * (bobbin/chars.h). */
void json_string(struct text *t, const char *p, size_t n);

/* The same without quotes: a part of a string. */
void json_text(struct text *t, const char *p, size_t n);

/* Writes v / 1000 without an exponent and without trailing zeros: microseconds
 * as milliseconds. */
void json_thousandths(struct text *t, int64_t v);

/* Writes the fraction v / 1000, for v < 1000, as ".25"; nothing for 0. `to` has
 * room for JSON_FRACTION bytes. Returns the length. */
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
