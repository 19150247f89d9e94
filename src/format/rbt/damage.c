/*
 * Damage: what was lost, how it is reported, and how reading goes on behind it.
 * resync.c finds good places; this file moves the reader there.
 */
#include <stdio.h>
#include <string.h>

#include "core/varint.h"
#include "format/rbt/read.h"

typedef unsigned long long ull;

/* In a segment with a gap, the sample count of the writer shows how many
 * samples the gap has cost. */
void
rbt_settle_gap(struct rbt_reader *rd, uint64_t written)
{
	uint64_t known = count_add(rd->n_samples, rd->n_lost);

	if (!rd->has_gap || written < known)
		return;
	rd->gap.lost = written - known;
	rd->gap.lost_is_exact = 1;
}

/* Makes the gap the mark to be delivered. */
int
rbt_tell_gap(struct rbt_reader *rd)
{
	rd->mark = (struct bob_mark){ .kind = BOB_MARK_GAP,
		.offset = rd->gap.offset, .length = rd->gap.length,
		.count = rd->gap.lost, .gap = &rd->gap };
	rd->n_lost = count_add(rd->n_lost, rd->gap.lost);
	rd->has_gap = 0;
	return RBT_STOP_GAP;
}

/* Begins a gap at the window's start. It is reported when a checkpoint has
 * shown its cost, or at the end of the segment. */
static void
begin_gap(struct rbt_reader *rd, int code)
{
	char at[80];

	rbt_place(rd, at, sizeof(at));
	(void)snprintf(rd->gap_why, sizeof(rd->gap_why), "%s: %s", at,
	    rd->defs.why);
	rd->gap = (struct bob_gap){ .offset = rd->in->pos, .code = code,
		.why = rd->gap_why };
	rd->has_gap = 1;
	rd->is_damaged = 1;
	rd->last = RBT_LAST_NONE;
	rbt_changes_forget(&rd->defs.changes);
}

static void
pass_over(struct rbt_reader *rd, size_t n)
{
	in_consume(rd->in, n);
	rd->gap.length += n;
}

/*
 * For a damaged segment: an event that is whole but refers to a definition in
 * the gap. Only this event is lost. Returns 0 when the event is not of that
 * kind.
 */
static int
skip_orphan(struct rbt_reader *rd, const struct rbt_item *ev)
{
	const uint8_t *p = rd->in->p + 1;
	uint64_t n = 0;

	if (!rd->is_damaged || ev->size == 0)
		return 0;
	switch (ev->type) {
	case RBT_SAMPLE:
	case RBT_PID_SAMPLE:
	case RBT_COMPACT_SAMPLE:
		n = 1;
		break;
	case RBT_REPEAT_SAMPLE:
		(void)varint_get(&p, rd->in->p + rd->in->n, &n);
		if ((int64_t)n < 0)
			n = 0;
		break;
	case RBT_FRAME_DEF:
	case RBT_SAMPLE_ANNOTATION:
		break;
	default:
		return 0;
	}
	if (!rd->has_gap)
		begin_gap(rd, BOB_E_CORRUPT);
	rd->gap.lost = count_add(rd->gap.lost, n);
	pass_over(rd, ev->size);
	rd->last = RBT_LAST_NONE;
	return 1;
}

/* An event could not be decoded: FATAL in strict reading, a gap in tolerant
 * reading. */
int
rbt_on_damage(struct rbt_reader *rd, const struct rbt_item *ev)
{
	struct bob_ctx *ctx = rd->src->ctx;
	char at[80];

	if ((rd->src->flags & BOB_READ_RECOVER) == 0) {
		rbt_place(rd, at, sizeof(at));
		(void)err_set(ctx, BOB_FATAL, BOB_E_CORRUPT, rd->in->pos,
		    "%s: %s", at, rd->defs.why);
		if (rd->in_segment)
			ctx->error.segment = rd->segment.index;
		return BOB_FATAL;
	}
	/* Events may begin elsewhere from here on. */
	rd->looked_to = 0;
	if (skip_orphan(rd, ev))
		return BOB_OK;
	if (rd->has_gap)
		return rbt_tell_gap(rd);
	begin_gap(rd, BOB_E_CORRUPT);
	rd->is_searching = 1;
	return BOB_OK;
}

/*
 * Returns the next place behind the first byte and before n that looks like a
 * gzip member, or n. What was looked at is remembered: a file may be damaged
 * every few bytes, and looking anew each time would take the square of its
 * length.
 */
