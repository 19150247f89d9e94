/* The JSON emitter. */
#include "json.h"

#include <inttypes.h>
#include <string.h>

#include <bobbin/chars.h>

static void
put_string(FILE *f, const char *p, size_t n)
{
	(void)fputc('"', f);
	while (n > 0) {
		uint32_t cp = 0;
		size_t len = bob_char_take(p, n, &cp);

		if (len == 0)
			(void)fputs("\\ufffd", f);
		else if (cp == '"' || cp == '\\')
			(void)fprintf(f, "\\%c", (int)cp);
		else if (cp == '\n')
			(void)fputs("\\n", f);
		else if (bob_char_kind(cp) == BOB_CHAR_ACTS)
			(void)fprintf(f, "\\u%04x", (unsigned)cp);
		else
			(void)fwrite(p, 1, len, f);
		len = len == 0 ? 1 : len;
		p += len;
		n -= len;
	}
	(void)fputc('"', f);
}

static void
before(struct json *j, const char *key)
{
	if (j->needs_comma)
		(void)fputc(',', j->f);
	j->needs_comma = 1;
	if (key != NULL) {
		put_string(j->f, key, strlen(key));
		(void)fputc(':', j->f);
	}
}

void
json_open(struct json *j, const char *key, char what)
{
	before(j, key);
	(void)fputc(what, j->f);
	j->needs_comma = 0;
}

void
json_close(struct json *j, char what)
{
	(void)fputc(what == '{' ? '}' : ']', j->f);
	j->needs_comma = 1;
}

void
json_end(struct json *j)
{
	(void)fputc('\n', j->f);
	j->needs_comma = 0;
}

void
json_str(struct json *j, const char *key, const char *s)
{
	json_bytes(j, key, s, strlen(s));
}

void
json_bytes(struct json *j, const char *key, const char *p, size_t n)
{
	before(j, key);
	put_string(j->f, p, n);
}

void
json_u64(struct json *j, const char *key, uint64_t v)
{
	before(j, key);
	(void)fprintf(j->f, "%" PRIu64, v);
}

void
json_i64(struct json *j, const char *key, int64_t v)
{
	before(j, key);
	(void)fprintf(j->f, "%" PRId64, v);
}

void
json_double(struct json *j, const char *key, double v)
{
	before(j, key);
	(void)fprintf(j->f, "%.6g", v);
}

void
json_bool(struct json *j, const char *key, int v)
{
	before(j, key);
	(void)fputs(v ? "true" : "false", j->f);
}

void
json_null(struct json *j, const char *key)
{
	before(j, key);
	(void)fputs("null", j->f);
}

void
json_u64_if(struct json *j, const char *key, uint64_t v, int is_known)
{
	if (is_known)
		json_u64(j, key, v);
	else
		json_null(j, key);
}
