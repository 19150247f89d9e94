/* The line of keys; see the header. */
#include "keybar.h"

#include <string.h>

#define ALWAYS 2 /* items that are never left out */
#define GAP 2

static int
item_width(const struct keybar_item *i)
{
	return i->key[0] == '\0' ? 0
	                         : (int)(strlen(i->key) + 1 + strlen(i->what));
}

static int
draw_item(struct canvas *c, const struct rect *r, int x, int y,
    const struct keybar_item *i)
{
	if (i->key[0] == '\0')
		return x;
	x += canvas_str(c, r, x, y, i->key, STYLE_KEY) + 1;
	return x + canvas_str(c, r, x, y, i->what, STYLE_DIM) + GAP;
}

void
keybar_draw(struct canvas *c, const struct rect *r, int y,
    const struct keybar_item *item, size_t n)
{
	size_t more = n > ALWAYS ? n - ALWAYS : 0, i;
	int end = r->w, x = 0;

	for (i = more; i < n; i++)
		end -= item_width(&item[i]) + GAP;
	for (i = 0; i < more && x + item_width(&item[i]) <= end; i++)
		x = draw_item(c, r, x, y, &item[i]);
	for (i = more; i < n; i++)
		x = draw_item(c, r, x, y, &item[i]);
}
