/*
 * JSON, read piece by piece: a document of any size is gone through with
 * little memory, and nothing is kept but the string or number at hand.
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
 * The input must have all its bytes at hand, as a range of a spool has: it
 * never says AGAIN. What is wrong is FATAL and names the byte: CORRUPT,
 * TRUNCATED when the document ends too early, or LIMIT. Strings come as
 * UTF-8 with escapes undone; half a surrogate pair becomes U+FFFD, and bytes
 * that are no UTF-8 are passed on as they are.
 */
#ifndef CORE_JSONREAD_H
#define CORE_JSONREAD_H

#include <stddef.h>
#include <stdint.h>

#include "core/input.h"

/* Objects and arrays inside each other. */
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

/* digits * 10^exponent; digits that 64 bits do not hold are not kept. */
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
	enum json_kind kind; /* of the piece at hand */
	uint64_t offset;     /* of its first byte */
	char *text;          /* NAME, STRING; not NUL-terminated */
	size_t n_text, cap_text;
	struct json_number number;
	enum json_wants wants;
	int is_skipping; /* strings are not kept */
	unsigned depth;
	uint64_t is_object[JSON_MAX_DEPTH / 64]; /* a bit per depth */
};

/* `in` is borrowed. A reader may begin at any value of a document; what
 * stands behind the value is only looked at when asked for. */
void json_begin(struct json_reader *j, struct in *in, const char *format);
void json_done(struct json_reader *j);

/* The next piece. BOB_OK; EOF behind the whole; FATAL. */
int json_next(struct json_reader *j);

/* The next name within an object, or the next value within an array, whose
 * beginning was the piece before. BOB_OK; EOF at its end; FATAL. */
int json_member(struct json_reader *j);
int json_element(struct json_reader *j);

/* Passes over the value that begins with the piece at hand; after a name,
 * over its value. BOB_OK or FATAL. */
int json_skip(struct json_reader *j);

/* True when the name or string at hand is `text`. */
int json_is(const struct json_reader *j, const char *text);

/* |v| * 10^power, rounded, at most BOB_MAX_COUNT. */
uint64_t json_scaled(const struct json_number *v, int power);

#endif
