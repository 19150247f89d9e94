/* A pull parser for JSON; see the header. */
#include "core/jsonread.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* A string is at most what a line of a text format may be. */
#define MAX_STRING ((size_t)BOB_MAX_LINE)

/* Above this an exponent says only "huge" or "tiny". */
#define MAX_EXPONENT 10000

void
json_begin(struct json_reader *j, struct in *in, const char *format)
{
	memset(j, 0, sizeof(*j));
	j->in = in;
	j->format = format;
	j->wants = JSON_WANTS_VALUE;
}

void
json_done(struct json_reader *j)
{
	free(j->text);
	j->text = NULL;
	j->cap_text = 0;
}

static int
json_fail(struct json_reader *j, int code, const char *why)
{
	return err_set(j->in->ctx, BOB_FATAL, code, j->in->pos,
	    "%s: byte %llu: %s", j->format, (unsigned long long)j->in->pos,
	    why);
}

/* --- bytes --------------------------------------------------------------- */

/* BOB_OK when there is another byte; EOF; FATAL. */
static int
json_look(struct json_reader *j)
{
	const uint8_t *p;
	size_t n;

	return in_peek(j->in, 1, &p, &n);
}

/* The same where the document must not end. */
static int
json_need(struct json_reader *j)
{
	int r = json_look(j);

	if (r == BOB_OK || r == BOB_FATAL)
		return r;
	return json_fail(j, BOB_E_TRUNCATED, "the document ends too early");
}

static int
is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static int
skip_space(struct json_reader *j)
{
	int r;

	while ((r = json_look(j)) == BOB_OK && is_space(*j->in->p))
		in_consume(j->in, 1);
	return r;
}

/* --- strings ------------------------------------------------------------- */

static int
add_text(struct json_reader *j, const void *p, size_t n)
{
	if (j->is_skipping || n == 0)
		return BOB_OK;
	if (n > MAX_STRING - j->n_text)
		return json_fail(j, BOB_E_LIMIT, "a string above 16 MiB");
	if (MEM_GROW(j->in->ctx, j, text, j->n_text + n) < 0)
		return BOB_FATAL;
	memcpy(j->text + j->n_text, p, n);
	j->n_text += n;
	return BOB_OK;
}

static int
add_codepoint(struct json_reader *j, uint32_t c)
{
	uint8_t u[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;

	if (n == 1) {
		u[0] = (uint8_t)c;
		return add_text(j, u, 1);
	}
	for (i = n; i > 1; i--) {
		u[i - 1] = (uint8_t)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	u[0] = (uint8_t)(0xf00u >> n | c);
	return add_text(j, u, n);
}

static int
hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits behind \u. */
static int
get_unit(struct json_reader *j, uint32_t *ret)
{
	int i, r, digit;

	*ret = 0;
	for (i = 0; i < 4; i++) {
		r = json_need(j);
		if (r != BOB_OK)
			return r;
		digit = hex_digit(*j->in->p);
		if (digit < 0)
			return json_fail(j, BOB_E_CORRUPT,
			    "\\u without 4 digits");
		*ret = *ret << 4 | (uint32_t)digit;
		in_consume(j->in, 1);
	}
	return BOB_OK;
}

/* Behind \u; the second half of a pair follows as another \u. */
static int
unescape_unit(struct json_reader *j)
{
	const uint8_t *p;
	uint32_t high, low;
	size_t n;
	int r = get_unit(j, &high);

	while (r == BOB_OK && high >= 0xd800 && high < 0xdc00) {
		if (in_peek(j->in, 2, &p, &n) != BOB_OK || p[0] != '\\' ||
		    p[1] != 'u')
			break;
		in_consume(j->in, 2);
		r = get_unit(j, &low);
		if (r != BOB_OK)
			return r;
		if (low >= 0xdc00 && low < 0xe000)
			return add_codepoint(j, 0x10000 +
			    ((high - 0xd800) << 10) + (low - 0xdc00));
		r = add_codepoint(j, 0xfffd);
		high = low;
	}
	if (r != BOB_OK)
		return r;
	return add_codepoint(j, high >= 0xd800 && high < 0xe000 ? 0xfffd :
	    high);
}

/* Behind a backslash. */
static int
unescape(struct json_reader *j)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	int r = json_need(j);
	uint8_t c;

	if (r != BOB_OK)
		return r;
	c = *j->in->p;
	if (c == 'u') {
		in_consume(j->in, 1);
		return unescape_unit(j);
	}
	at = c == '\0' ? NULL : strchr(from, c);
	if (at == NULL)
		return json_fail(j, BOB_E_CORRUPT, "an escape that JSON lacks");
	in_consume(j->in, 1);
	return add_text(j, &to[at - from], 1);
}

/* How many of the n bytes stand for themselves. */
static size_t
plain_bytes(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] != '"' && p[i] != '\\' && p[i] >= 0x20)
		i++;
	return i;
}

