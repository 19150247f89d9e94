/* Intervals of a thread; see the header. */
#include "format/gecko/marks.h"

#include <stdlib.h>

#include "core/utf8.h"
#include "core/varint.h"

/* Bits of a sample's status, as in struct bob_run. */
enum status {
	STATUS_HAS_GIL = 1 << 0,
	STATUS_ON_CPU = 1 << 1,
	STATUS_UNKNOWN = 1 << 2,
	STATUS_WANTS_GIL = 1 << 3,
	STATUS_EXCEPTION = 1 << 4
};

/* Sets with more annotations are not compared pair by pair: that would be
 * quadratic. */
#define COMPARED ((size_t)64)

_Static_assert(1 + 2 * 5 + 2 * VARINT_MAX <= LANE_ROOM, "a mark is an entry");

unsigned
marks_state(unsigned status, int has_gc)
{
	/* Whether it was on a CPU is what may be unknown. */
	int on_cpu = (status & (STATUS_ON_CPU | STATUS_UNKNOWN)) ==
	    STATUS_ON_CPU;

	return (status & STATUS_HAS_GIL ? 1u << MARKS_GIL : 0) |
	    (status & STATUS_WANTS_GIL ? 1u << MARKS_WAITS : 0) |
	    (on_cpu ? 1u << MARKS_CPU : 0) |
	    (status & STATUS_EXCEPTION ? 1u << MARKS_EXCEPTION : 0) |
	    (has_gc ? 1u << MARKS_GC : 0);
}

bob_str
marks_string(struct marks_to *to, bob_str id)
{
	struct functions *f = to->fns;
	struct bob_bytes s = bob_str_get(f->from, id);

	if (utf8_valid(s.p, s.n) == s.n)
		return bob_str_put(f->own, s.p, s.n);
	if (MEM_GROW(f->ctx, to, utf8, 3 * s.n) < 0)
		return BOB_NO_ID;
	return bob_str_put(f->own, to->utf8,
	    utf8_replace(to->utf8, s.p, s.n));
}

static int
put_mark(struct marks_to *to, struct marks *m, const struct mark *mark)
{
	uint8_t *p = lane_room(to->lanes, &m->lane);

	if (p == NULL)
		return BOB_FATAL;
	*p++ = (uint8_t)mark->kind;
	if (mark->kind == MARKS_ANNOTATION) {
		p = varint_put(p, mark->key);
		p = varint_put(p, mark->value);
	}
	p = varint_put(p, zigzag(mark->begin - m->last));
	p = varint_put(p, (uint64_t)(mark->end - mark->begin));
	lane_commit(&m->lane, p);
	m->last = mark->begin;
	m->n++;
	return BOB_OK;
}

static int
change_state(struct marks_to *to, struct marks *m, unsigned state, int64_t at)
{
	struct mark mark = { .end = at };
	unsigned i;

	for (i = 0; i < MARKS_N_STATES; i++) {
		unsigned bit = 1u << i;

		if ((state & bit) == (m->state & bit))
			continue;
		if (state & bit) {
			m->since[i] = at;
			continue;
		}
		mark.kind = i;
		mark.begin = m->since[i];
		if (put_mark(to, m, &mark) < 0)
			return BOB_FATAL;
	}
	m->state = state;
	return BOB_OK;
}

static int
end_note(struct marks_to *to, struct marks *m, const struct marks_note *note,
    int64_t at)
{
	struct mark mark = { .begin = note->begin, .end = at,
		.kind = MARKS_ANNOTATION };

	mark.key = marks_string(to, note->pair.key);
	mark.value = marks_string(to, note->pair.value);
	if (mark.key == BOB_NO_ID || mark.value == BOB_NO_ID)
		return BOB_FATAL;
	return put_mark(to, m, &mark);
}

/* The first note of [from, m->n_note) with this pair, or m->n_note. */
static size_t
find_note(const struct marks *m, size_t from, const struct bob_pair *pair)
{
	while (from < m->n_note && (m->note[from].pair.key != pair->key ||
	    m->note[from].pair.value != pair->value))
		from++;
	return from;
}

/*
 * Pairs of the new set that were in the old one, in the same order, go on: a
 * request does not end with each of its queries. The new notes are gathered
 * behind the old ones and then take their place.
 */
static int
change_notes(struct marks_to *to, struct marks *m, bob_annot annot,
    int64_t at)
{
	const struct bob_dict *d = to->fns->from;
	size_t n, i, k, old = m->n_note, next = 0;
	const struct bob_pair *pair = bob_annot_get(d, annot, &n);
	int is_compared = old <= COMPARED && n <= COMPARED;

	if (MEM_GROW(d->ctx, m, note, old + n) < 0)
		return BOB_FATAL;
	for (i = 0; i < n; i++) {
		int64_t begin = at;

		k = is_compared ? find_note(m, next, &pair[i]) : old;
		if (k < old) {
			begin = m->note[k].begin;
			for (; next < k; next++)
				if (end_note(to, m, &m->note[next], at) < 0)
					return BOB_FATAL;
			next = k + 1;
		}
		m->note[old + i] = (struct marks_note){ pair[i], begin };
	}
	for (; next < old; next++)
		if (end_note(to, m, &m->note[next], at) < 0)
			return BOB_FATAL;
	for (i = 0; i < n; i++)
		m->note[i] = m->note[old + i];
	m->n_note = n;
	m->annot = annot;
	return BOB_OK;
}

int
marks_change(struct marks_to *to, struct marks *m, unsigned state,
    bob_annot annot, int64_t at)
{
	if (state != m->state && change_state(to, m, state, at) < 0)
		return BOB_FATAL;
	return annot != m->annot ? change_notes(to, m, annot, at) : BOB_OK;
}

void
marks_done(struct marks *m)
{
	lane_done(&m->lane);
	free(m->note);
}

int
marks_begin(struct marks_reader *in, struct lanes *s, const struct marks *m)
{
	in->mark = (struct mark){ 0 };
	return lane_reader_begin(&in->in, s, &m->lane);
}

int
marks_next(struct marks_reader *in)
{
	struct mark *mark = &in->mark;
	int r = lane_more(&in->in);

	if (r <= 0)
		return r;
	mark->kind = *in->in.p++;
	if (mark->kind == MARKS_ANNOTATION) {
		mark->key = (bob_str)lane_get(&in->in);
		mark->value = (bob_str)lane_get(&in->in);
	}
	mark->begin += unzigzag(lane_get(&in->in));
	mark->end = mark->begin + (int64_t)lane_get(&in->in);
	return 1;
}
