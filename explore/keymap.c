/*
 * Key bindings, and a parser for the JSON of key maps: an object of arrays of
 * strings, nothing else. Strings that do not fit their buffer are no keys.
 */
#include "keymap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME 64

struct parser {
	const char *begin, *p, *end;
	keymap_warn_fn *warn;
	void *user;
	char *err;
	size_t n_err;
};

static void
bind_key(struct keymap *k, int action, const char *key)
{
	struct binding *b;
	size_t i;

	for (i = 0; i < k->n; i++) {
		if (strcmp(k->binding[i].key, key) == 0) {
			k->binding[i].action = action;
			return;
		}
	}
	if (k->n == KEYMAP_MAX)
		return;
	b = &k->binding[k->n++];
	(void)snprintf(b->key, sizeof(b->key), "%s", key);
	b->action = action;
}

void
keymap_init(struct keymap *k)
{
	char key[KEY_RAW];
	const char *p;
	size_t len;
	int i;

	k->n = 0;
	for (i = 1; i < N_ACTIONS; i++) {
		for (p = action_info(i)->keys; *p != '\0'; p += len) {
			p += *p == ' ';
			len = strcspn(p, " ");
			(void)snprintf(key, sizeof(key), "%.*s", (int)len, p);
			bind_key(k, i, key);
		}
	}
}

/* Removes all keys of an action. */
static void
unbind(struct keymap *k, int action)
{
	size_t i, to = 0;

	for (i = 0; i < k->n; i++)
		if (k->binding[i].action != action)
			k->binding[to++] = k->binding[i];
	k->n = to;
}

static int
parse_fail(struct parser *s, const char *what)
{
	size_t line = 1;
	const char *p;

	for (p = s->begin; p < s->p; p++)
		line += *p == '\n';
	(void)snprintf(s->err, s->n_err, "line %zu: %s", line, what);
	return -1;
}

static void __attribute__((format(printf, 2, 3)))
parse_warn(struct parser *s, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->warn(s->user, text);
}

static int
next_is(struct parser *s, char c)
{
	while (s->p < s->end && strchr(" \t\r\n", *s->p) != NULL &&
	    *s->p != '\0')
		s->p++;
	if (s->p == s->end || *s->p != c)
		return 0;
	s->p++;
	return 1;
}

static int
parse_hex4(struct parser *s, unsigned *ret)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	unsigned v = 0;
	int i;

	if (s->end - s->p < 4)
		return 0;
	for (i = 0; i < 4; i++) {
		const char *d = *s->p != '\0' ? strchr(digits, *s->p) : NULL;

		if (d == NULL)
			return 0;
		v = v << 4 | ((unsigned)(d - digits) & 15);
		s->p++;
	}
	*ret = v;
	return 1;
}

