/* JSON values on a stdio stream; see the header. */
#include "json.h"

#include <inttypes.h>
#include <string.h>

#include <bobbin/chars.h>

static void
json_put_string(FILE *f, const char *p, size_t n)
{
	char text[BOB_CHAR_JSON];
	size_t taken;

	(void)fputc('"', f);
	while (n > 0) {
		(void)fwrite(text, 1, bob_char_json(text, p, n, &taken), f);
		p += taken;
		n -= taken;
	}
	(void)fputc('"', f);
}

/* The comma and the key that stand before a value. */
static void
json_put_key(struct json *j, const char *key)
{
	if (j->needs_comma)
		(void)fputc(',', j->f);
	j->needs_comma = 1;
	if (key != NULL) {
		json_put_string(j->f, key, strlen(key));
		(void)fputc(':', j->f);
	}
}

void
json_open(struct json *j, const char *key, char what)
{
	json_put_key(j, key);
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
	json_put_key(j, key);
	json_put_string(j->f, p, n);
}

void
json_u64(struct json *j, const char *key, uint64_t v)
{
	json_put_key(j, key);
	(void)fprintf(j->f, "%" PRIu64, v);
}

void
json_i64(struct json *j, const char *key, int64_t v)
{
	json_put_key(j, key);
	(void)fprintf(j->f, "%" PRId64, v);
}

void
json_double(struct json *j, const char *key, double v)
{
	json_put_key(j, key);
	(void)fprintf(j->f, "%.6g", v);
}

void
json_bool(struct json *j, const char *key, int v)
{
	json_put_key(j, key);
	(void)fputs(v ? "true" : "false", j->f);
}

void
json_null(struct json *j, const char *key)
{
	json_put_key(j, key);
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
