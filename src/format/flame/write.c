/* Writes an asset (an SVG or HTML template) and fills its holes with what the
 * sink has gathered; both formats use it. */
#include <stdlib.h>
#include <string.h>

#include "format/flame/flame.h"

void
flame_put_title(struct flame_page *page)
{
	static const char plain[] = "Flame graph";
	static const char diff[] = "Difference";
	const struct flame_writer *w = page->w;

	if (w->title != 0)
		flame_put_xml(&page->t, flame_clean(page,
		    bob_str_get(w->texts, w->title)));
	else
		text_str(&page->t, page->sink->diff != NULL ? diff : plain);
}

static void
fill_holes(struct flame_page *page, const struct asset_part *part,
    const struct flame_hole *hole)
{
	for (;; part++) {
		const struct flame_hole *h = hole;

		text_bytes(&page->t, part->p, part->n);
		if (part->hole == NULL)
			return;
		while (strcmp(h->name, part->hole) != 0)
			h++;
		h->fill(page);
	}
}

int
flame_write(struct sink *sink, const struct asset_part *part,
    const struct flame_hole *hole)
{
	struct flame_page page = { .sink = sink, .w = sink->state };
	int r = format_need_output(sink);

	if (r == BOB_OK)
		r = flame_tree_build(&page.tree, sink);
	page.scale = flame_scale(sink);
	if (r == BOB_OK) {
		text_begin(&page.t, sink->out);
		fill_holes(&page, part, hole);
		r = text_commit(&page.t);
	}
	flame_tree_done(&page.tree);
	text_done(&page.t);
	free(page.clean);
	free(page.drawing.left);
	free(page.drawing.next);
	return r < 0 ? BOB_FATAL : BOB_OK;
}
