/*
 * JSON on a stdio stream, on one line. Each call writes a value at once, with
 * the comma before it where one is needed; nothing is kept, so a report may be
 * of any length.
 *
 * A key is NULL inside an array and for the outermost value. Strings are
 * escaped as by bob_char_json (bobbin/chars.h).
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *f;
	int needs_comma;
};

/* `what` is '{' or '['; json_close takes the same. Closing the outermost one
 * is followed by json_end. */
void json_open(struct json *j, const char *key, char what);
void json_close(struct json *j, char what);
void json_end(struct json *j);

void json_str(struct json *j, const char *key, const char *s);
void json_bytes(struct json *j, const char *key, const char *p, size_t n);
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_double(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, int v);
void json_null(struct json *j, const char *key);
/* v, or null if it is not known. */
void json_u64_if(struct json *j, const char *key, uint64_t v, int is_known);

#endif
