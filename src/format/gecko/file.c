/* Writes the whole file: meta, the shared tables, then each thread that has
 * samples. */
#include "format/gecko/write.h"

/* The earliest sample is at time 0. */
static int64_t
earliest(const struct gecko_writer *w)
{
	int64_t at = 0;
	int is_first = 1;
	size_t i;

	for (i = 0; i < w->n_track; i++) {
		const struct rows *rows = &w->track[i].rows;

		if (rows->n == 0 || (!is_first && rows->begin >= at))
			continue;
		at = rows->begin;
		is_first = 0;
	}
	return at;
}

static int
put_threads(struct gecko_page *page)
{
	struct gecko_writer *w = page->w;
	int is_first = 1, r = BOB_OK;
	size_t i;

	text_str(&page->text, ",\n\"threads\":[");
	for (i = 0; r == BOB_OK && i < w->n_track; i++) {
		/* The viewer does not take threads without samples. */
		if (w->track[i].rows.n == 0)
			continue;
		text_str(&page->text, is_first ? "\n" : ",\n");
		is_first = 0;
		r = gecko_put_thread(page, (bob_tid)i);
	}
	text_str(&page->text, "]");
	return r;
}

int
gecko_put_file(struct gecko_page *page)
{
	struct text *t = &page->text;
	int r;

	page->origin = earliest(page->w);
	text_begin(t, page->sink->out);
	text_byte(t, '{');
	gecko_put_meta(page);
	text_str(t, ",\n\"libs\":[],\"pages\":[],\n");
	r = gecko_put_tables(page);
	if (r == BOB_OK)
		r = put_threads(page);
	text_str(t, "}\n");
	return r < 0 ? r : text_commit(t);
}
