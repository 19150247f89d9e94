/* The answer before the tables, as sentences; the library finds it. */
#include "analyze.h"
#include "system/terminal.h"

/* The columns that sentences may take. */
static size_t
text_width(const struct analyze *a)
{
	size_t columns = a->o.crop, lines;

	if (a->o.is_auto_crop)
		terminal_size(&columns, &lines);
	return columns;
}

size_t
answer_parts(const struct analyze *a, char buf[BOB_ANSWER_TEXT],
    struct bob_answer_part part[BOB_ANSWER_PARTS])
{
	return a->r.has_answer ? bob_answer_parts(a->r.view, &a->r.answer,
	    a->o.is_ascii, buf, part) : 0;
}

void
answer_text(const struct analyze *a, struct block *b)
{
	struct bob_answer_part part[BOB_ANSWER_PARTS];
	char buf[BOB_ANSWER_TEXT];
	size_t n = answer_parts(a, buf, part), width = text_width(a), i;

	for (i = 0; i < n; i++) {
		if (i == 0 || part[i].sentence != part[i - 1].sentence)
			(void)block_line(b);
		if (part[i].key != 0)
			span_color(block_last(b), "1");
		block_flow(b, part[i].text.p, part[i].text.n, width);
		if (part[i].key != 0)
			span_color(block_last(b), "0");
	}
}
