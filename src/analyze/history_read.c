/* Reading a history; see the header. */
#include <assert.h>

#include "analyze/history.h"
#include "analyze/history_entry.h"

/* What comes next: blocks, the block that is being packed, the run that may
 * still grow. */
enum history_part { IN_BLOCKS, IN_BUFFER, AT_END };

void
history_begin(struct history_reader *r, const struct history *h,
    bob_tid track, uint64_t from, uint64_t to)
{
	r->h = h;
	r->from = from;
	r->to = to;
	r->p = r->p_end = NULL;
	r->part = AT_END;
	if (track >= h->cap_lane)
		return;
	r->lane = &h->lane[track];
	r->block = r->lane->first_block;
	r->part = IN_BLOCKS;
}

static int
overlaps(const struct history_reader *r, uint64_t t_min, uint64_t t_max)
{
	return t_min < r->to && t_max >= r->from;
}

/* Finds the bytes of a block. Returns BOB_OK or FATAL. */
static int
load(struct history_reader *r, const struct history_block *b)
{
	const struct history *h = r->h;

	r->state = b->start;
	r->end = b->end;
	if (b->at < h->n_bytes) {
		r->p = h->bytes + b->at;
	} else {
		assert(b->n <= sizeof(r->room));
		if (temp_read(&h->spill, "samples in the order of time",
		    r->room, b->n, b->at - h->n_bytes) < 0)
			return BOB_FATAL;
		r->p = r->room;
	}
	r->p_end = r->p + b->n;
	return BOB_OK;
}

/* Moves on to the next bytes that may have runs of the span. Returns 1, 0 if
 * there are none, or FATAL. */
static int
load_next(struct history_reader *r)
{
	const struct history_lane *lane = r->lane;
	const struct history_block *b;

	while (r->part == IN_BLOCKS && r->block != 0) {
		b = &r->h->block[r->block - 1];
		r->block = b->next;
		if (overlaps(r, b->t_min, b->t_max))
			return load(r, b) < 0 ? BOB_FATAL : 1;
	}
	if (r->part == IN_BLOCKS) {
		r->part = IN_BUFFER;
		if (lane->n_buf > 0 && overlaps(r, lane->t_min, lane->t_max)) {
			r->state = lane->start;
			r->end = lane->end;
			r->p = lane->buf;
			r->p_end = r->p + lane->n_buf;
			return 1;
		}
	}
	return 0;
}

static uint64_t
get(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;

	/* history.c wrote these bytes: they are whole. */
	(void)varint_get(p, end, &v);
	return v;
}

/* Returns where the entry at r->p begins. */
static uint64_t
entry_first(const struct history_reader *r, const uint8_t **p)
{
	return r->state.last + r->state.gap +
	    (uint64_t)unzigzag(get(p, r->p_end));
}

/* Takes the entry at r->p. */
static void
take_entry(struct history_reader *r, struct history_run *run)
{
	const uint8_t *p = r->p, *next;
	/* NOLINT(-Wanalyzer-use-of-uninitialized-value): we wrote it. */
	unsigned tag = *p++;

	run->first = entry_first(r, &p);
	run->row = tag & TAG_ROW ? (uint32_t)get(&p, r->p_end) : r->state.row;
	run->count = tag & TAG_COUNT ? get(&p, r->p_end) : 1;
	run->gap = r->state.is_joined ? run->first - r->state.last
	                              : r->state.gap;
	run->last = history_last(run);
	run->begins = (tag & TAG_BEGINS) != 0;
	r->state = (struct history_state){ run->last, run->gap, run->row,
		!(tag & TAG_TAIL) };
	if (tag & TAG_TAIL) {
		run->end = run->last + get(&p, r->p_end);
	} else if (p < r->p_end) {
		next = p + 1;
		run->end = entry_first(r, &next);
	} else {
		run->end = r->end;
	}
	r->p = p;
}

int
history_next(struct history_reader *r, struct history_run *ret)
{
	int more = 1;

	for (;;) {
		while (r->p < r->p_end) {
			take_entry(r, ret);
			if (overlaps(r, ret->first, ret->end))
				return 1;
		}
		if (r->part == AT_END)
			return 0;
		more = load_next(r);
		if (more < 0)
			return BOB_FATAL;
		if (more > 0)
			continue;
		r->part = AT_END;
		*ret = r->lane->open;
		if (ret->count > 0 && overlaps(r, ret->first, ret->end))
			return 1;
	}
}

uint64_t
history_inside(const struct history_run *run, uint64_t from, uint64_t to)
{
	uint64_t below = 0, n;

	if (to <= from || run->first >= to || run->last < from)
		return 0;
	if (run->gap == 0)
		return run->first >= from ? run->count : 0;
	/* The first sample that is not before `from`, then that not before
	 * `to`. */
	if (run->first < from)
		below = (from - run->first + run->gap - 1) / run->gap;
	n = run->last < to ? run->count : (to - run->first - 1) / run->gap + 1;
	return n > below ? n - below : 0;
}
