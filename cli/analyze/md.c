/* Reports as Markdown, for issues and reviews. */
#include <string.h>

#include "analyze.h"

static void
put_code_block(const struct block *from, struct block *b)
{
	size_t i;

	span_put(block_line(b), "~~~");
	for (i = 0; i < from->n; i++)
		span_add(block_line(b), &from->v[i]);
	span_put(block_line(b), "~~~");
}

static void
put_section(struct analyze *a, int id, struct block *b)
{
	struct block text = { 0 };
	struct grid g = { 0 };
	struct span *l;

	(void)block_line(b);
	l = block_line(b);
	span_put(l, "## ");
	section_title(a, id, l);
	(void)block_line(b);
	if (id != SECTION_TAIL && a->r.section[id].n == 0) {
		span_put(block_line(b), "No matches.");
		return;
	}
	if (id == SECTION_TAIL)
		tail_text(a, 0, &text);
	else if (id == SECTION_TIMELINE)
		timeline_text(a, 0, &text);
	else {
		section_grid(a, id, &g);
		grid_md(&g, b);
		grid_done(&g);
		return;
	}
	put_code_block(&text, b);
	b->failed |= !block_is_whole(&text);
	block_done(&text);
}

static void
put_why(struct analyze *a, struct block *b)
{
	struct span why = { 0 }, *l;

	if (why_empty(a, &why)) {
		l = block_line(b);
		span_put(l, "- ");
		span_add(l, &why);
	}
	span_done(&why);
}

/* One paragraph. */
void
answer_md(const struct analyze *a, struct block *b)
{
	struct bob_answer_part part[BOB_ANSWER_PARTS];
	char buf[BOB_ANSWER_TEXT];
	size_t n = answer_parts(a, buf, part), i;
	struct span *l = n > 0 ? block_line(b) : NULL;

	for (i = 0; i < n; i++) {
		struct span text = { 0 };

		if (i > 0 && part[i].sentence != part[i - 1].sentence)
			span_put(l, " ");
		span_safe(&text, part[i].text.p, part[i].text.n);
		if (part[i].key != 0)
			grid_put_code(l, &text, 0);
		else
			span_add(l, &text);
		span_done(&text);
	}
}

void
analyze_md(struct analyze *a, struct block *b)
{
	struct span *l = block_line(b);
	size_t i;

	span_put(l, "# Profile");
	(void)block_line(b);
	if (a->r.has_answer) {
		answer_md(a, b);
		(void)block_line(b);
	}
	for (i = 0;; i++) {
		struct span text = { 0 };
		int has_more = summary_line(a, i, &text);

		if (text.n > 0) {
			l = block_line(b);
			span_put(l, "- ");
			span_add(l, &text);
		}
		span_done(&text);
		if (!has_more)
			break;
	}
	put_why(a, b);
	for (i = 0; i < a->o.layout.n; i++)
		if (a->r.section[a->o.layout.section[i]].is_shown)
			put_section(a, a->o.layout.section[i], b);
	if (a->r.is_cut) {
		(void)block_line(b);
		left_out(a, block_line(b));
	}
}
