/*
 * A message has no magic number, so its first fields must be ones of a
 * profile, with what belongs into them. Text does not look like that: the
 * first byte is a key below 0x20 or one of a few others, and the bytes inside
 * must be fields again.
 */
#include "format/pprof/read.h"

/* Wire types by field number, as bits; 0: no such field. */
#define NUMBER (1u << PROTO_VARINT)
#define BYTES (1u << PROTO_BYTES)
static const uint8_t profile_wires[16] = { 0, BYTES, BYTES, BYTES, BYTES,
	BYTES, BYTES, NUMBER, NUMBER, NUMBER, NUMBER, BYTES, NUMBER,
	NUMBER | BYTES, NUMBER, NUMBER };

/* The same of the messages inside, by field number of the profile. */
static const uint8_t inner_wires[6][16] = {
	[PROFILE_SAMPLE_TYPE] = { 0, NUMBER, NUMBER },
	[PROFILE_SAMPLE] = { 0, NUMBER | BYTES, NUMBER | BYTES, BYTES },
	[PROFILE_MAPPING] = { 0, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER,
		NUMBER, NUMBER, NUMBER, NUMBER, NUMBER },
	[PROFILE_LOCATION] = { 0, NUMBER, NUMBER, NUMBER, BYTES, NUMBER },
	[PROFILE_FUNCTION] = { 0, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER },
};

static int
wire_fits(const uint8_t wires[16], const struct proto_field *f)
{
	return f->number < 16 && (wires[f->number] >> f->wire & 1);
}

/* A message inside, of which only the part before `end` may be there. */
static int
is_message(const struct proto_field *outer, const uint8_t *end)
{
	const uint8_t *p = outer->p;
	int is_cut = outer->value > (uint64_t)(end - p);
	struct proto_field f;

	if (!is_cut)
		end = p + outer->value;
	while (p < end) {
		if (!proto_head(&p, end, &f))
			return is_cut && end - p < PROTO_HEAD_MAX;
		if (!wire_fits(inner_wires[outer->number], &f))
			return 0;
		if (f.wire != PROTO_BYTES)
			continue;
		if (f.value > (uint64_t)(end - p))
			return is_cut;
		p += f.value;
	}
	return 1;
}

int
pprof_bid(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	struct proto_field f;
	size_t n_messages = 0;

	while (p < end) {
		if (!proto_head(&p, end, &f)) {
			if (end - p >= PROTO_HEAD_MAX)
				return BID_NO;
			break;
		}
		if (!wire_fits(profile_wires, &f))
			return BID_NO;
		if (f.wire != PROTO_BYTES)
			continue;
		if (f.number <= PROFILE_FUNCTION && f.value > 0) {
			if (!is_message(&f, end))
				return BID_NO;
			n_messages++;
		}
		if (f.value > (uint64_t)(end - p))
			break;
		p += f.value;
	}
	return n_messages > 0 ? BID_TEXT_MAYBE : BID_NO;
}
