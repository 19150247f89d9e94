/*
 * Frames as text of any shape: besides those of frametext.c, `NAME FILE`, a
 * name alone, and what py-spy writes, `NAME (FILE:LINE)`. Every text is a frame
 * here: what has no other shape is a name.
 */
#include "format/common/frametext.h"

/* `NAME (FILE:LINE)` or `NAME (FILE.py)`, as py-spy writes them. */
static int
split_brackets(const char *p, size_t n, struct frame_words *w)
{
	size_t open = n, colon;

	if (n == 0 || p[n - 1] != ')')
		return 0;
	while (open >= 2 && memcmp(p + open - 2, " (", 2) != 0)
		open--;
	if (open < 2)
		return 0;
	w->name = (struct bob_bytes){ p, open - 2 };
	w->file = (struct bob_bytes){ p + open, n - 1 - open };
	w->lang = BOB_LANG_PYTHON;
	for (colon = n - 1; colon > open && p[colon - 1] != ':'; colon--)
		;
	if (colon > open && text_get_i64(p + colon, n - 1 - colon, &w->where)) {
		w->file.n = colon - 1 - open;
		/* `NAME [native]:0` would be something else. */
		return w->where != 0 || w->file.n != 8 ||
		    memcmp(w->file.p, "[native]", 8) != 0;
	}
	w->flags = BOB_FRAME_NO_LINE;
	return frame_words_lang(w->file) == BOB_LANG_PYTHON;
}

/* `NAME FILE:`, or `NAME FILE` when the file begins like a path. */
static int
split_no_line(const char *p, size_t n, struct frame_words *w)
{
	int has_colon = n > 0 && p[n - 1] == ':';
	size_t end = n - (size_t)has_colon;
	size_t gap = frame_words_gap(p, end);

	if (gap == end || (!has_colon &&
	    !frame_words_is_path(p + gap + 1, end - gap - 1)))
		return 0;
	w->name = (struct bob_bytes){ p, gap };
	w->file = (struct bob_bytes){ p + gap + 1, end - gap - 1 };
	w->lang = frame_words_lang(w->file);
	w->flags = BOB_FRAME_NO_LINE;
	return 1;
}

int
frame_words_split_any(const char *p, size_t n, struct frame_words *ret)
{
	static const struct frame_words none = { .name = { "", 0 },
		.file = { "", 0 }, .opname = { "", 0 } };

	if (frame_words_split(p, n, ret))
		return 1;
	*ret = none;
	if (split_brackets(p, n, ret))
		return 1;
	*ret = none;
	if (split_no_line(p, n, ret))
		return 1;
	*ret = none;
	ret->name = (struct bob_bytes){ p, n };
	ret->lang = BOB_LANG_PHP;
	ret->flags = BOB_FRAME_NO_LINE;
	return 1;
}

/* A name alone, with its spaces if that reads back as a name. A frame without
 * a name is ` :`, because an empty text would be no frame. */
static void
put_name_alone(struct text *t, struct bob_bytes name, unsigned kinds)
{
	struct frame_words w;
	size_t start;

	if (name.n == 0) {
		text_str(t, " :");
		return;
	}
	if (name.n < TEXT_SPILL / 8) {
		if (text_room(t, 3 * name.n) == NULL)
			return;
		start = t->n;
		text_escaped(t, name.p, name.n, kinds & ~TEXT_SPACE);
		(void)frame_words_split_any(t->p + start, t->n - start, &w);
		if (w.name.n == t->n - start)
			return;
		t->n = start;
	}
	text_escaped(t, name.p, name.n, kinds);
}

/* `NAME FILE`, or `NAME FILE:` where that could be read as something else. */
static void
put_no_line(struct text *t, struct bob_bytes name, struct bob_bytes file,
    unsigned kinds)
{
	text_escaped(t, name.p, name.n, kinds);
	text_byte(t, ' ');
	text_escaped(t, file.p, file.n, kinds);
	if (!frame_words_is_path(file.p, file.n) ||
	    memchr(file.p, ':', file.n) != NULL)
		text_byte(t, ':');
}

void
frame_words_put_any(struct text *t, const struct bob_frame *f,
    struct bob_bytes name, struct bob_bytes file, unsigned kinds)
{
	if (!(f->flags & BOB_FRAME_NO_LINE))
		frame_words_put(t, name, file,
		    f->lang == BOB_LANG_NATIVE ? 0 : f->where,
		    kinds | TEXT_SPACE, kinds);
	else if (file.n > 0)
		put_no_line(t, name, file, kinds | TEXT_SPACE);
	else
		put_name_alone(t, name, kinds | TEXT_SPACE);
}
