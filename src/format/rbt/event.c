/*
 * Decodes one .rbt event at a time: its borders, and what it changes in the
 * reader. Samples are in sample.c, definitions in defs.c.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/varint.h"
#include "format/rbt/read.h"

/* No writer makes a varint longer than 10 bytes; reli's reader accepts any.
 * Beyond this it is taken for damage. */
#define MAX_VARINT 64

/* How far behind a mark an annotation or REPEAT of the sample before it is
 * looked for. Writers put at most some definitions of strings in between. */
#define MAX_LOOK ((size_t)64 << 10)

typedef unsigned long long ull;

int
rbt_why(struct rbt_reader *rd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(rd->defs.why, sizeof(rd->defs.why), fmt, ap);
	va_end(ap);
	return BOB_FAILED;
}

void
rbt_place(const struct rbt_reader *rd, char *buf, size_t cap)
{
	if (rd->in_segment)
		(void)snprintf(buf, cap, "rbt: segment %llu, byte %llu",
		    (ull)rd->segment.index, (ull)rd->in->pos);
	else
		(void)snprintf(buf, cap, "rbt: byte %llu", (ull)rd->in->pos);
}

void
rbt_warn(struct rbt_reader *rd, const char *text)
{
	char at[80];

	rbt_place(rd, at, sizeof(at));
	err_diag(rd->src->ctx, BOB_WARN, BOB_E_CORRUPT, rd->in->pos,
	    "%s: %s", at, text);
}

/* A varint of an event without a length: RBT_STOP_NEED more, FAILED, or OK. */
static int
get_open_varint(struct rbt_reader *rd, const uint8_t *p, size_t n,
    struct rbt_item *ev, uint64_t *ret)
{
	const uint8_t *q = p + 1;
	const uint8_t *end = p + (n < MAX_VARINT + 1 ? n : MAX_VARINT + 1);

	if (!varint_get(&q, end, ret)) {
		if (n > MAX_VARINT)
			return rbt_why(rd, "a number of more than %d bytes",
			    MAX_VARINT);
		rd->need = n + 1;
		return RBT_STOP_NEED;
	}
	ev->size = (size_t)(q - p);
	return BOB_OK;
}

/* Finds the borders of a length-delimited event. */
static int
get_payload(struct rbt_reader *rd, const uint8_t *p, size_t n,
    struct rbt_item *ev)
{
	uint64_t len = 0;
	int r = get_open_varint(rd, p, n, ev, &len);

	if (r != BOB_OK)
		return r;
	/* A negative length counts as 0, as in reli's reader. */
	if ((int64_t)len < 0)
		len = 0;
	if (len > BOB_MAX_EVENT)
		return rbt_why(rd, "event 0x%02x claims %llu bytes (limit %u)",
		    ev->type, (ull)len, BOB_MAX_EVENT);
	if (len > n - ev->size) {
		rd->need = ev->size + (size_t)len;
		return RBT_STOP_NEED;
	}
	ev->p = p + ev->size;
	ev->end = ev->p + len;
	ev->size += (size_t)len;
	return BOB_OK;
}

/* The time of the sample that was just added. */
static void
set_time(struct rbt_reader *rd, uint64_t delta)
{
	struct bob_run *run;

	rd->time += delta;
	if ((rd->last & RBT_LAST_RUN) == 0)
		return;
	run = &rd->run[rd->n_run - 1];
	run->t_first = run->t_last = rd->time;
	run->flags = BOB_RUN_TIMED;
}

static int
do_sample(struct rbt_reader *rd, const struct rbt_item *ev)
{
	const uint8_t *p = ev->p;
	uint64_t id, pid = 0, delta = 0;
	int has_pid = ev->type == RBT_PID_SAMPLE, has_time, r;

	if (!varint_get(&p, ev->end, &id) ||
	    (has_pid && !varint_get(&p, ev->end, &pid)))
		return rbt_why(rd, "sample without a stack%s",
		    has_pid ? " or pid" : "");
	/* The time is optional even where the header promises it. */
	has_time = rd->is_timed && p < ev->end;
	if (has_time && !varint_get(&p, ev->end, &delta))
		return rbt_why(rd, "sample ends inside its time");
	r = has_pid ? rbt_add_pid_sample(rd, id, pid) : rbt_add_sample(rd, id);
	if (r == BOB_OK && has_time)
		set_time(rd, delta);
	return r;
}

