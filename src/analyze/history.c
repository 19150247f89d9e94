/*
 * Packing the runs of tracks; see the header. An entry is a run:
 *
 *     tag  start  [row]  [count]  [tail]
 *
 * `start` is the difference between the first sample and where it would be if
 * the last gap came again. The samples of a run have equal gaps: the one before
 * its first sample, so that no gap is stored. A run of other gaps is several
 * entries. `tail` is there if the run ends before the next one begins; then the
 * gap stays what it was.
 */
#include "analyze/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/history_entry.h"
#include "core/varint.h"

_Static_assert(HISTORY_BLOCK >= 2 * ENTRY_MAX, "a block has several entries");

void
history_init(struct history *h, struct bob_ctx *ctx)
{
	memset(h, 0, sizeof(*h));
	h->ctx = ctx;
	h->spill.fd = -1;
}

static void
drop_buffers(struct history *h)
{
	size_t i;

	for (i = 0; i < h->cap_lane; i++) {
		MEM_DROP(h->ctx, &h->lane[i], buf);
		h->lane[i].buf = NULL;
		h->lane[i].cap_buf = 0;
	}
	h->n_open = 0;
}

void
history_done(struct history *h)
{
	drop_buffers(h);
	MEM_DROP(h->ctx, h, lane);
	MEM_DROP_BIG(h->ctx, h, block);
	MEM_DROP_BIG(h->ctx, h, bytes);
	temp_close(&h->spill);
	free(h->why);
	history_init(h, h->ctx);
}

/* Goes on without a history, and remembers the error. */
static void
give_up(struct history *h)
{
	char *why = strdup(h->ctx->error.text);

	history_done(h);
	h->why = why != NULL ? why : strdup("");
}

/* ---- Blocks ------------------------------------------------------------ */

/* Stores the bytes of a block. Returns BOB_OK and sets *at, or FATAL. */
static int
store_bytes(struct history *h, const uint8_t *p, size_t n, uint64_t *at)
{
	if (h->spill.fd < 0 && h->n_bytes + n <= HISTORY_MEMORY) {
		if (MEM_GROW_BIG(h->ctx, h, bytes, h->n_bytes + n) < 0)
			return BOB_FATAL;
		memcpy(h->bytes + h->n_bytes, p, n);
		*at = h->n_bytes;
		h->n_bytes += n;
		assert(h->n_bytes <= HISTORY_MEMORY); /* invariant 2 */
		return BOB_OK;
	}
	if (h->spill.fd < 0 && temp_open(&h->spill, h->ctx) < 0)
		return BOB_FATAL;
	*at = h->n_bytes + h->spill.size;
	return temp_write(&h->spill, "samples in the order of time", p, n);
}

/* Makes a block of what a lane has packed. Returns BOB_OK or FATAL. */
static int
seal(struct history *h, struct history_lane *lane)
{
	struct history_block b = { .start = lane->start, .t_min = lane->t_min,
		.t_max = lane->t_max, .end = lane->end,
		.n = (uint32_t)lane->n_buf };

	if (lane->n_buf == 0)
		return BOB_OK;
	if (h->n_block >= BOB_MAX_IDS)
		return err_set(h->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "too many samples to keep their order");
	if (MEM_GROW_BIG(h->ctx, h, block, h->n_block + 1) < 0 ||
	    store_bytes(h, lane->buf, lane->n_buf, &b.at) < 0)
		return BOB_FATAL;
	h->block[h->n_block++] = b;
	if (lane->last_block != 0)
		h->block[lane->last_block - 1].next = (uint32_t)h->n_block;
	else
		lane->first_block = (uint32_t)h->n_block;
	lane->last_block = (uint32_t)h->n_block;
	lane->start = lane->now;
	lane->n_buf = 0;
	return BOB_OK;
}

/* With many tracks their buffers become too large together. */
static int
seal_all(struct history *h)
{
	size_t i;

	for (i = 0; i < h->cap_lane; i++)
		if (seal(h, &h->lane[i]) < 0)
			return BOB_FATAL;
	drop_buffers(h);
	return BOB_OK;
}

/* Makes room for an entry in the buffer of a lane. */
static int
make_room(struct history *h, struct history_lane *lane)
{
	size_t old;

	if (lane->n_buf + ENTRY_MAX > HISTORY_BLOCK)
		return seal(h, lane);
	if (lane->n_buf + ENTRY_MAX <= lane->cap_buf)
		return BOB_OK;
	if (h->n_open > HISTORY_OPEN && seal_all(h) < 0)
		return BOB_FATAL;
	old = lane->cap_buf;
	if (MEM_TAKE(h->ctx, lane, buf, lane->n_buf + ENTRY_MAX) < 0)
		return BOB_FATAL;
	h->n_open += lane->cap_buf - old;
	return BOB_OK;
}

