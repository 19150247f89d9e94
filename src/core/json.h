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

/* The number v / 10^digits without an exponent and without zeros behind: for
 * microseconds as milliseconds, digits is 3. */
void json_decimal(struct text *t, int64_t v, unsigned digits);

#endif
