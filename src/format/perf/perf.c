/*
 * The text that `perf script` writes: a sample is a line of facts, a line per
 * frame, leaf first, and an empty line.
 *
 *     php-fpm 1234/1235 [001] 5555.123456:     250000 cpu-clock:u:
 *             7f12a0 zend_execute+0x1c (/usr/sbin/php-fpm)
 *             55f00d main+0x10 (/usr/sbin/php-fpm)
 *
 * Read only. Described in docs/formats/perf.md.
 */
#include "format/perf/perf.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "format/common/linesource.h"

struct reader {
	struct line_source base; /* first */
	/* The sample whose frames are being read. */
	int is_open;
	struct bob_run run;
	bob_fid *path; /* leaf first */
	size_t cap_path, n_path;
};

/* The first line of a sample, taken apart. */
struct head {
	struct bob_bytes comm, event;
	struct bob_track track;
	uint64_t t_us, period;
	int has_time;
};

/* The next word of *p, before end; empty at the end. */
static struct bob_bytes
next_word(const char **p, const char *end)
{
	const char *start;

	while (*p < end && (**p == ' ' || **p == '\t'))
		++*p;
	start = *p;
	while (*p < end && **p != ' ' && **p != '\t')
		++*p;
	return (struct bob_bytes){ start, (size_t)(*p - start) };
}

/* 1235 or 1234/1235. Alone, perf means the thread. */
static int
get_ids(struct bob_bytes w, struct bob_track *ret)
{
	const char *slash = memchr(w.p, '/', w.n);
	size_t n = slash == NULL ? 0 : (size_t)(slash - w.p) + 1;

	ret->flags = BOB_TRACK_TID;
	if (slash != NULL) {
		if (!text_get_u64(w.p, n - 1, &ret->pid))
			return 0;
		ret->flags |= BOB_TRACK_PID;
	}
	return text_get_u64(w.p + n, w.n - n, &ret->tid);
}

/* 5555.123456: in microseconds; more digits are cut. */
static int
get_time(struct bob_bytes w, uint64_t *ret)
{
	size_t whole = text_n_digits(w.p, w.n), n;
	uint64_t part;

	if (whole == 0 || w.n < whole + 8 || w.p[whole] != '.' ||
	    w.p[w.n - 1] != ':' || !text_get_u64(w.p, whole, ret))
		return 0;
	n = text_n_digits(w.p + whole + 1, w.n - whole - 1);
	if (n < 6 || whole + n + 2 != w.n ||
	    !text_get_u64(w.p + whole + 1, 6, &part))
		return 0;
	*ret = count_add(count_mul(*ret, 1000000), part);
	return 1;
}

/*
 * COMM ids [cpu] time: period event: where all but the first two may be
 * missing. A command may have spaces and numbers in its name, so the ids are
 * the last word of the kind before the processor or the time.
 */
static int
split_head(const char *p, size_t n, struct head *ret)
{
	const char *end = p + n, *start = p;
	struct bob_bytes w;
	struct bob_track track = { 0 };
	int has_ids = 0;

	memset(ret, 0, sizeof(*ret));
	(void)next_word(&p, end);
	while ((w = next_word(&p, end)).n > 0) {
		if (get_time(w, &ret->t_us)) {
			ret->has_time = 1;
			break;
		}
		if (w.p[0] == '[' && w.p[w.n - 1] == ']')
			continue;
		if (get_ids(w, &track)) {
			ret->track = track;
			ret->comm = (struct bob_bytes){ start,
				(size_t)(w.p - start) };
			has_ids = 1;
		}
	}
	if (!has_ids || !ret->has_time)
		return 0;
	while (ret->comm.n > 0 && ret->comm.p[ret->comm.n - 1] == ' ')
		ret->comm.n--;
	w = next_word(&p, end);
	if (text_get_u64(w.p, w.n, &ret->period))
		w = next_word(&p, end);
	ret->event = w;
	return 1;
}

/* Python says in perf's map py::NAME:FILE what a piece of machine code is. */
static void
split_python(struct bob_bytes symbol, struct frame_words *ret)
{
	const char *colon;

	if (symbol.n < 5 || memcmp(symbol.p, "py::", 4) != 0)
		return;
	colon = memchr(symbol.p + 4, ':', symbol.n - 4);
	if (colon == NULL)
		return;
	ret->lang = BOB_LANG_PYTHON;
	ret->flags = BOB_FRAME_NO_LINE;
	ret->where = 0;
	ret->name = (struct bob_bytes){ symbol.p + 4,
		(size_t)(colon - symbol.p) - 4 };
	ret->file = (struct bob_bytes){ colon + 1,
		symbol.n - (size_t)(colon + 1 - symbol.p) };
}

/* SYMBOL+0xOFFSET (MODULE) without the address in front. */
static int
split_frame(const char *p, size_t n, struct frame_words *ret)
{
	struct bob_bytes symbol = { p, n };
	uint64_t offset = 0;
	size_t i;

	*ret = (struct frame_words){ .lang = BOB_LANG_NATIVE, .is_raw = 1 };
	ret->file = ret->opname = (struct bob_bytes){ "", 0 };
	if (n > 2 && p[n - 1] == ')') {
		for (i = n - 1; i > 0 && !(p[i] == '(' && p[i - 1] == ' ');)
			i--;
		if (i > 0) {
			ret->file = (struct bob_bytes){ p + i + 1,
				n - i - 2 };
			symbol.n = i - 1;
		}
	}
	for (i = symbol.n; i > 3; i--)
		if (memcmp(p + i - 3, "+0x", 3) == 0)
			break;
	if (i > 3 && text_get_hex(p + i, symbol.n - i, &offset) &&
	    offset <= INT64_MAX) {
		symbol.n = i - 3;
		ret->where = (int64_t)offset;
	}
	ret->name = symbol;
	split_python(symbol, ret);
	return 1;
}

