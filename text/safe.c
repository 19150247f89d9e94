/* Foreign text as units that are safe to print; see the header. */
#include "safe.h"

#include <string.h>

#include <bobbin/chars.h>

#include "width.h"

void
safe_init(struct safe_text *t, const char *p, size_t n, int is_ascii)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	t->end = p + n;
	t->is_ascii = is_ascii;
}

static int
may_be_shown(const struct safe_text *t, uint32_t cp)
{
	return (cp < 0x80 || !t->is_ascii) &&
	    bob_char_kind(cp) == BOB_CHAR_PLAIN;
}

/* Moves len bytes into the escape, which comes out one character at a time. */
static void
escape_bytes(struct safe_text *t, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	t->n_escape = 0;
	t->at_escape = 0;
	for (i = 0; i < len; i++) {
		unsigned char c = (unsigned char)*t->p++;

		t->escape[t->n_escape++] = '\\';
		t->escape[t->n_escape++] = 'x';
		t->escape[t->n_escape++] = hex[c >> 4];
		t->escape[t->n_escape++] = hex[c & 15];
	}
}

/* Adds the marks that follow a character. */
static void
take_marks(struct safe_text *t, struct safe_char *ret)
{
	unsigned n = 1;
	uint32_t cp = 0;
	size_t len;

	while ((len = bob_char_take(t->p, (size_t)(t->end - t->p), &cp)) > 0 &&
	    may_be_shown(t, cp) && char_width(cp) == 0) {
		if (n <= SAFE_MARKS)
			ret->ch[n++] = cp;
		t->p += len;
		ret->n += len;
	}
}

int
safe_next(struct safe_text *t, struct safe_char *ret)
{
	uint32_t cp = 0;
	size_t len;

	memset(ret, 0, sizeof(*ret));
	if (t->at_escape == t->n_escape) {
		if (t->p == t->end)
			return 0;
		len = bob_char_take(t->p, (size_t)(t->end - t->p), &cp);
		if (len > 0 && may_be_shown(t, cp) && char_width(cp) > 0) {
			ret->ch[0] = cp;
			ret->width = (uint8_t)char_width(cp);
			ret->p = t->p;
			ret->n = len;
			t->p += len;
			take_marks(t, ret);
			return 1;
		}
		escape_bytes(t, len > 0 ? len : 1);
	}
	ret->p = &t->escape[t->at_escape++];
	ret->n = 1;
	ret->ch[0] = (uint32_t)*ret->p;
	ret->width = 1;
	return 1;
}

size_t
safe_width_upto(const char *p, size_t n, int is_ascii, size_t limit)
{
	struct safe_text t;
	struct safe_char c;
	size_t w = 0;

	safe_init(&t, p, n, is_ascii);
	while (w <= limit && safe_next(&t, &c))
		w += c.width;
	return w;
}

size_t
safe_width(const char *p, size_t n, int is_ascii)
{
	return safe_width_upto(p, n, is_ascii, SIZE_MAX - 2);
}