static int
do_frame(struct rbt_reader *rd, const struct rbt_item *ev)
{
	int r = defs_frame(&rd->defs, ev->p, ev->end);

	if (r == BOB_OK && defs_are_fluid(&rd->defs) && !rd->is_cold) {
		rbt_cool(rd);
		rd->is_cold = 1;
	}
	return r;
}

static int
do_stack(struct rbt_reader *rd, const struct rbt_item *ev)
{
	uint64_t id;
	int r = defs_stack(&rd->defs, ev->p, ev->end, &id);

	return r < 0 ? r : rbt_heat(rd, id);
}

static int
do_annotation(struct rbt_reader *rd, const struct rbt_item *ev)
{
	bob_annot annot;
	int r = defs_annotation(&rd->defs, ev->p, ev->end, &annot);

	if (r < 0)
		return r;
	r = rbt_annotate(rd, annot);
	return r == BOB_FAILED
	    ? rbt_why(rd, "annotation without a sample before it") : r;
}

/* A mark, unless nobody asked for it. */
static int
put_mark(struct rbt_reader *rd, const struct bob_mark *mark)
{
	if ((rd->src->want & BOB_WANT_MARKS) == 0)
		return BOB_OK;
	rd->mark = *mark;
	rd->mark.offset = rd->in->pos;
	return RBT_STOP_MARK;
}

static int
do_metadata(struct rbt_reader *rd, const struct rbt_item *ev)
{
	struct bob_mark m = { .kind = BOB_MARK_META };
	int r = defs_metadata(&rd->defs, ev->p, ev->end, &m.key, &m.value);

	if (r == BOB_EOF) {
		rbt_forget_tracks(rd);
		return BOB_OK;
	}
	m.length = ev->size;
	return r < 0 ? r : put_mark(rd, &m);
}

static int
do_checkpoint(struct rbt_reader *rd, const struct rbt_item *ev)
{
	struct bob_mark m = { .kind = BOB_MARK_CHECKPOINT };
	const uint8_t *p = ev->p;
	uint64_t frames, stacks;

	if (!varint_get(&p, ev->end, &frames) ||
	    !varint_get(&p, ev->end, &stacks) ||
	    !varint_get(&p, ev->end, &m.count)) {
		rbt_warn(rd, "checkpoint without its three numbers; ignored");
		return BOB_OK;
	}
	if (rd->is_damaged) {
		rbt_settle_gap(rd, m.count);
	} else if (m.count != rd->n_samples) {
		char text[128];

		(void)snprintf(text, sizeof(text), "checkpoint counts %llu "
		    "samples where %llu were read", (ull)m.count,
		    (ull)rd->n_samples);
		rbt_warn(rd, text);
	}
	m.length = ev->size;
	return put_mark(rd, &m);
}

static int
do_unknown(struct rbt_reader *rd, const struct rbt_item *ev)
{
	struct bob_mark m = { .kind = BOB_MARK_UNKNOWN,
		.raw_type = ev->type, .length = (uint64_t)(ev->end - ev->p),
		.bytes = ev->p };

	return put_mark(rd, &m);
}

static int
do_end(struct rbt_reader *rd, const struct rbt_item *ev)
{
	struct bob_mark m = { .kind = BOB_MARK_END, .length = ev->size };

	rd->in_segment = 0;
	rd->last = RBT_LAST_NONE;
	return put_mark(rd, &m);
}

/* True for events that become marks somebody wants: the closed runs must be
 * out before them, to keep the order. */
static int
is_mark(const struct rbt_reader *rd, unsigned type)
{
	switch (type) {
	case RBT_FRAME_DEF:
	case RBT_STACK_DEF:
	case RBT_SAMPLE:
	case RBT_PID_SAMPLE:
	case RBT_STRING_DEF:
	case RBT_SAMPLE_ANNOTATION:
		return 0;
	default:
		return (rd->src->want & BOB_WANT_MARKS) != 0;
	}
}