static int
add_frame(struct source *src, const char *p, size_t n)
{
	struct reader *st = src->state;
	const char *end = p + n;
	struct bob_bytes address = next_word(&p, end);
	uint64_t v;
	bob_fid id;

	while (p < end && *p == ' ')
		p++;
	if (!text_get_hex(address.p, address.n, &v) || p == end) {
		lines_skip(&st->base.lines, "not a frame of perf script's");
		return BOB_OK;
	}
	if (st->n_path == BOB_MAX_DEPTH)
		return line_source_too_deep(&st->base);
	id = frame_reader_get(&st->base.frames, p, (size_t)(end - p),
	    split_frame);
	if (id == BOB_NO_ID ||
	    MEM_GROW(src->ctx, st, path, st->n_path + 1) < 0)
		return BOB_FATAL;
	st->path[st->n_path++] = id;
	return BOB_OK;
}

/* The sample is whole. */
static int
end_sample(struct source *src)
{
	struct reader *st = src->state;

	if (!st->is_open)
		return BOB_OK;
	st->is_open = 0;
	st->run.stack = dict_push_path(src->dict, 0, st->path, st->n_path);
	if (st->run.stack == BOB_NO_ID)
		return BOB_FATAL;
	line_source_add(&st->base, &st->run);
	return BOB_OK;
}

/* Events that count nanoseconds tell the period. */
static void
note_period(struct reader *st, const struct head *h)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };
	size_t i;

	if (st->base.has_segment || st->base.segment.period_us != 0)
		return;
	for (i = 0; i < 2; i++)
		if (h->event.n >= strlen(clocks[i]) && memcmp(h->event.p,
		    clocks[i], strlen(clocks[i])) == 0)
			st->base.segment.period_us = h->period / 1000;
}

static int
begin_sample(struct source *src, const char *p, size_t n)
{
	struct reader *st = src->state;
	struct head h;
	int r = end_sample(src);

	if (r < 0)
		return r;
	if (!split_head(p, n, &h)) {
		lines_skip(&st->base.lines, "not a sample of perf script's");
		return BOB_OK;
	}
	note_period(st, &h);
	h.track.name = bob_str_put(src->dict, h.comm.p, h.comm.n);
	if (h.track.name == BOB_NO_ID)
		return BOB_FATAL;
	st->run = (struct bob_run){ .count = 1, .t_first = h.t_us,
		.t_last = h.t_us, .flags = BOB_RUN_TIMED };
	st->run.track = bob_track_put(src->dict, &h.track);
	st->n_path = 0;
	st->is_open = 1;
	return st->run.track == BOB_NO_ID ? BOB_FATAL : BOB_OK;
}

static int
read_line(struct source *src)
{
	struct reader *st = src->state;
	const char *p;
	size_t n;
	int r = lines_next(&st->base.lines, &p, &n);

	if (r == BOB_EOF && st->is_open)
		return end_sample(src);
	if (r != BOB_OK)
		return r;
	if (n == 0)
		return end_sample(src);
	if (*p == '#')
		return BOB_OK;
	if (*p != ' ' && *p != '\t')
		return begin_sample(src, p, n);
	if (st->is_open)
		return add_frame(src, p, n);
	lines_skip(&st->base.lines, "a frame without a sample");
	return BOB_OK;
}

static int
perf_open(struct source *src)
{
	return line_source_open(src, "perf", BOB_SEGMENT_TIMED, read_line);
}

static void
perf_close(struct source *src)
{
	struct reader *st = src->state;

	line_source_close(src);
	free(st->path);
}

const struct source_ops perf_source = {
	.state_size = sizeof(struct reader),
	.open = perf_open,
	.next = line_source_next,
	.close = perf_close,
};

/* The first line that is no comment has a time, and the one behind it is a
 * frame or empty. */
static int
perf_bid(const uint8_t *bytes, size_t n)
{
	const char *p = (const char *)bytes, *end = p + n, *stop;
	struct head h;

	for (; p < end; p = stop + 1) {
		stop = memchr(p, '\n', (size_t)(end - p));
		if (stop == NULL)
			return BID_NO;
		if (*p == '#' || *p == '\n')
			continue;
		if (!split_head(p, (size_t)(stop - p), &h))
			return BID_NO;
		return stop + 1 < end && (stop[1] == '\t' || stop[1] == ' ' ||
		    stop[1] == '\n') ? BID_TEXT + 1 : BID_NO;
	}
	return BID_NO;
}

const struct format perf_format = {
	.info = {
		.name = "perf",
		.suffixes = ".perf",
		.summary = "the text of perf script",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_PERIOD | BOB_CAP_NATIVE,
		.can_read = 1,
		.is_text = 1,
	},
	.bid = perf_bid,
	.source = &perf_source,
};
