/* Lines and blocks. */
#include "block.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/chars.h>

#include "msg.h"
#include "plain.h"
#include "width.h"

#define GAP 2 /* columns between blocks */

void
span_done(struct span *l)
{
	free(l->p);
	memset(l, 0, sizeof(*l));
}

static int
reserve(struct span *l, size_t n)
{
	size_t cap = l->cap < 64 ? 64 : l->cap;
	char *p;

	if (l->failed || n > SIZE_MAX / 4 - l->n) {
		l->failed = 1;
		return 0;
	}
	if (l->n + n <= l->cap)
		return 1;
	while (cap < l->n + n)
		cap *= 2;
	p = realloc(l->p, cap);
	if (p == NULL) {
		l->failed = 1;
		return 0;
	}
	l->p = p;
	l->cap = cap;
	return 1;
}

static void
add(struct span *l, const char *p, size_t n, size_t width)
{
	if (n == 0 || !reserve(l, n))
		return;
	memcpy(l->p + l->n, p, n);
	l->n += n;
	l->width += width;
}

void
span_put(struct span *l, const char *s)
{
	size_t n = strlen(s);

	add(l, s, n, width_text(s, n));
}

void
span_printf(struct span *l, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	span_put(l, buf);
}

static void
put_safe(struct span *l, const char *p, size_t n, int tabs)
{
	while (n > 0) {
		uint32_t cp = 0;
		size_t len = bob_char_take(p, n, &cp), i;
		char hex[5];

		if (len > 0 && (bob_char_kind(cp) == BOB_CHAR_PLAIN ||
		    (tabs && cp == '\t'))) {
			add(l, p, len, width_of(cp));
		} else {
			len = len == 0 ? 1 : len;
			for (i = 0; i < len; i++) {
				(void)snprintf(hex, sizeof(hex), "\\x%02x",
				    (unsigned char)p[i]);
				add(l, hex, 4, 4);
			}
		}
		p += len;
		n -= len;
	}
}

void
span_safe(struct span *l, const char *p, size_t n)
{
	put_safe(l, p, n, 0);
}

void
span_safe_tabs(struct span *l, const char *p, size_t n)
{
	put_safe(l, p, n, 1);
}

void
span_add(struct span *l, const struct span *other)
{
	add(l, other->p, other->n, other->width);
	l->failed |= other->failed;
}

void
span_color(struct span *l, const char *sgr)
{
	const char *s = color_on(stdout, sgr);

	add(l, s, strlen(s), 0);
}

void
span_pad(struct span *l, size_t width)
{
	while (l->width < width && !l->failed)
		add(l, " ", 1, 1);
}

void
span_fill(struct span *l, const char *s, size_t n)
{
	while (n-- > 0 && !l->failed)
		span_put(l, s);
}

/* How many of the n bytes at p take at most `width` columns. */
static size_t
fitting(const char *p, size_t n, size_t width)
{
	size_t at = 0;

	while (at < n) {
		uint32_t cp = '?';
		size_t len = bob_char_take(p + at, n - at, &cp);
		size_t w = width_of(cp);

		if (w > width)
			break;
		width -= w;
		at += len == 0 ? 1 : len;
	}
	return at;
}

/* How many bytes must be left out at the beginning for the rest to take at
 * most `width` columns. */
static size_t
overhang(const struct span *l, size_t width)
{
	size_t at = 0, left = l->width;

	while (at < l->n && left > width) {
		uint32_t cp = '?';
		size_t len = bob_char_take(l->p + at, l->n - at, &cp);

		left -= width_of(cp);
		at += len == 0 ? 1 : len;
	}
	return at;
}

void
span_crop(struct span *l, size_t width, int keeps_end, const char *mark)
{
	size_t room, at, w = width_text(mark, strlen(mark));
	struct span cut = { .failed = l->failed };

	if (width == 0 || l->width <= width)
		return;
	room = width > w ? width - w : 0;
	if (keeps_end) {
		at = overhang(l, room);
		span_put(&cut, mark);
		add(&cut, l->p + at, l->n - at,
		    width_text(l->p + at, l->n - at));
	} else {
		at = fitting(l->p, l->n, room);
		add(&cut, l->p, at, width_text(l->p, at));
		span_put(&cut, mark);
	}
	span_done(l);
	*l = cut;
}

void
block_done(struct block *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		span_done(&b->v[i]);
	free(b->v);
	memset(b, 0, sizeof(*b));
}

struct span *
block_line(struct block *b)
{
	static struct span nowhere; /* takes nothing */
	struct span *v;
	size_t cap;

	if (b->n == b->cap) {
		cap = b->cap == 0 ? 32 : 2 * b->cap;
		v = realloc(b->v, cap * sizeof(*v));
		if (v == NULL) {
			b->failed = 1;
			nowhere = (struct span){ .failed = 1 };
			return &nowhere;
		}
		b->v = v;
		b->cap = cap;
	}
	b->v[b->n] = (struct span){ 0 };
	return &b->v[b->n++];
}

size_t
block_width(const struct block *b)
{
	size_t width = 0, i;

	for (i = 0; i < b->n; i++)
		if (b->v[i].width > width)
			width = b->v[i].width;
	return width;
}

static void
trim(struct span *l)
{
	while (l->n > 0 && l->p[l->n - 1] == ' ') {
		l->n--;
		l->width--;
	}
}

void
block_join(struct block *b, const struct block *v, size_t n)
{
	size_t width[BLOCK_JOINED], height = 0, i, k, column;

	for (k = 0; k < n; k++) {
		width[k] = block_width(&v[k]);
		b->failed |= v[k].failed;
		if (v[k].n > height)
			height = v[k].n;
	}
	for (i = 0; i < height; i++) {
		struct span *l = block_line(b);

		column = 0;
		for (k = 0; k < n; k++) {
			span_pad(l, column);
			if (i < v[k].n)
				span_add(l, &v[k].v[i]);
			column += width[k] + GAP;
		}
		if (n > 1)
			trim(l);
	}
}

int
block_is_whole(const struct block *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (b->v[i].failed)
			return 0;
	return !b->failed;
}

void
block_print(const struct block *b, FILE *f, const char *end)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		if (b->v[i].n > 0)
			(void)fwrite(b->v[i].p, 1, b->v[i].n, f);
		(void)fputs(end, f);
	}
}