/* ---- Runs -------------------------------------------------------------- */

/* Notes what a lane's block covers with one more run. */
static void
cover(struct history_lane *lane, const struct history_run *run)
{
	if (lane->n_buf == 0 || run->first < lane->t_min)
		lane->t_min = run->first;
	if (lane->n_buf == 0 || run->end > lane->t_max)
		lane->t_max = run->end;
	lane->end = run->end;
}

/* Packs the open run of a lane, which ends at open.end. */
static int
pack(struct history *h, struct history_lane *lane, int has_tail)
{
	const struct history_run *run = &lane->open;
	struct history_state *now = &lane->now;
	uint8_t *p, *tag;

	if (make_room(h, lane) < 0)
		return BOB_FATAL;
	cover(lane, run);
	tag = p = lane->buf + lane->n_buf;
	*p++ = (uint8_t)((run->row != now->row ? TAG_ROW : 0) |
	    (run->count != 1 ? TAG_COUNT : 0) | (has_tail ? TAG_TAIL : 0) |
	    (run->begins ? TAG_BEGINS : 0));
	p = varint_put(p, zigzag((int64_t)(run->first - now->last -
	    now->gap)));
	if (*tag & TAG_ROW)
		p = varint_put(p, run->row);
	if (*tag & TAG_COUNT)
		p = varint_put(p, run->count);
	if (*tag & TAG_TAIL)
		p = varint_put(p, run->end - run->last);
	lane->n_buf = (size_t)(p - lane->buf);
	*now = (struct history_state){ run->last, run->gap, run->row,
		!has_tail };
	return BOB_OK;
}

/* Begins another run of a lane after the open one, with one sample. */
static int
begin_run(struct history *h, struct history_lane *lane,
    const struct history_run *run, int joined)
{
	struct history_run *open = &lane->open;
	uint64_t gap = open->gap;

	if (open->count > 0) {
		if (joined)
			gap = run->first - open->last;
		if (joined ||
		    (run->first > open->last && run->first < open->end))
			open->end = run->first;
		if (pack(h, lane, !joined) < 0)
			return BOB_FATAL;
	}
	*open = *run;
	open->gap = gap;
	open->count = 1;
	open->last = run->first;
	return BOB_OK;
}

/* True if samples go on where the open run of a lane ends. */
static int
is_joined(const struct history_run *open, const struct history_new *x)
{
	return open->count > 0 && x->first >= open->last &&
	    x->first - open->last == x->length;
}

static int
add_to_lane(struct history *h, struct history_lane *lane,
    const struct history_new *x)
{
	struct history_run *open = &lane->open;
	struct history_run run = { .row = x->row, .first = x->first,
		.begins = lane->request != x->request };
	int joined = is_joined(open, x);

	if (joined && run.row == open->row && !run.begins &&
	    x->length == open->gap) {
		open->count = count_add(open->count, 1);
		open->last = history_last(open);
	} else if (begin_run(h, lane, &run, joined) < 0) {
		return BOB_FATAL;
	}
	if (x->count > 1 && open->gap != x->gap) {
		run.first = count_add(x->first, x->gap);
		run.begins = 0;
		if (begin_run(h, lane, &run, 1) < 0)
			return BOB_FATAL;
		open->count = x->count - 1;
	} else {
		open->count = count_add(open->count, x->count - 1);
	}
	open->last = history_last(open);
	open->end = count_add(open->last, x->tail);
	lane->request = x->request;
	return BOB_OK;
}

/* Makes room for the lane of a track. */
static int
make_lane(struct history *h, bob_tid track)
{
	size_t old = h->cap_lane;

	if (MEM_TAKE(h->ctx, h, lane, (size_t)track + 1) < 0)
		return BOB_FATAL;
	if (h->cap_lane > old)
		memset(h->lane + old, 0,
		    (h->cap_lane - old) * sizeof(*h->lane));
	return BOB_OK;
}

void
history_add(struct history *h, bob_tid track, const struct history_new *x)
{
	if (h->why == NULL && (make_lane(h, track) < 0 ||
	    add_to_lane(h, &h->lane[track], x) < 0))
		give_up(h);
}
