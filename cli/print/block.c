/* Lines that know their width, and blocks of them; see the header. */
#include "block.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <bobbin/chars.h>

#include "msg.h"
#include "text/safe.h"
#include "text/width.h"
#include "text/wrap.h"

#define GAP 2 /* columns between blocks */

void
span_done(struct span *l)
{
	free(l->p);
	memset(l, 0, sizeof(*l));
}

static int
span_reserve(struct span *l, size_t n)
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
span_append(struct span *l, const char *p, size_t n, size_t width)
{
	if (n == 0 || !span_reserve(l, n))
		return;
	memcpy(l->p + l->n, p, n);
	l->n += n;
	l->width += width;
}

void
span_put(struct span *l, const char *s)
{
	size_t n = strlen(s);

	span_append(l, s, n, safe_width(s, n, 0));
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

void
span_safe(struct span *l, const char *p, size_t n)
{
	struct safe_text t;
	struct safe_char c;

	safe_init(&t, p, n, 0);
	while (safe_next(&t, &c))
		span_append(l, c.p, c.n, c.width);
}

void
span_safe_middle(struct span *l, const char *p, size_t n, size_t width)
{
	size_t all = safe_width(p, n, 0), at = 0, head, tail;
	struct safe_text t;
	struct safe_char c;
	int is_cut = 0;

	if (all <= width) {
		span_safe(l, p, n);
		return;
	}
	/* A third of the room is for the beginning. */
	head = width > 0 ? (width - 1) / 3 : 0;
	tail = all - (width > 0 ? width - 1 - head : 0);
	safe_init(&t, p, n, 0);
	while (safe_next(&t, &c)) {
		if (at + c.width <= head || at >= tail)
			span_append(l, c.p, c.n, c.width);
		else if (!is_cut && width > 0)
			span_append(l, "\xe2\x80\xa6", 3, 1), is_cut = 1;
		at += c.width;
	}
}

void
span_safe_tabs(struct span *l, const char *p, size_t n)
{
	const char *end = p + n, *tab;

	while (p < end &&
	    (tab = memchr(p, '\t', (size_t)(end - p))) != NULL) {
		span_safe(l, p, (size_t)(tab - p));
		span_append(l, tab, 1, 1);
		p = tab + 1;
	}
	span_safe(l, p, (size_t)(end - p));
}

void
span_add(struct span *l, const struct span *other)
{
	span_append(l, other->p, other->n, other->width);
	l->failed |= other->failed;
}

void
span_color(struct span *l, const char *sgr)
{
	const char *s = color_on(stdout, sgr);

	span_append(l, s, strlen(s), 0);
}

void
span_pad(struct span *l, size_t width)
{
	while (l->width < width && !l->failed)
		span_append(l, " ", 1, 1);
}

void
span_fill(struct span *l, const char *s, size_t n)
{
	while (n-- > 0 && !l->failed)
		span_put(l, s);
}

/* The character at `at`: returns its bytes, and adds its columns to *width.
 * Text in a span is safe already. */
static size_t
span_step(const struct span *l, size_t at, size_t *width)
{
	uint32_t cp = '?';
	size_t len = bob_char_take(l->p + at, l->n - at, &cp);

	*width += char_width(cp);
	return len == 0 ? 1 : len;
}

/* How many bytes from the beginning take at most `most` columns. Sets *width to
 * the columns that they take. */
static size_t
span_fitting(const struct span *l, size_t most, size_t *width)
{
	size_t at = 0, len, w;

	for (*width = 0; at < l->n; at += len, *width = w) {
		w = *width;
		len = span_step(l, at, &w);
		if (w > most)
			break;
	}
	return at;
}

/* How many bytes from the beginning take at least `least` columns, with the
 * marks that follow. Sets *width to the columns that they take. */
static size_t
span_overhang(const struct span *l, size_t least, size_t *width)
{
	size_t at = 0, len, w;

	for (*width = 0; at < l->n; at += len, *width = w) {
		w = *width;
		len = span_step(l, at, &w);
		if (*width >= least && w > *width)
			break;
	}
	return at;
}

void
span_crop(struct span *l, size_t width, int keeps_end, const char *mark)
{
	size_t room, at, w = safe_width(mark, strlen(mark), 0);
	struct span cut = { .failed = l->failed };

	if (width == 0 || l->width <= width)
		return;
	room = width > w ? width - w : 0;
	if (keeps_end) {
		at = span_overhang(l, l->width - room, &w);
		span_put(&cut, mark);
		span_append(&cut, l->p + at, l->n - at, l->width - w);
	} else {
		at = span_fitting(l, room, &w);
		span_append(&cut, l->p, at, w);
		span_put(&cut, mark);
	}
	span_done(l);
	*l = cut;
}

/* Bytes behind the last separator of a path or a namespace. */
static size_t
name_len(const struct span *l)
{
	size_t n = l->n;

	while (n > 0 && l->p[n - 1] != '/' && l->p[n - 1] != '\\')
		n--;
	return l->n - n;
}

void
span_crop_middle(struct span *l, size_t width, size_t head, const char *mark)
{
	size_t room, tail, at, w = safe_width(mark, strlen(mark), 0);
	struct span cut = { .failed = l->failed };

	if (width == 0 || l->width <= width)
		return;
	room = width > w ? width - w : 0;
	tail = name_len(l) + 1;
	head = head > room / 2 ? room / 2 : head;
	tail = tail > room - head ? room - head : tail;
	tail = tail < room - room / 3 ? room - room / 3 : tail;
	at = span_fitting(l, room - tail, &w);
	span_append(&cut, l->p, at, w);
	span_put(&cut, mark);
	at = span_overhang(l, l->width - tail, &w);
	span_append(&cut, l->p + at, l->n - at, l->width - w);
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
	struct span *v;
	size_t cap;

	if (b->n == b->cap) {
		cap = b->cap == 0 ? 32 : 2 * b->cap;
		v = realloc(b->v, cap * sizeof(*v));
		if (v == NULL) {
			b->failed = 1;
			b->nowhere = (struct span){ .failed = 1 };
			return &b->nowhere;
		}
		b->v = v;
		b->cap = cap;
	}
	b->v[b->n] = (struct span){ 0 };
	return &b->v[b->n++];
}

struct span *
block_last(struct block *b)
{
	return b->n > 0 ? &b->v[b->n - 1] : block_line(b);
}

void
block_flow(struct block *b, const char *p, size_t n, size_t width)
{
	struct span *l = block_last(b);
	struct span text = { 0 };
	size_t at = 0, next, len;

	span_safe(&text, p, n);
	while (width > 0 && l->width + text.width > width && at < text.n) {
		len = wrap_line(text.p + at, text.n - at, l->width,
		    l->width > 0, width, &next);
		if (at + next >= text.n)
			break;
		span_append(l, text.p + at, len,
		    safe_width(text.p + at, len, 0));
		at += next;
		l = block_line(b);
	}
	span_append(l, text.p + at, text.n - at,
	    safe_width(text.p + at, text.n - at, 0));
	l->failed |= text.failed;
	span_done(&text);
}

static size_t
width_of(const struct block *b)
{
	size_t width = 0, i;

	for (i = 0; i < b->n; i++)
		if (b->v[i].width > width)
			width = b->v[i].width;
	return width;
}

static void
span_trim(struct span *l)
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
		width[k] = width_of(&v[k]);
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
			span_trim(l);
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
