/*
 * The text that austin writes: a line per sample, root first,
 *
 *     # interval: 100
 *     P1234;T0:1235;/app/main.py:run:12;/app/db.py:query:7 104
 *
 * with the process, interpreter and thread in front and the time since the
 * thread's last sample, in microseconds, at the end. Read only. Described in
 * docs/formats/austin.md.
 */
#include "format/austin/austin.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "format/common/linesource.h"

struct reader {
	struct line_source base; /* first */
	int is_memory;   /* numbers are bytes, not times */
	uint64_t *clock; /* by track: the sum of its times */
	size_t cap_clock, n_clock;
};

/* The last `c` of n bytes; n when there is none. */
static size_t
last_of(const char *p, size_t n, char c)
{
	size_t i = n;

	while (i > 0)
		if (p[--i] == c)
			return i;
	return n;
}

/* FILE:FUNCTION:LINE; colons in the file belong to it. */
static int
split_frame(const char *p, size_t n, struct frame_words *ret)
{
	size_t line = last_of(p, n, ':'), name;

	*ret = (struct frame_words){ .lang = BOB_LANG_PYTHON, .is_raw = 1,
		.flags = BOB_FRAME_NO_LINE, .name = { p, n } };
	ret->file = ret->opname = (struct bob_bytes){ "", 0 };
	if (line == n)
		return 1;
	name = last_of(p, line, ':');
	if (name == line)
		return 1;
	ret->file = (struct bob_bytes){ p, name };
	ret->name = (struct bob_bytes){ p + name + 1, line - name - 1 };
	if (text_get_i64(p + line + 1, n - line - 1, &ret->where))
		ret->flags = 0;
	return 1;
}

/* A decimal number, or a hexadecimal one as older versions wrote threads. */
static int
get_id(const char *p, size_t n, uint64_t *ret)
{
	return text_get_u64(p, n, ret) || text_get_hex(p, n, ret);
}

/*
 * P1234;T0:1235; or P1234;T1235; Returns how many bytes it takes, 0 when the
 * line does not begin like that.
 */
static size_t
get_track(const char *p, size_t n, struct bob_track *ret)
{
	const char *end = p + n, *semi, *colon;
	uint64_t interp;

	*ret = (struct bob_track){ .flags = BOB_TRACK_PID | BOB_TRACK_TID };
	semi = memchr(p, ';', n);
	if (n < 2 || *p != 'P' || semi == NULL ||
	    !text_get_u64(p + 1, (size_t)(semi - p) - 1, &ret->pid))
		return 0;
	p = semi + 1;
	semi = memchr(p, ';', (size_t)(end - p));
	semi = semi == NULL ? end : semi;
	if (p == end || *p != 'T')
		return 0;
	colon = memchr(p, ':', (size_t)(semi - p));
	if (colon != NULL) {
		if (!text_get_u64(p + 1, (size_t)(colon - p) - 1, &interp) ||
		    interp > UINT32_MAX)
			return 0;
		ret->interp = (uint32_t)interp;
		ret->flags |= BOB_TRACK_INTERP;
		p = colon;
	}
	if (!get_id(p + 1, (size_t)(semi - p) - 1, &ret->tid))
		return 0;
	return n - (size_t)(end - semi);
}

/* `# key: value` in front of the samples. */
static void
read_comment(struct reader *st, const char *p, size_t n)
{
	static const char interval[] = "# interval: ";
	static const char memory[] = "# mode: memory";
	size_t len = sizeof(interval) - 1;
	uint64_t v;

	if (n > len && memcmp(p, interval, len) == 0 &&
	    text_get_u64(p + len, n - len, &v) && !st->base.has_segment)
		st->base.segment.period_us = v;
	if (n == sizeof(memory) - 1 && memcmp(p, memory, n) == 0) {
		st->is_memory = 1;
		st->base.segment.flags = 0;
	}
}

