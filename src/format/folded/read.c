/*
 * Reading folded stacks. A line that is none is a warning, not the end. There
 * is one segment without period or times, and one run per line.
 */
#include "format/common/linesource.h"
#include "format/folded/folded.h"

struct reader {
	struct line_source base; /* first */
	int has_rounded; /* the warning about fractions was given */
};

/* 12 or 12.34. Returns 1 and sets *ret, or 0. What is too large becomes the
 * largest count there is. */
static int
get_count(struct reader *st, const char *p, size_t n, uint64_t *ret)
{
	size_t whole = text_n_digits(p, n);
	size_t rest = whole < n ? whole + 1 : n;

	if (whole == 0 || (whole < n && p[whole] != '.') ||
	    text_n_digits(p + rest, n - rest) != n - rest)
		return 0;
	if (!text_get_u64(p, whole, ret) || *ret > BOB_MAX_COUNT)
		*ret = BOB_MAX_COUNT;
	if (rest < n) {
		*ret = count_add(*ret, p[rest] >= '5');
		if (!st->has_rounded)
			lines_warn(&st->base.lines, "fractions are rounded");
		st->has_rounded = 1;
	}
	return 1;
}

/* A line_source_read_fn. */
static int
read_line(struct source *src)
{
	struct reader *st = src->state;
	struct bob_run run = { 0 };
	const char *p;
	size_t n, count;
	int r = lines_next(&st->base.lines, &p, &n);

	if (r != BOB_OK)
		return r;
	while (n > 0 && p[n - 1] == ' ')
		n--;
	if (n == 0 || *p == '#')
		return BOB_OK;
	for (count = n; count > 0 && p[count - 1] != ' '; count--)
		;
	if (count == 0 || !get_count(st, p + count, n - count, &run.count)) {
		lines_skip(&st->base.lines, "no count at its end");
		return BOB_OK;
	}
	if (run.count == 0)
		return BOB_OK;
	r = line_source_stack(&st->base, p, count - 1, frame_words_split_any,
	    0, &run.stack);
	if (r == BOB_OK)
		line_source_add(&st->base, &run);
	return r;
}

static int
folded_open(struct source *src)
{
	return line_source_open(src, "folded", 0, read_line);
}

const struct source_ops folded_source = {
	.state_size = sizeof(struct reader),
	.open = folded_open,
	.next = line_source_next,
	.close = line_source_close,
};
