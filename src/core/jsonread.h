/*
 * A pull parser for JSON. A document of any size takes little memory: only the
 * current string or number is kept.
 *
 *     json_begin(&j, in, "speedscope");
 *     r = json_next(&j);                   j.kind is JSON_OBJECT
 *     while ((r = json_member(&j)) == BOB_OK)
 *             if (json_is(&j, "name"))
 *                     r = json_next(&j);   j.text, j.n_text
 *             else
 *                     r = json_skip(&j);
 *     json_done(&j);
 *
 * The input must never return AGAIN: use a range of a spool. Damage is FATAL
 * and names the byte: CORRUPT; TRUNCATED if the document ends too early; LIMIT
 * for a string above BOB_MAX_LINE or a depth above JSON_MAX_DEPTH. Strings are
 * given as UTF-8 without escapes. Half a surrogate pair becomes U+FFFD. Bytes
 * that are no UTF-8 are passed on as they are.
 */
#ifndef CORE_JSONREAD_H
#define CORE_JSONREAD_H

#include <stddef.h>
#include <stdint.h>

#include "core/input.h"

/* Depth of nested objects and arrays. */
#define JSON_MAX_DEPTH 512u

enum json_kind {
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_NAME, /* of a member; its value comes next */
	JSON_STRING,
	JSON_NUMBER,
	JSON_WORD /* true, false or null */
};

/* digits * 10^exponent. Digits that do not fit into 64 bits are dropped. */
struct json_number {
	uint64_t digits;
	int32_t exponent;
	int is_negative;
};

enum json_wants {
	JSON_WANTS_VALUE,
	JSON_WANTS_FIRST_VALUE, /* or the end of an array */
	JSON_WANTS_NAME,
	JSON_WANTS_FIRST_NAME, /* or the end of an object */
	JSON_WANTS_MORE        /* a comma, or an end */
};

struct json_reader {
	struct in *in;
	const char *format; /* what messages begin with */
	enum json_kind kind; /* of the current token */
	uint64_t offset;     /* of its first byte */
	char *text;          /* NAME, STRING; not NUL-terminated */
	size_t n_text, cap_text;
	struct json_number number;
	enum json_wants wants;
	int is_skipping; /* strings are not kept */
	unsigned depth;
	uint64_t is_object[JSON_MAX_DEPTH / 64]; /* a bit per depth */
};

/* Begins to read at any value of a document; `in` is borrowed. What comes after
 * that value is not read until json_next is called again. */
void json_begin(struct json_reader *j, struct in *in, const char *format);
void json_done(struct json_reader *j);

/* Reads the next token. Returns BOB_OK; EOF after the whole value; FATAL. */
int json_next(struct json_reader *j);

/* Read the next name in an object, and the next value in an array. The token
 * before was the beginning of the object or array, or ended the member or
 * element before. Return BOB_OK; EOF at its end; FATAL. */
int json_member(struct json_reader *j);
int json_element(struct json_reader *j);

/* Skips the value that begins with the current token; after a name, its value.
 * Returns BOB_OK or FATAL. */
int json_skip(struct json_reader *j);

/* True if the current name or string is `text`. */
int json_is(const struct json_reader *j, const char *text);

/* Returns |v| * 10^power, rounded, at most BOB_MAX_COUNT. */
uint64_t json_scaled(const struct json_number *v, int power);

#endif