static int
do_delimited(struct rbt_reader *rd, const struct rbt_item *ev)
{
	switch (ev->type) {
	case RBT_STRING_DEF:
		return defs_string(&rd->defs, ev->p, ev->end);
	case RBT_FRAME_DEF:
		return do_frame(rd, ev);
	case RBT_STACK_DEF:
		return do_stack(rd, ev);
	case RBT_SAMPLE:
	case RBT_PID_SAMPLE:
		return do_sample(rd, ev);
	case RBT_SAMPLE_ANNOTATION:
		return do_annotation(rd, ev);
	case RBT_METADATA:
		return do_metadata(rd, ev);
	case RBT_CHECKPOINT:
		return do_checkpoint(rd, ev);
	case RBT_SEGMENT_END:
		return do_end(rd, ev);
	default:
		return do_unknown(rd, ev);
	}
}

/* Returns how many of the n bytes from here on were looked at before. */
static size_t
n_looked(const struct rbt_reader *rd, size_t n)
{
	uint64_t pos = rd->in->pos;

	return rd->looked_in == rd->in->stretch + 1 && rd->looked_to > pos &&
	    rd->looked_to - pos <= n ? (size_t)(rd->looked_to - pos) : 0;
}

static void
note_looked(struct rbt_reader *rd, size_t n)
{
	rd->looked_to = rd->in->pos + n;
	rd->looked_in = rd->in->stretch + 1;
}

/*
 * Returns 1 when an annotation or a REPEAT behind the mark at p still belongs
 * to the newest sample, 0 when not, and NEED when that is not in the window
 * yet.
 */
static int
is_sample_open(struct rbt_reader *rd, const uint8_t *p, size_t n)
{
	const uint8_t *begin = p, *end = p + n, *q;
	uint64_t len = 0;

	for (p += n_looked(rd, n);;) {
		q = p + 1;
		note_looked(rd, (size_t)(p - begin));
		if (p == end || (p[0] != RBT_COMPACT_SAMPLE &&
		    p[0] != RBT_REPEAT_SAMPLE && p[0] != RBT_RESERVED &&
		    (!varint_get(&q, end, &len) ||
		    ((int64_t)len > 0 && len > (uint64_t)(end - q)))))
			break;
		switch (p[0]) {
		case RBT_SAMPLE_ANNOTATION:
		case RBT_REPEAT_SAMPLE:
			return 1;
		case RBT_SAMPLE:
		case RBT_PID_SAMPLE:
		case RBT_COMPACT_SAMPLE:
		case RBT_SEGMENT_END:
		case RBT_RESERVED:
			return 0;
		default:
			p = q + ((int64_t)len > 0 ? len : 0);
		}
	}
	if (rbt_is_last(rd) || n > MAX_LOOK)
		return 0;
	rd->need = n + n / 2 + 1;
	return RBT_STOP_NEED;
}

/*
 * Runs are given before a mark that follows them. The newest run is given only
 * when nothing more belongs to it; else the mark overtakes it.
 */
static int
before_mark(struct rbt_reader *rd, const uint8_t *p, size_t n)
{
	int r;

	if (rd->n_run == 0)
		return BOB_OK;
	if (!rd->sums && (rd->last & RBT_LAST_RUN) != 0) {
		r = is_sample_open(rd, p, n);
		if (r == RBT_STOP_NEED)
			return r;
		if (r == 0)
			rd->last = RBT_LAST_NONE;
	}
	if ((rd->last & RBT_LAST_RUN) == 0)
		return RBT_STOP_GIVE_ALL;
	return rd->n_run > 1 ? (int)RBT_STOP_GIVE_CLOSED : BOB_OK;
}

/* Recovery only: is an event that fits the input as long as it claims? */
static int
check_length(struct rbt_reader *rd, const uint8_t *p, size_t n,
    const struct rbt_item *ev)
{
	if (!rbt_holds_header(rd, ev->p, (size_t)(ev->end - ev->p)))
		return BOB_OK;
	if (n < ev->size + RBT_AHEAD && !rbt_is_last(rd)) {
		rd->need = ev->size + RBT_AHEAD;
		return RBT_STOP_NEED;
	}
	if (rbt_is_in_step(rd, p + ev->size, n - ev->size))
		return BOB_OK;
	return rbt_why(rd, "event 0x%02x reaches over the next segment",
	    ev->type);
}

