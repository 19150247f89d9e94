/* Packed rows; see the header. A field that does not follow is as in the row
 * before, a weight is 1. */
#include "format/gecko/rows.h"

enum tag {
	TAG_STACK = 1 << 0,
	TAG_WEIGHT = 1 << 1,
	TAG_PERIOD = 1 << 2
};
_Static_assert(TAG_PERIOD < 1 << ROWS_TAG_BITS, "tags have room");
_Static_assert(4 * VARINT_MAX <= LANE_ROOM, "a row is an entry");

int
rows_put(struct lanes *s, struct rows *rows, const struct row *row)
{
	struct row *last = &rows->last;
	uint8_t *p = lane_room(s, &rows->lane);
	unsigned tag;

	if (p == NULL)
		return BOB_FATAL;
	if (rows->n++ == 0)
		rows->begin = last->at = row->at;
	tag = (row->stack != last->stack ? TAG_STACK : 0) |
	    (row->weight != 1 ? TAG_WEIGHT : 0) |
	    (row->period != last->period ? TAG_PERIOD : 0);
	p = varint_put(p,
	    (uint64_t)(row->at - last->at) << ROWS_TAG_BITS | tag);
	if (tag & TAG_STACK)
		p = varint_put(p, row->stack);
	if (tag & TAG_WEIGHT) {
		p = varint_put(p, row->weight);
		rows->has_weights = 1;
	}
	if (tag & TAG_PERIOD)
		p = varint_put(p, row->period);
	lane_commit(&rows->lane, p);
	*last = *row;
	return BOB_OK;
}

int
rows_begin(struct rows_reader *in, struct lanes *s, const struct rows *rows)
{
	in->row = (struct row){ .at = rows->begin };
	return lane_reader_begin(&in->in, s, &rows->lane);
}

int
rows_next(struct rows_reader *in)
{
	int r = lane_more(&in->in);
	uint64_t v;

	if (r <= 0)
		return r;
	v = lane_get(&in->in);
	in->row.at += (int64_t)(v >> ROWS_TAG_BITS);
	if (v & TAG_STACK)
		in->row.stack = (bob_stack)lane_get(&in->in);
	in->row.weight = v & TAG_WEIGHT ? lane_get(&in->in) : 1;
	if (v & TAG_PERIOD)
		in->row.period = lane_get(&in->in);
	return 1;
}