/* The clock of a track, `us` later. */
static int
clock_advance(struct source *src, bob_tid track, uint64_t us, uint64_t *ret)
{
	struct reader *st = src->state;
	size_t n = src->dict->n.n_track;

	if (MEM_GROW(src->ctx, st, clock, n) < 0)
		return BOB_FATAL;
	if (n > st->n_clock) {
		memset(st->clock + st->n_clock, 0,
		    (n - st->n_clock) * sizeof(*st->clock));
		st->n_clock = n;
	}
	*ret = st->clock[track] = count_add(st->clock[track], us);
	return BOB_OK;
}

/* The time at the end of a line: 104, or 104,1,4096 with idleness and memory
 * behind it. */
static int
get_time(const char *p, size_t n, uint64_t *ret)
{
	const char *comma = memchr(p, ',', n);

	return text_get_u64(p, comma == NULL ? n : (size_t)(comma - p), ret);
}

static int
read_sample(struct source *src, const char *p, size_t n)
{
	struct reader *st = src->state;
	struct bob_run run = { .count = 1 };
	struct bob_track track;
	size_t gap = last_of(p, n, ' '), head;
	uint64_t us = 0;
	int r;

	head = get_track(p, gap, &track);
	if (gap == n || head == 0 ||
	    (!st->is_memory && !get_time(p + gap + 1, n - gap - 1, &us))) {
		lines_skip(&st->base.lines, "not a sample of austin's");
		return BOB_OK;
	}
	run.track = bob_track_put(src->dict, &track);
	if (run.track == BOB_NO_ID)
		return BOB_FATAL;
	/* A ';' stands in front of the first frame, too; in a thread without
	 * frames nothing follows it. */
	head = head < gap ? head + 1 : gap;
	r = line_source_stack(&st->base, p + head, gap - head, split_frame, 1,
	    &run.stack);
	if (r < 0)
		return r;
	if (!st->is_memory) {
		if (clock_advance(src, run.track, us, &run.t_first) < 0)
			return BOB_FATAL;
		run.t_last = run.t_first;
		run.flags = BOB_RUN_TIMED;
		/* Without a word on the period, the first time is a guess
		 * that is about right. */
		if (st->base.segment.period_us == 0)
			st->base.segment.period_us = us;
	}
	line_source_add(&st->base, &run);
	return BOB_OK;
}

static int
read_line(struct source *src)
{
	struct reader *st = src->state;
	const char *p;
	size_t n;
	int r = lines_next(&st->base.lines, &p, &n);

	if (r != BOB_OK || n == 0)
		return r;
	if (*p != '#')
		return read_sample(src, p, n);
	read_comment(st, p, n);
	return BOB_OK;
}

static int
austin_open(struct source *src)
{
	return line_source_open(src, "austin", BOB_SEGMENT_TIMED, read_line);
}

static void
austin_close(struct source *src)
{
	struct reader *st = src->state;

	line_source_close(src);
	free(st->clock);
}

const struct source_ops austin_source = {
	.state_size = sizeof(struct reader),
	.open = austin_open,
	.next = line_source_next,
	.close = austin_close,
};

/* A comment of austin's, or a line that begins like a sample. */
static int
austin_bid(const uint8_t *bytes, size_t n)
{
	static const char comment[] = "# austin: ";
	const char *p = (const char *)bytes;
	const char *end = memchr(p, '\n', n);
	struct bob_track track;

	if (n >= sizeof(comment) - 1 &&
	    memcmp(p, comment, sizeof(comment) - 1) == 0)
		return BID_MAGIC;
	if (end != NULL && get_track(p, (size_t)(end - p), &track) != 0)
		return BID_TEXT + 1;
	return BID_NO;
}

const struct format austin_format = {
	.info = {
		.name = "austin",
		.suffixes = ".austin",
		.summary = "austin's text, a line per sample",
		.caps = BOB_CAP_ORDER | BOB_CAP_TIMES | BOB_CAP_PIDS |
		    BOB_CAP_THREADS | BOB_CAP_PERIOD,
		.can_read = 1,
		.is_text = 1,
	},
	.bid = austin_bid,
	.source = &austin_source,
};