/* One event that is not a header, as rbt_step. */
static int
do_event(struct rbt_reader *rd, const uint8_t *p, size_t n, struct rbt_item *ev)
{
	uint64_t v = 0;
	int r;

	ev->type = p[0];
	if (ev->type == RBT_COMPACT_SAMPLE || ev->type == RBT_REPEAT_SAMPLE) {
		r = get_open_varint(rd, p, n, ev, &v);
		if (r != BOB_OK)
			return r;
		if (ev->type == RBT_COMPACT_SAMPLE)
			return rbt_add_sample(rd, v);
		return rbt_repeat(rd, v) < 0 ?
		    rbt_why(rd, "repeat without a sample before it") : BOB_OK;
	}
	if (ev->type == RBT_RESERVED)
		return rbt_why(rd, "event type 0x52 is reserved");
	r = get_payload(rd, p, n, ev);
	if (r != BOB_OK)
		return r;
	if ((rd->src->flags & BOB_READ_RECOVER) != 0 &&
	    (r = check_length(rd, p, n, ev)) != BOB_OK)
		return r;
	if (is_mark(rd, ev->type) && (r = before_mark(rd, p, n)) != BOB_OK)
		return r;
	return do_delimited(rd, ev);
}

/* A segment begins: p has a whole header. */
static int
do_header(struct rbt_reader *rd, const uint8_t *p, size_t n)
{
	struct bob_segment *s = &rd->segment;

	if (p[4] != RBT_VERSION)
		return rbt_why(rd, "segment of version %u (this build reads "
		    "%d)", p[4], RBT_VERSION);
	if ((rd->src->flags & BOB_READ_RECOVER) != 0 && rbt_is_stray(p, n))
		return rbt_why(rd, "a stray copy of the magic in front of a "
		    "header");
	if ((p[5] & ~RBT_FLAG_TIMES) != 0 || p[6] != 0 || p[7] != 0 ||
	    p[12] != 0 || p[13] != 0 || p[14] != 0 || p[15] != 0)
		rbt_warn(rd, "reserved bits of the header are set; ignored");
	rbt_cool(rd);
	defs_clear(&rd->defs);
	*s = (struct bob_segment){ .index = rd->src->next_segment++,
		.offset = rd->in->pos,
		.period_us = (uint64_t)p[8] | (uint64_t)p[9] << 8 |
		    (uint64_t)p[10] << 16 | (uint64_t)p[11] << 24 };
	rd->is_timed = (p[5] & RBT_FLAG_TIMES) != 0;
	if (rd->is_timed)
		s->flags = BOB_SEGMENT_TIMED;
	rd->in_segment = 1;
	rd->time = rd->n_samples = rd->n_lost = 0;
	rd->last = RBT_LAST_NONE;
	rd->n_sum = 0;
	rd->is_cold = rd->is_damaged = 0;
	rbt_forget_tracks(rd);
	return RBT_STOP_SEGMENT;
}

/*
 * Returns 1 for a header at p, 0 for an event, STOP_NEED when there are too few
 * bytes to tell, and FAILED where neither can be.
 */
static int
is_header(struct rbt_reader *rd, const uint8_t *p, size_t n)
{
	size_t known = n < 4 ? n : 4;
	size_t need = RBT_HEADER;

	/* Recovery also asks whether the next header overlaps this one. */
	if ((rd->src->flags & BOB_READ_RECOVER) != 0 && !rbt_is_last(rd))
		need += RBT_AHEAD;
	if (p[0] == RBT_MAGIC[0] && memcmp(p, RBT_MAGIC, known) == 0) {
		rd->need = need;
		return n < need ? RBT_STOP_NEED : 1;
	}
	if (rd->in_segment)
		return 0;
	rd->need = 4;
	return n < 4 ? RBT_STOP_NEED :
	    rbt_why(rd, "no segment header (expected \"RELI\")");
}

/* One step at p; sizes and stops as do_event. */
int
rbt_step(struct rbt_reader *rd, const uint8_t *p, size_t n, struct rbt_item *ev)
{
	int r = is_header(rd, p, n);

	if (r == 0)
		return do_event(rd, p, n, ev);
	if (r != 1)
		return r;
	if (rd->n_run > 0 || rd->has_sums)
		return RBT_STOP_GIVE_ALL;
	if (rd->has_gap)
		return rbt_tell_gap(rd);
	ev->size = RBT_HEADER;
	return do_header(rd, p, n);
}

