/* Frames as text: taking apart and putting together; see the header. */
#include "format/common/frametext.h"

#include <stdlib.h>

#define NATIVE_FILE " [native]"

static const struct frame_words no_words = { .name = { "", 0 },
	.file = { "", 0 }, .opname = { "", 0 }, .lang = BOB_LANG_NATIVE };

static struct bob_bytes
slice(const char *from, const char *to)
{
	return (struct bob_bytes){ from, (size_t)(to - from) };
}

static const char *
last_byte(const char *p, size_t n, char c)
{
	while (n > 0)
		if (p[--n] == c)
			return p + n;
	return NULL;
}

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

int
frame_words_is_path(const char *p, size_t n)
{
	size_t i = 0;

	if (n > 0 && (*p == '/' || *p == '<' || *p == '['))
		return 1;
	if (n > 2 && is_letter(*p) && p[1] == ':' &&
	    (p[2] == '\\' || p[2] == '/'))
		return 1;
	while (i < n && is_letter(p[i]))
		i++;
	return i > 0 && n - i > 3 && memcmp(p + i, "://", 3) == 0;
}

size_t
frame_words_gap(const char *p, size_t n)
{
	size_t first = n, first_outside = n, i;
	unsigned depth = 0;

	for (i = 0; i < n; i++) {
		if (p[i] == '(' || p[i] == '{')
			depth++;
		else if ((p[i] == ')' || p[i] == '}') && depth > 0)
			depth--;
		if (p[i] != ' ')
			continue;
		if (first == n)
			first = i;
		if (depth > 0)
			continue;
		if (first_outside == n)
			first_outside = i;
		if (i + 1 == n || frame_words_is_path(p + i + 1, n - i - 1))
			return i;
	}
	return first_outside < n ? first_outside : first;
}

uint8_t
frame_words_lang(struct bob_bytes file)
{
	return text_ends_in(file.p, file.n, ".py") ? BOB_LANG_PYTHON
	                                           : BOB_LANG_PHP;
}

/* MODULE::SYMBOL+0xOFFSET; module and offset may be missing. */
static void
split_native(const char *p, size_t n, struct frame_words *w)
{
	const char *end = p + n, *plus = last_byte(p, n, '+'), *colons = p;
	uint64_t offset;

	*w = no_words;
	if (plus != NULL && end - plus > 3 && memcmp(plus, "+0x", 3) == 0 &&
	    text_get_hex(plus + 3, (size_t)(end - plus - 3), &offset)) {
		w->where = (int64_t)offset;
		end = plus;
	} else {
		w->flags = BOB_FRAME_NO_LINE;
	}
	while (end - colons >= 2 && memcmp(colons, "::", 2) != 0)
		colons++;
	if (end - colons >= 2) {
		w->file = slice(p, colons);
		p = colons + 2;
	}
	w->name = slice(p, end);
}

int
frame_words_is_opcode(const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!is_letter(p[i]) && p[i] != '_' &&
		    (i == 0 || p[i] < '0' || p[i] > '9'))
			return 0;
	return n > 0;
}

/* Takes `:LINE` or `:LINE:OPCODE` off the end; returns the new end, or NULL
 * when there is no line. */
static const char *
split_line(const char *p, size_t n, struct frame_words *w)
{
	const char *end = p + n, *colon = last_byte(p, n, ':');

	if (colon == NULL)
		return NULL;
	if (frame_words_is_opcode(colon + 1, (size_t)(end - colon - 1))) {
		w->opname = slice(colon + 1, end);
		w->flags = BOB_FRAME_OPNAME;
		end = colon;
		colon = last_byte(p, (size_t)(end - p), ':');
	}
	if (colon == NULL || !text_get_i64(colon + 1,
	    (size_t)(end - colon - 1), &w->where))
		return NULL;
	return colon;
}

int
frame_words_split(const char *p, size_t n, struct frame_words *ret)
{
	struct frame_words w = no_words;
	const char *end = split_line(p, n, &w);
	size_t gap;

	if (end == NULL)
		return 0;
	if (w.where == 0 && text_ends_in(p, (size_t)(end - p), NATIVE_FILE)) {
		end -= strlen(NATIVE_FILE);
		split_native(p, (size_t)(end - p), ret);
		return 1;
	}
	gap = frame_words_gap(p, (size_t)(end - p));
	if (p + gap == end)
		return 0;
	w.name = slice(p, p + gap);
	w.file = slice(p + gap + 1, end);
	w.lang = frame_words_lang(w.file);
	*ret = w;
	return 1;
}

int
frame_name_get(struct frame_name *b, const struct bob_dict *d, bob_fid id,
    struct bob_bytes *ret)
{
	const struct bob_frame *f = bob_frame_get(d, id);
	size_t n;

	if (f->ns == 0 && f->scope == 0) {
		*ret = bob_str_get(d, f->name);
		return BOB_OK;
	}
	n = bob_frame_name(d, id, b->p, b->cap_p);
	if (n > b->cap_p) {
		if (MEM_GROW(d->ctx, b, p, n) < 0)
			return BOB_FATAL;
		(void)bob_frame_name(d, id, b->p, b->cap_p);
	}
	*ret = (struct bob_bytes){ b->p, n };
	return BOB_OK;
}

void
frame_name_done(struct frame_name *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

/* Returns where the name ends in t. */
static size_t
put_words(struct text *t, struct bob_bytes name, struct bob_bytes file,
    int64_t line, unsigned name_kinds, unsigned file_kinds)
{
	size_t end;

	text_escaped(t, name.p, name.n, name_kinds);
	end = t->n;
	text_byte(t, ' ');
	text_escaped(t, file.p, file.n, file_kinds);
	text_byte(t, ':');
	text_i64(t, line);
	return end;
}

static int
has_space(struct bob_bytes s)
{
	return s.n > 0 && memchr(s.p, ' ', s.n) != NULL;
}

void
frame_words_put(struct text *t, struct bob_bytes name, struct bob_bytes file,
    int64_t line, unsigned name_kinds, unsigned file_kinds)
{
	struct frame_words w;
	size_t start, end;

	if ((name_kinds & TEXT_SPACE || !has_space(name)) &&
	    (file_kinds & TEXT_SPACE || !has_space(file))) {
		(void)put_words(t, name, file, line, name_kinds, file_kinds);
		return;
	}
	/* A short frame is written first and then read back; its spaces are
	 * escaped only if that gives another name. A long one may not be in one
	 * piece, so its spaces are always escaped. */
	if (name.n + file.n < TEXT_SPILL / 8) {
		if (text_room(t, 3 * (name.n + file.n) + 32) == NULL)
			return;
		start = t->n;
		end = put_words(t, name, file, line, name_kinds, file_kinds);
		if (t->r < 0 || (frame_words_split(t->p + start,
		    t->n - start, &w) && w.name.p == t->p + start &&
		    w.name.n == end - start))
			return;
		t->n = start;
	}
	(void)put_words(t, name, file, line, name_kinds | TEXT_SPACE,
	    file_kinds | TEXT_SPACE);
}