static int
get_string(struct json_reader *j)
{
	size_t n;
	int r;

	j->n_text = 0;
	in_consume(j->in, 1);
	while ((r = json_need(j)) == BOB_OK) {
		n = plain_bytes(j->in->p, j->in->n);
		r = add_text(j, j->in->p, n);
		if (r != BOB_OK)
			return r;
		in_consume(j->in, n);
		if (j->in->n == 0)
			continue;
		if (*j->in->p < 0x20)
			return json_fail(j, BOB_E_CORRUPT,
			    "a control character in a string");
		n = *j->in->p == '"';
		in_consume(j->in, 1);
		if (n)
			return BOB_OK;
		r = unescape(j);
		if (r != BOB_OK)
			return r;
	}
	return r;
}

/* --- numbers and words --------------------------------------------------- */

static int
has_digit(struct json_reader *j)
{
	return json_look(j) == BOB_OK && *j->in->p >= '0' && *j->in->p <= '9';
}

static int
has_byte(struct json_reader *j, char c)
{
	return json_look(j) == BOB_OK && *j->in->p == (uint8_t)c;
}

/* Reads digits into j->number; is_fraction: they follow the decimal point. At
 * least one is needed, else FATAL. */
static int
get_digits(struct json_reader *j, int is_fraction)
{
	struct json_number *v = &j->number;
	size_t n = 0;

	for (; has_digit(j); n++) {
		if (v->digits < UINT64_MAX / 10 - 1) {
			v->digits = v->digits * 10 + (*j->in->p - '0');
			v->exponent -= is_fraction &&
			    v->exponent > -MAX_EXPONENT;
		} else {
			v->exponent += !is_fraction &&
			    v->exponent < MAX_EXPONENT;
		}
		in_consume(j->in, 1);
	}
	return n > 0 ? BOB_OK : json_need(j) != BOB_OK ? BOB_FATAL :
	    json_fail(j, BOB_E_CORRUPT, "a digit is missing");
}

/* Behind the letter e. */
static int
get_exponent(struct json_reader *j)
{
	int32_t e = 0;
	int is_negative = has_byte(j, '-');

	if (is_negative || has_byte(j, '+'))
		in_consume(j->in, 1);
	if (!has_digit(j))
		return json_need(j) != BOB_OK ? BOB_FATAL :
		    json_fail(j, BOB_E_CORRUPT, "a digit is missing");
	for (; has_digit(j); in_consume(j->in, 1))
		if (e < MAX_EXPONENT)
			e = e * 10 + (*j->in->p - '0');
	j->number.exponent += is_negative ? -e : e;
	return BOB_OK;
}

static int
get_number(struct json_reader *j)
{
	int r;

	j->number = (struct json_number){ .is_negative = has_byte(j, '-') };
	if (j->number.is_negative)
		in_consume(j->in, 1);
	if (has_byte(j, '0')) {
		in_consume(j->in, 1);
		if (has_digit(j))
			return json_fail(j, BOB_E_CORRUPT,
			    "a number that begins with 0");
		r = BOB_OK;
	} else {
		r = get_digits(j, 0);
	}
	if (r == BOB_OK && has_byte(j, '.')) {
		in_consume(j->in, 1);
		r = get_digits(j, 1);
	}
	if (r == BOB_OK && (has_byte(j, 'e') || has_byte(j, 'E'))) {
		in_consume(j->in, 1);
		r = get_exponent(j);
	}
	return r;
}

static int
get_word(struct json_reader *j)
{
	static const char *const words[] = { "true", "false", "null" };
	const uint8_t *p;
	size_t i, n, len;
	int r = in_peek(j->in, 5, &p, &n);

	if (r == BOB_FATAL)
		return r;
	for (i = 0; i < 3; i++) {
		len = strlen(words[i]);
		if (n >= len && memcmp(p, words[i], len) == 0) {
			in_consume(j->in, len);
			return BOB_OK;
		}
	}
	return json_fail(j, BOB_E_CORRUPT, "not JSON");
}

uint64_t
json_scaled(const struct json_number *v, int power)
{
	uint64_t n = v->digits, rest = 0;
	int64_t e = (int64_t)v->exponent + power;

	for (; e > 0 && n > 0 && n < BOB_MAX_COUNT; e--)
		n = count_mul(n, 10);
	for (; e < 0 && (n > 0 || rest > 0); e++) {
		rest = n % 10;
		n /= 10;
	}
	return count_add(n, rest >= 5);
}

/* --- structure ----------------------------------------------------------- */

static int
in_object(const struct json_reader *j)
{
	unsigned d = j->depth - 1;

	return (int)(j->is_object[d / 64] >> d % 64 & 1);
}

