/*
 * Reading folded stacks. A line that is none is a warning, not the end. There
 * is one segment without period or times, and one run per line.
 */
#include <string.h>

#include "core/lines.h"
#include "core/mem.h"
#include "format/folded/folded.h"
#include "format/frameread.h"

#define BATCH 512

struct reader {
	struct lines lines;
	struct frame_reader frames;
	struct bob_segment segment;
	struct bob_run runs[BATCH];
	size_t n_runs;
	int is_given;    /* the runs were handed out */
	int has_segment; /* the segment was handed out */
	int has_rounded; /* the warning about fractions was given */
	int r;           /* < 0: dead */
};

static int
folded_open(struct source *src)
{
	struct reader *st = src->state;

	lines_init(&st->lines, src->in, "folded");
	return frame_reader_init(&st->frames, src->ctx, src->dict);
}

static void
folded_close(struct source *src)
{
	struct reader *st = src->state;

	frame_reader_done(&st->frames);
}

/* 12 or 12.34; 1 and *ret, or 0. Too large is as large as counts get. */
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
			lines_warn(&st->lines, "fractions are rounded");
		st->has_rounded = 1;
	}
	return 1;
}

/* frame;frame;frame, root first; nothing is the empty stack. */
static int
get_stack(struct reader *st, const char *p, size_t n, bob_stack *ret)
{
	const char *end = p + n;
	size_t depth;

	*ret = 0;
	for (depth = 0; depth == 0 ? n > 0 : p <= end; depth++) {
		const char *semi = p < end
		    ? memchr(p, ';', (size_t)(end - p)) : NULL;
		const char *stop = semi == NULL ? end : semi;
		bob_fid frame;

		if (depth == BOB_MAX_DEPTH)
			return err_set(st->lines.in->ctx, BOB_FATAL,
			    BOB_E_LIMIT, st->lines.offset,
			    "folded: line %llu: more than %u frames",
			    (unsigned long long)st->lines.number,
			    BOB_MAX_DEPTH);
		frame = frame_reader_get(&st->frames, p, (size_t)(stop - p),
		    folded_split);
		if (frame == BOB_NO_ID || frame_reader_push(&st->frames,
		    depth, frame, ret) < 0)
			return BOB_FATAL;
		p = stop + 1;
	}
	return BOB_OK;
}

/* One line; adds at most one run. */
static int
read_line(struct reader *st)
{
	struct bob_run run = { 0 };
	const char *p;
	size_t n, count;
	int r = lines_next(&st->lines, &p, &n);

	if (r != BOB_OK)
		return r;
	while (n > 0 && p[n - 1] == ' ')
		n--;
	if (n == 0 || *p == '#')
		return BOB_OK;
	for (count = n; count > 0 && p[count - 1] != ' '; count--)
		;
	if (count == 0 || !get_count(st, p + count, n - count, &run.count)) {
		lines_warn(&st->lines, "no count at its end");
		return BOB_OK;
	}
	if (run.count == 0)
		return BOB_OK;
	r = get_stack(st, p, count - 1, &run.stack);
	if (r == BOB_OK)
		st->runs[st->n_runs++] = run;
	return r;
}

static int
folded_next(struct source *src, struct bob_event *ret)
{
	struct reader *st = src->state;
	int r = st->r;

	if (st->is_given)
		st->n_runs = 0;
	st->is_given = 0;
	while (r == BOB_OK && st->n_runs < BATCH)
		r = read_line(st);
	if (r < 0)
		st->r = r;
	if (st->n_runs == 0)
		return r;
	if (!st->has_segment) {
		st->has_segment = 1;
		st->segment.index = src->next_segment++;
		*ret = (struct bob_event){ .kind = BOB_EVENT_SEGMENT,
			.segment = &st->segment };
		return BOB_OK;
	}
	st->is_given = 1;
	*ret = (struct bob_event){ .kind = BOB_EVENT_RUNS, .runs = st->runs,
		.n_runs = st->n_runs };
	return BOB_OK;
}

const struct source_ops folded_source = {
	.state_size = sizeof(struct reader),
	.open = folded_open,
	.next = folded_next,
	.close = folded_close,
};