static size_t
find_member(struct rbt_reader *rd, const uint8_t *p, size_t n)
{
	uint64_t pos = rd->in->pos;
	size_t i = 1;

	if (rd->no_member_to > pos + 1)
		i = rd->no_member_to - pos < n ?
		    (size_t)(rd->no_member_to - pos) : n;
	for (; i + 2 < n; i++) {
		if (p[i] == 0x1f && p[i + 1] == 0x8b && p[i + 2] == 8) {
			rd->no_member_to = pos + i;
			return i;
		}
	}
	if (rd->no_member_to < pos + i)
		rd->no_member_to = pos + i;
	return n;
}

/*
 * Searches for a good place behind the window's start, which is none unless the
 * input has just crossed a border. BOB_OK when one was found or the input is
 * used up.
 */
int
rbt_search(struct rbt_reader *rd)
{
	struct in *in = rd->in;
	const uint8_t *p;
	size_t n, at, half, member;
	int r;

	for (;;) {
		/* Refilled when half of it is used up, not for each step. */
		r = in_peek(in, in->n < BOB_MAX_PROOF / 2 ? BOB_MAX_PROOF : 1,
		    &p, &n);
		if (r == BOB_FATAL || r == BOB_AGAIN)
			return r;
		if (rd->is_behind_border && rbt_is_header(p, n))
			break;
		rd->is_behind_border = 0;
		/* In the second half of the window a chain may be too short to
		 * prove itself. That half is searched when more bytes are
		 * behind it. */
		half = r == BOB_EOF ? n : n / 2 + 1;
		member = find_member(rd, p, half);
		at = rbt_resync(rd, p, n, member, r == BOB_EOF);
		if (at == 0 && member < half) {
			pass_over(rd, member);
			rd->no_member_to = 0; /* other bytes may follow */
			r = in_unpack_here(in);
			if (r < 0)
				return r;
			if (r != 1)
				continue;
			rd->in_segment = 0;
			break;
		}
		if (at != 0) {
			pass_over(rd, at);
			break;
		}
		/* The last byte stays in the window: it is known to be no good
		 * place. */
		if (r != BOB_EOF) {
			pass_over(rd, n / 2);
			continue;
		}
		pass_over(rd, n);
		if (!in_cross(in))
			break;
		rd->is_behind_border = 1;
	}
	rd->is_searching = rd->is_behind_border = 0;
	return BOB_OK;
}

/* The input ended inside the event at the window's start. */
static int
on_cut_event(struct rbt_reader *rd)
{
	static const struct rbt_item unclear;
	struct in *in = rd->in;
	size_t at = rbt_resync(rd, in->p, in->n, in->n, 1);

	if (at != 0)
		return rbt_why(rd, "event 0x%02x claims more bytes than there "
		    "are, but events follow at byte %llu", in->p[0],
		    (ull)(in->pos + at)), rbt_on_damage(rd, &unclear);
	if (!rd->src->is_incomplete)
		err_diag(rd->src->ctx, BOB_OK, BOB_E_TRUNCATED, in->pos,
		    "rbt: byte %llu: ends inside an event: still being "
		    "written, or cut", (ull)in->pos);
	rd->src->is_incomplete = 1;
	if ((rd->src->flags & BOB_READ_RECOVER) == 0) {
		in_consume(in, in->n);
		return BOB_EOF;
	}
	if (rd->has_gap)
		return rbt_tell_gap(rd);
	(void)rbt_why(rd, "the input ends inside an event");
	begin_gap(rd, BOB_E_TRUNCATED);
	pass_over(rd, in->n);
	return BOB_OK;
}

/* A gzip member ended, and what is unread ends with it: an event was cut. */
static int
on_border(struct rbt_reader *rd, size_t n_unread)
{
	static const struct rbt_item unclear;
	int r;

	(void)rbt_why(rd, "a gzip member ends inside an event");
	r = rbt_on_damage(rd, &unclear);
	/* The unread bytes are behind us already. */
	rd->gap.offset -= n_unread;
	rd->gap.length += n_unread;
	rd->is_behind_border = 1;
	return r;
}

/* No more bytes. */
int
rbt_on_end(struct rbt_reader *rd)
{
	struct in *in = rd->in;
	size_t n_unread = in->n;

	if (n_unread > 0 && rd->has_gap)
		return rbt_tell_gap(rd);
	if (n_unread > 0 && in_cross(in))
		return on_border(rd, n_unread);
	if (in->n > 0 && !rd->in_segment &&
	    memcmp(in->p, RBT_MAGIC, in->n < 4 ? in->n : 4) != 0) {
		rbt_warn(rd, "stray bytes behind the last segment; ignored");
		in_consume(in, in->n);
	}
	if (in->n > 0)
		return on_cut_event(rd);
	if (in_unpack_is_cut(in))
		rd->src->is_incomplete = 1;
	return rd->has_gap ? rbt_tell_gap(rd) : BOB_EOF;
}