/* A code point below 0x10000 as UTF-8. */
static size_t
put_utf8(char *buf, unsigned cp)
{
	if (cp < 0x80) {
		buf[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		buf[0] = (char)(0xc0 | cp >> 6);
		buf[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	buf[0] = (char)(0xe0 | cp >> 12);
	buf[1] = (char)(0x80 | (cp >> 6 & 0x3f));
	buf[2] = (char)(0x80 | (cp & 0x3f));
	return 3;
}

/* Reads what follows a backslash. Returns the bytes written to buf; 0 if it is
 * no escape. */
static size_t
unescape(struct parser *s, char *buf)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	unsigned cp;

	if (s->p == s->end)
		return 0;
	if (*s->p == 'u') {
		s->p++;
		return parse_hex4(s, &cp) && cp != 0 ? put_utf8(buf, cp) : 0;
	}
	at = *s->p != '\0' ? strchr(from, *s->p) : NULL;
	if (at == NULL)
		return 0;
	buf[0] = to[at - from];
	s->p++;
	return 1;
}

/* Reads a string into buf, cut to its size; *ret_n is the whole length. Returns
 * 0; -1 if there is none. */
static int
parse_string(struct parser *s, char *buf, size_t cap, size_t *ret_n)
{
	size_t n = 0, len, i;
	char part[4];

	if (!next_is(s, '"'))
		return parse_fail(s, "a string is expected here");
	while (s->p < s->end && *s->p != '"') {
		len = 1;
		part[0] = *s->p;
		if (*s->p++ == '\\') {
			len = unescape(s, part);
			if (len == 0)
				return parse_fail(s, "no such escape");
		}
		for (i = 0; i < len; i++, n++)
			if (n + 1 < cap)
				buf[n] = part[i];
	}
	if (s->p == s->end)
		return parse_fail(s, "the text ends inside a string");
	s->p++;
	buf[n < cap ? n : cap - 1] = '\0';
	*ret_n = n;
	return 0;
}

/* Reads the array of keys of an action; ACT_NONE skips it. */
static int
parse_keys(struct parser *s, struct keymap *k, int action, const char *name)
{
	char key[KEY_RAW];
	size_t len = 0;

	if (!next_is(s, '['))
		return parse_fail(s, "an array of keys is expected here");
	if (next_is(s, ']'))
		return 0;
	do {
		if (parse_string(s, key, sizeof(key), &len) < 0)
			return -1;
		if (len == 0 || len >= sizeof(key))
			parse_warn(s, "a key of %s is empty or too long; "
			    "ignored", name);
		else if (action != ACT_NONE)
			bind_key(k, action, key);
	} while (next_is(s, ','));
	return next_is(s, ']') ? 0
	                       : parse_fail(s, "a comma or ] is expected here");
}

int
keymap_parse(struct keymap *k, const char *json, size_t len,
    keymap_warn_fn *warn, void *user, char *err, size_t n)
{
	struct parser s = { .begin = json, .p = json, .end = json + len,
		.warn = warn, .user = user, .err = err, .n_err = n };
	char name[MAX_NAME];
	size_t name_len = 0;
	int action;

	if (!next_is(&s, '{'))
		return parse_fail(&s, "an object is expected, as "
		    "{\"quit\": [\"q\"]}");
	if (next_is(&s, '}'))
		return 0;
	do {
		if (parse_string(&s, name, sizeof(name), &name_len) < 0)
			return -1;
		if (!next_is(&s, ':'))
			return parse_fail(&s, "a colon is expected here");
		action = action_named(name, name_len);
		if (action == ACT_NONE)
			parse_warn(&s, "there is no action '%s'; ignored",
			    name);
		else
			unbind(k, action);
		if (parse_keys(&s, k, action, name) < 0)
			return -1;
	} while (next_is(&s, ','));
	return next_is(&s, '}') ? 0 : parse_fail(&s, "a comma or } is expected "
	    "here");
}

int
keymap_load(struct keymap *k, const char *path, keymap_warn_fn *warn,
    void *user, char *err, size_t n)
{
	char text[KEYMAP_MAX_FILE], why[256];
	FILE *f = fopen(path, "rbe");
	size_t len;
	int r = -1;

	if (f == NULL) {
		(void)snprintf(err, n, "%s: %s", path, strerror(errno));
		return -1;
	}
	len = fread(text, 1, sizeof(text), f);
	if (ferror(f))
		(void)snprintf(err, n, "%s: %s", path, strerror(errno));
	else if (len == sizeof(text))
		(void)snprintf(err, n, "%s: larger than a key map can be",
		    path);
	else
		r = keymap_parse(k, text, len, warn, user, why, sizeof(why));
	if (r < 0 && len < sizeof(text) && !ferror(f))
		(void)snprintf(err, n, "%s: %s", path, why);
	(void)fclose(f);
	return r;
}

int
keymap_action(const struct keymap *k, const struct event *e)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		const char *key = k->binding[i].key;

		if ((e->name[0] != '\0' && strcmp(key, e->name) == 0) ||
		    (strlen(key) == e->n_raw &&
		        memcmp(key, e->raw, e->n_raw) == 0))
			return k->binding[i].action;
	}
	return ACT_NONE;
}

const char *
keymap_keys(const struct keymap *k, int action, char *buf, size_t n)
{
	size_t at = 0, i;

	buf[0] = '\0';
	for (i = 0; i < k->n && at < n; i++)
		if (k->binding[i].action == action &&
		    (unsigned char)k->binding[i].key[0] >= 0x20)
			at += (size_t)snprintf(buf + at, n - at, "%s%s",
			    at > 0 ? " " : "", k->binding[i].key);
	return buf;
}

const char *
keymap_key(const struct keymap *k, int action, char *buf, size_t n)
{
	(void)keymap_keys(k, action, buf, n);
	buf[strcspn(buf, " ")] = '\0';
	return buf;
}
