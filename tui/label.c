/* Labels of functions; see the header. */
#include "label.h"

#include <string.h>

#include "glyph.h"

#define GAP 2        /* between a name and its place */
#define MIN_PLACE 8  /* columns; less says nothing */
#define MAX_FOLDERS 64 /* of a path that are looked at */

/* The length of `function file:line` without a line that is unknown, as :-1
 * and :0. */
static size_t
length_of_known(const char *p, size_t n)
{
	if (n > 3 && memcmp(p + n - 3, ":-1", 3) == 0)
		return n - 3;
	if (n > 2 && memcmp(p + n - 2, ":0", 2) == 0)
		return n - 2;
	return n;
}

int
label_cut_middle(struct canvas *c, const struct rect *r, int x, int y, int w,
    const char *p, size_t n, int style)
{
	int left = w * 2 / 5, used;

	if (x + w > r->w)
		w = r->w - x;
	if (w < 10 || safe_width_upto(p, n, c->is_ascii, (size_t)w) <=
	    (size_t)w)
		return canvas_text(c, r, x, y, w, p, n, FIT_LEFT, style);
	/* The ellipsis of the right part covers that of the left part. */
	used = canvas_text(c, r, x, y, left + 1, p, n, FIT_LEFT, style) - 1;
	return used + canvas_text(c, r, x + used, y, w - used, p, n,
	    FIT_RIGHT, style);
}

/* Draws a path that does not fit as …/folder/file: whole folders if one is
 * short enough, else the end. */
static int
draw_path(struct canvas *c, const struct rect *r, int x, int y, int w,
    const char *p, size_t n, int style)
{
	const char *at = p + n, *best = NULL, *end = p + n;
	int i;

	if (safe_width_upto(p, n, c->is_ascii, (size_t)w) <= (size_t)w)
		return canvas_text(c, r, x, y, w, p, n, FIT_LEFT, style);
	for (i = 0; i < MAX_FOLDERS && at > p; i++) {
		while (at > p && at[-1] != '/')
			at--;
		if (at == p || safe_width_upto(at - 1, (size_t)(end - at) + 1,
		    c->is_ascii, (size_t)w) > (size_t)w - 1)
			break;
		best = --at;
	}
	if (best == NULL)
		return canvas_text(c, r, x, y, w, p, n, FIT_RIGHT, style);
	canvas_put(c, r, x, y, glyph(c, GLYPH_ELLIPSIS), style);
	return 1 + canvas_text(c, r, x + 1, y, w - 1, best,
	    (size_t)(end - best), FIT_LEFT, style);
}

int
label_draw(struct canvas *c, const struct rect *r, int x, int y, int w,
    const char *p, size_t n, size_t n_name, int fit, int style)
{
	int used, room;

	if (x + w > r->w)
		w = r->w - x;
	if (w <= 0)
		return 0;
	n = length_of_known(p, n);
	if (fit == FIT_RIGHT)
		return canvas_text(c, r, x, y, w, p, n, FIT_RIGHT, style);
	if (n_name == 0 || n_name >= n)
		return memchr(p, '/', n) != NULL
		    ? draw_path(c, r, x, y, w, p, n, style)
		    : label_cut_middle(c, r, x, y, w, p, n, style);
	used = label_cut_middle(c, r, x, y, w, p, n_name, style);
	room = w - used - GAP;
	if (room < MIN_PLACE)
		return used;
	p += n_name + 1;
	n -= n_name + 1;
	return used + GAP + draw_path(c, r, x + used + GAP, y, room, p, n,
	    style == STYLE_PLAIN ? STYLE_FILE : style);
}