static int
json_enter(struct json_reader *j, int is_object)
{
	uint64_t bit = (uint64_t)1 << j->depth % 64;

	if (j->depth == JSON_MAX_DEPTH)
		return json_fail(j, BOB_E_LIMIT, "nested too deeply");
	if (is_object)
		j->is_object[j->depth / 64] |= bit;
	else
		j->is_object[j->depth / 64] &= ~bit;
	j->depth++;
	in_consume(j->in, 1);
	j->kind = is_object ? JSON_OBJECT : JSON_ARRAY;
	j->wants = is_object ? JSON_WANTS_FIRST_NAME : JSON_WANTS_FIRST_VALUE;
	return BOB_OK;
}

static int
json_leave(struct json_reader *j)
{
	j->kind = in_object(j) ? JSON_OBJECT_END : JSON_ARRAY_END;
	j->depth--;
	in_consume(j->in, 1);
	j->wants = JSON_WANTS_MORE;
	return BOB_OK;
}

static int
get_value(struct json_reader *j)
{
	uint8_t c = *j->in->p;

	if (c == '{' || c == '[')
		return json_enter(j, c == '{');
	j->wants = JSON_WANTS_MORE;
	if (c == '"') {
		j->kind = JSON_STRING;
		return get_string(j);
	}
	if (c == '-' || (c >= '0' && c <= '9')) {
		j->kind = JSON_NUMBER;
		return get_number(j);
	}
	j->kind = JSON_WORD;
	return get_word(j);
}

static int
get_name(struct json_reader *j)
{
	int r;

	if (*j->in->p != '"')
		return json_fail(j, BOB_E_CORRUPT, "a name is missing");
	r = get_string(j);
	if (r == BOB_OK)
		r = skip_space(j);
	if (r == BOB_OK || r == BOB_EOF)
		r = json_need(j);
	if (r != BOB_OK)
		return r;
	if (*j->in->p != ':')
		return json_fail(j, BOB_E_CORRUPT, "a colon is missing");
	in_consume(j->in, 1);
	j->kind = JSON_NAME;
	j->wants = JSON_WANTS_VALUE;
	return BOB_OK;
}

/* Reads the comma after a value and sets what must follow. */
static int
get_comma(struct json_reader *j)
{
	if (*j->in->p != ',')
		return json_fail(j, BOB_E_CORRUPT, "a comma is missing");
	in_consume(j->in, 1);
	j->wants = in_object(j) ? JSON_WANTS_NAME : JSON_WANTS_VALUE;
	return skip_space(j) == BOB_FATAL ? BOB_FATAL : json_need(j);
}

int
json_next(struct json_reader *j)
{
	int r = skip_space(j), may_end;

	if (r == BOB_EOF && j->wants == JSON_WANTS_MORE && j->depth == 0)
		return BOB_EOF;
	if (r == BOB_OK || r == BOB_EOF)
		r = json_need(j);
	if (r != BOB_OK)
		return r;
	if (j->wants == JSON_WANTS_MORE && j->depth == 0)
		return json_fail(j, BOB_E_CORRUPT, "something behind the end");
	may_end = j->wants != JSON_WANTS_VALUE && j->wants != JSON_WANTS_NAME;
	j->offset = j->in->pos;
	if (may_end && *j->in->p == (in_object(j) ? '}' : ']'))
		return json_leave(j);
	if (j->wants == JSON_WANTS_MORE) {
		r = get_comma(j);
		if (r != BOB_OK)
			return r;
		j->offset = j->in->pos;
	}
	return j->wants == JSON_WANTS_NAME || j->wants == JSON_WANTS_FIRST_NAME
	    ? get_name(j) : get_value(j);
}

int
json_member(struct json_reader *j)
{
	int r = json_next(j);

	return r == BOB_OK && j->kind == JSON_OBJECT_END ? BOB_EOF : r;
}

int
json_element(struct json_reader *j)
{
	int r = json_next(j);

	return r == BOB_OK && j->kind == JSON_ARRAY_END ? BOB_EOF : r;
}

int
json_skip(struct json_reader *j)
{
	unsigned depth;
	int r = BOB_OK;

	j->is_skipping = 1;
	if (j->kind == JSON_NAME)
		r = json_next(j);
	if (r == BOB_OK && (j->kind == JSON_OBJECT || j->kind == JSON_ARRAY)) {
		depth = j->depth - 1;
		while (r == BOB_OK && j->depth > depth)
			r = json_next(j);
	}
	j->is_skipping = 0;
	return r;
}

int
json_is(const struct json_reader *j, const char *text)
{
	size_t n = strlen(text);

	return j->n_text == n && memcmp(j->text, text, n) == 0;
}
