/* The parser of variable names; see spec.h. */
#include "capture/php/variables/spec.h"

#include <string.h>

static const struct {
	const char *name;
	enum spec_scope scope;
} scopes[] = {
	{ "global::", SPEC_GLOBAL },
	{ "local::", SPEC_LOCAL },
	{ "static::", SPEC_STATIC },
	{ "func_static::", SPEC_FUNC_STATIC },
	{ "memory::", SPEC_MEMORY },
};

static const char *const memory_names[] = { "memory_get_usage",
	"memory_get_peak_usage", "memory_get_usage_real",
	"memory_get_peak_usage_real" };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int
spec_error(struct bob_ctx *ctx, const struct spec *s, const char *at,
    const char *why)
{
	return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
	    "variable '%s', character %zu: %s", s->text,
	    (size_t)(at - s->text) + 1, why);
}

struct table_key
table_key_of(const char *s, size_t n)
{
	struct table_key k = { .s = s, .n = n, .h = 5381 };
	size_t i;

	for (i = 0; i < n; i++)
		k.h = k.h * 33 + (uint8_t)s[i];
	k.h |= (uint64_t)1 << 63;
	return k;
}

/* Makes the key a number if it is a 64-bit decimal number as PHP writes it;
 * "007" and "-0" stay strings. */
static void
key_set_number(struct table_key *k)
{
	const char *s = k->s;
	size_t n = k->n;
	int is_negative = n > 1 && s[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + (uint64_t)is_negative, v = 0;

	if (is_negative) {
		s++;
		n--;
	}
	if (n == 0 || n > 19 || (s[0] == '0' && (n > 1 || is_negative)))
		return;
	for (; n > 0; n--, s++) {
		uint64_t digit = (uint64_t)(uint8_t)*s - '0';

		if (digit > 9 || v > (limit - digit) / 10)
			return;
		v = v * 10 + digit;
	}
	k->h = is_negative ? (uint64_t)0 - v : v;
	k->is_number = 1;
}

static int
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || (uint8_t)c >= 0x80;
}

static size_t
name_len(const char *s)
{
	size_t n = 0;

	while (is_name(s[n]))
		n++;
	return n;
}

/* Parses "[key]"; *ret_end is behind it. */
static int
parse_key(struct bob_ctx *ctx, struct spec *s, const char *p,
    const char **ret_end)
{
	struct spec_step *step = &s->step[s->n_step];
	const char *from = p + 1, *end;

	if (*from == '\'' || *from == '"') {
		char close[3] = { *from, ']', '\0' };

		end = strstr(++from, close);
		if (end == NULL)
			return spec_error(ctx, s, p, "a quoted key ends with "
			    "the quote and ]");
		*ret_end = end + 2;
	} else {
		end = strchr(from, ']');
		if (end == NULL || end == from)
			return spec_error(ctx, s, p, "a key stands between [ "
			    "and ]");
		*ret_end = end + 1;
	}
	step->key = table_key_of(from, (size_t)(end - from));
	key_set_number(&step->key);
	return BOB_OK;
}

/* Parses "->name". */
static int
parse_property(struct bob_ctx *ctx, struct spec *s, const char *p,
    const char **ret_end)
{
	struct spec_step *step = &s->step[s->n_step];
	size_t n = name_len(p + 2);

	if (n == 0)
		return spec_error(ctx, s, p + 2, "the name of a property is "
		    "missing");
	step->is_property = 1;
	step->key = table_key_of(p + 2, n);
	*ret_end = p + 2 + n;
	return BOB_OK;
}

/* Parses the name behind $, and the steps behind the name. */
static int
parse_variable(struct bob_ctx *ctx, struct spec *s, const char *p)
{
	size_t n = name_len(p);
	int r = BOB_OK;

	if (n == 0)
		return spec_error(ctx, s, p,
		    "the name of a variable is missing");
	s->name = table_key_of(p, n);
	p += n;
	while (r == BOB_OK && *p != '\0') {
		if (s->n_step == SPEC_MAX_STEPS)
			return spec_error(ctx, s, p, "too many steps");
		if (*p == '[')
			r = parse_key(ctx, s, p, &p);
		else if (p[0] == '-' && p[1] == '>')
			r = parse_property(ctx, s, p, &p);
		else
			return spec_error(ctx, s, p, "[key] or ->property may "
			    "follow here");
		s->n_step++;
	}
	return r;
}

/* Parses the function or class in front of `sign`, then the variable. */
static int
parse_owner(struct bob_ctx *ctx, struct spec *s, const char *p,
    const char *sign, const char *why)
{
	const char *end = strstr(p, sign);

	if (*p == '\\')
		p++;
	if (end == NULL || end <= p)
		return spec_error(ctx, s, p, why);
	s->owner = p;
	s->owner_len = (size_t)(end - p);
	return parse_variable(ctx, s, end + strlen(sign));
}

static int
parse_memory(struct bob_ctx *ctx, struct spec *s, const char *p)
{
	size_t i;

	for (i = 0; i < COUNT(memory_names); i++)
		if (strcmp(memory_names[i], p) == 0) {
			s->name.h = i;
			return BOB_OK;
		}
	return spec_error(ctx, s, p, "memory_get_usage, memory_get_peak_usage, "
	    "memory_get_usage_real or memory_get_peak_usage_real");
}

int
spec_parse(struct bob_ctx *ctx, const char *text, struct spec *ret)
{
	const char *p = NULL;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	ret->text = text;
	if (strlen(text) > SPEC_MAX_BYTES)
		return err_set(ctx, BOB_FAILED, BOB_E_USAGE, BOB_NO_OFFSET,
		    "variable '%.32s...' has more than %d characters", text,
		    SPEC_MAX_BYTES);
	for (i = 0; p == NULL && i < COUNT(scopes); i++)
		if (strncmp(text, scopes[i].name, strlen(scopes[i].name)) ==
		    0) {
			ret->scope = scopes[i].scope;
			p = text + strlen(scopes[i].name);
		}
	if (p == NULL)
		return spec_error(ctx, ret, text, "it begins with global::, "
		    "local::, static::, func_static:: or memory::");
	switch (ret->scope) {
	case SPEC_GLOBAL:
		return *p == '$' ? parse_variable(ctx, ret, p + 1)
		    : spec_error(ctx, ret, p, "a variable begins with $, as in "
		          "global::$name");
	case SPEC_STATIC:
		return parse_owner(ctx, ret, p, "::$",
		    "a class and its property, as in static::Class::$name");
	case SPEC_MEMORY:
		return parse_memory(ctx, ret, p);
	default:
		return parse_owner(ctx, ret, p, "()$",
		    "a function and its variable, as in "
		    "local::Class::method()$name; <main>() is the script");
	}
}
