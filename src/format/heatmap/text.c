/* The heat map as plain text, for terminals. */
#include <string.h>

#include "format/heatmap/heatmap.h"

#define BAR 10 /* columns of a full bar */

/* A number, right-aligned. */
static void
put_number(struct text *t, uint64_t v, size_t width)
{
	size_t start, n;
	char *p;

	/* Enough that the digits are not handed on before they are moved. */
	if (text_room(t, width + 20) == NULL)
		return;
	start = t->n;
	text_u64(t, v);
	n = t->n - start;
	if (n >= width)
		return;
	p = t->p + start;
	memmove(p + width - n, p, n);
	memset(p, ' ', width - n);
	t->n += width - n;
}

/* "         4  80.0%" */
static void
put_heat(struct heatmap_page *page, const struct heat *heat, size_t width)
{
	struct text *t = &page->text;
	unsigned permille = heatmap_permille(&page->map, heat);

	put_number(t, heat->samples, width);
	put_number(t, permille / 10, 4);
	text_byte(t, '.');
	text_u64(t, permille % 10);
	text_byte(t, '%');
}

static void
put_sums(struct heatmap_page *page, const struct heat *self,
    const struct heat *total)
{
	put_heat(page, self, 10);
	text_byte(&page->text, ' ');
	put_heat(page, total, 11);
}

static void
put_line(struct heatmap_page *page, const struct source_text *src, int64_t line,
    const struct heat_line *heat)
{
	struct text *t = &page->text;
	uint64_t n = 0, i;

	if (heat != NULL) {
		put_sums(page, &heat->self, &heat->total);
		if (page->map.hottest > 0)
			n = (uint64_t)((double)heat->self.weight * BAR /
			    (double)page->map.hottest + 0.5);
	} else {
		text_str(t, "                                    ");
	}
	text_byte(t, ' ');
	if (line > 0)
		put_number(t, (uint64_t)line, 7);
	else
		text_str(t, "      ?");
	text_str(t, "  ");
	if (src->n_line > 0) {
		for (i = 0; i < BAR; i++)
			text_byte(t, i < n ? '#' : ' ');
		text_str(t, " | ");
		heatmap_put_text(t, source_text_line(src, line), 0);
	} else {
		for (i = 0; i < n; i++)
			text_byte(t, '#');
	}
	while (t->n > 0 && !t->is_spilled && t->p[t->n - 1] == ' ')
		t->n--;
	text_byte(t, '\n');
}

/* The lines between two that were sampled, as far as they are shown. */
static void
put_between(struct heatmap_page *page, const struct source_text *src,
    int64_t after, int64_t before)
{
	struct source_between b = source_between(src, after, before);
	int64_t i;

	for (i = b.first; i < b.first_end; i++)
		put_line(page, src, i, NULL);
	if (after > 0 && b.second > b.first_end)
		text_byte(&page->text, '\n');
	for (i = b.second; i < b.second_end; i++)
		put_line(page, src, i, NULL);
}

static int
put_file(struct heatmap_page *page, const struct heat_file *f, int is_first)
{
	struct heatmap *h = &page->map;
	struct bob_bytes name = h->fns.own->str[f->name];
	struct text *t = &page->text;
	struct source_text src;
	int64_t last = 0;
	size_t i;
	int r = source_text_load(page->sink->ctx, &src,
	    page->map.sources, name, &page->map.source_left);

	(void)is_first;
	if (r == BOB_OK) {
		text_begin(t, page->sink->out);
		put_sums(page, &f->self, &f->total);
		text_str(t, "          ");
		if (name.n == 0)
			text_str(t, "(no file)");
		else
			heatmap_put_text(t, name, 0);
		text_byte(t, '\n');
		for (i = 0; i < f->n; i++) {
			const struct heat_line *line = &h->line[f->first + i];

			if (line->total.samples == 0)
				continue;
			put_between(page, &src, last, line->line);
			put_line(page, &src, line->line, line);
			last = line->line;
		}
		text_byte(t, '\n');
		r = text_commit(t);
	}
	source_text_done(&src);
	return r;
}

static int
put_head(struct heatmap_page *page)
{
	struct text *t = &page->text;

	text_begin(t, page->sink->out);
	heatmap_put_times(page, "\n");
	text_str(t, "\n             self              total    line\n");
	return text_commit(t);
}

static int
put_foot(struct heatmap_page *page)
{
	(void)page;
	return BOB_OK;
}

const struct heatmap_style heatmap_text_style = { put_head, put_file,
	put_foot };
