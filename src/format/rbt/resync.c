/*
 * Finding the way after damage: pure functions over bytes in memory.
 *
 * A place is good when it holds a segment header, or when the events that
 * follow form a chain: each of a known type, filling its length exactly, with
 * ids that this segment has defined, far enough that chance is ruled out or
 * up to something that only a writer puts there (a checkpoint, the end of the
 * segment, the next header).
 *
 * Streams of short events fall back into step by themselves, so a chain that
 * begins at a wrong byte may soon run into the right one. When several places
 * close together are good, the first event that all their chains share is
 * taken: rather some samples lost than one invented.
 */
#include <string.h>

#include "core/varint.h"
#include "format/rbt/read.h"

/* Chain length that rules out chance: each compact sample is 1 in about 100
 * to come up by accident, and an event with an exact length far less. */
#define PROOF 24
#define STRONG 4
/* Events that one chain may visit before it is judged: some prove nothing by
 * themselves, but most must. */
#define MAX_CHAIN (2 * PROOF)
/* How far behind the first good place others are compared. */
#define RIVALS 64
/* Frames of a stack definition that are looked at one by one. */
#define LOOK_FRAMES 64
/* Whole events behind a header that a payload must hold to be doubted. */
#define SWALLOWED 4
/* Ids that the gap may have swallowed the definitions of. */
#define UNSEEN 4096

struct chain {
	size_t n;
	size_t at[MAX_CHAIN]; /* where its events begin */
};

static int
is_event_type(unsigned type)
{
	return type >= RBT_FRAME_DEF && type <= RBT_SAMPLE_ANNOTATION;
}

static int
has_clean_header(const uint8_t *p, size_t n)
{
	static const uint8_t zero[4];

	return n >= RBT_HEADER && memcmp(p, RBT_MAGIC, 4) == 0 &&
	    p[4] == RBT_VERSION && (p[5] & ~RBT_FLAG_TIMES) == 0 &&
	    memcmp(p + 6, zero, 2) == 0 && memcmp(p + 12, zero, 4) == 0 &&
	    (n == RBT_HEADER || is_event_type(p[RBT_HEADER]) ||
	    p[RBT_HEADER] == RBT_RESERVED || p[RBT_HEADER] == 0x1f);
}

int
rbt_is_stray(const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 1; i < RBT_HEADER; i++)
		if (has_clean_header(p + i, n - i))
			return 1;
	return 0;
}

int
rbt_is_header(const uint8_t *p, size_t n)
{
	if (has_clean_header(p, n))
		return 1;
	/* Reserved bits may be set by a later writer. */
	return n >= RBT_HEADER && memcmp(p, RBT_MAGIC, 4) == 0 &&
	    p[4] == RBT_VERSION && !rbt_is_stray(p, n) &&
	    (n == RBT_HEADER || is_event_type(p[RBT_HEADER]));
}

/* The payload fields of one event, for checking. */
struct fields {
	const uint8_t *p, *end;
	int ok;
	int loose; /* any id will do, and bytes may be left over */
};

static uint64_t
next_field(struct fields *f)
{
	uint64_t v = 0;

	f->ok = f->ok && varint_get(&f->p, f->end, &v);
	return v;
}

/* Checks an id: it must be defined in the segment, or its definition may be in
 * the gap. */
static void
field_id(struct fields *f, const struct idmap *m)
{
	uint64_t id = next_field(f);

	f->ok = f->ok && (f->loose || id < m->n_set + UNSEEN ||
	    idmap_get(m, id) != IDMAP_NONE);
}

static int
is_used_up(const struct fields *f)
{
	return f->loose || f->p == f->end;
}

static void
check_frame(struct fields *f, const struct rbt_defs *d)
{
	uint64_t flags;

	field_id(f, &d->frames);
	flags = next_field(f);
	f->ok = f->ok && (f->loose ||
	    flags <= (RBT_FRAME_NATIVE | RBT_FRAME_OPCODE));
	field_id(f, &d->strings);
	field_id(f, &d->strings);
	if ((flags & RBT_FRAME_NATIVE) == 0) {
		field_id(f, &d->strings);
		field_id(f, &d->strings);
	}
	(void)next_field(f);
	if ((flags & RBT_FRAME_OPCODE) != 0 && f->p < f->end)
		field_id(f, &d->strings);
	f->ok = f->ok && is_used_up(f);
}

static void
check_stack(struct fields *f, const struct rbt_defs *d)
{
	uint64_t depth, i;

	field_id(f, &d->stacks);
	depth = next_field(f);
	f->ok = f->ok && depth <= (uint64_t)(f->end - f->p);
	for (i = 0; f->ok && i < depth && i < LOOK_FRAMES; i++)
		field_id(f, &d->frames);
	f->ok = f->ok && (depth > LOOK_FRAMES || is_used_up(f));
}

static void
check_sample(struct fields *f, const struct rbt_reader *rd, int has_pid)
{
	uint64_t id = next_field(f);

	f->ok = f->ok && (f->loose ||
	    idmap_get(&rd->defs.stacks, id) != IDMAP_NONE);
	if (has_pid)
		(void)next_field(f);
	if (rd->is_timed && f->p < f->end)
		(void)next_field(f);
	f->ok = f->ok && is_used_up(f);
}

static void
check_annotation(struct fields *f, const struct rbt_defs *d)
{
	uint64_t n = next_field(f), i;

	f->ok = f->ok && n <= BOB_MAX_PAIRS &&
	    n <= (uint64_t)(f->end - f->p) / 2;
	for (i = 0; f->ok && i < 2 * n; i++)
		field_id(f, &d->strings);
	f->ok = f->ok && is_used_up(f);
}

static void
check_metadata(struct fields *f)
{
	int i;

	for (i = 0; i < 2; i++) {
		uint64_t n = next_field(f);

		f->ok = f->ok && n <= (uint64_t)(f->end - f->p);
		if (f->ok)
			f->p += n;
	}
	f->ok = f->ok && is_used_up(f);
}

/* Sample counts only grow, and frames and stacks with them. */
static void
check_checkpoint(struct fields *f, const struct rbt_reader *rd)
{
	uint64_t frames = next_field(f), stacks = next_field(f);
	uint64_t samples = next_field(f);

	f->ok = f->loose || (f->ok && f->p == f->end &&
	    frames >= rd->defs.frames.n_set &&
	    frames <= rd->defs.frames.n_set + UNSEEN &&
	    stacks >= rd->defs.stacks.n_set &&
	    stacks <= rd->defs.stacks.n_set + UNSEEN &&
	    samples >= rd->n_samples);
}

/* What the end of a segment must be followed by. */
static int
is_segment_border(const uint8_t *p, size_t n, int is_all)
{
	return (n == 0 && is_all) || rbt_is_header(p, n) ||
	    (n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8);
}

enum { BAD = 0, NEUTRAL, WEAK, FIRM, ANCHOR, BEYOND };

/* What each verdict adds to the proof. */
static const int weight[] = { [NEUTRAL] = 0, [WEAK] = 1, [FIRM] = STRONG,
	[ANCHOR] = 2 * STRONG };

/* How to judge. SOME: more bytes may follow. ALL: these are the last. LOOSE: by
 * form alone, whatever has been defined. */
enum how { SOME, ALL, LOOSE };

/* Judges the event with a length at p; *size is its size. */
static int
judge_delimited(const struct rbt_reader *rd, const uint8_t *p, size_t n,
    enum how how, size_t *size)
{
	struct fields f = { p + 1, p + n, 1, how == LOOSE };
	uint64_t len = next_field(&f);
	unsigned type = p[0];

	if (!f.ok)
		return BEYOND;
	if (len > BOB_MAX_EVENT)
		return BAD;
	if (len > (uint64_t)(f.end - f.p))
		return BEYOND;
	f.end = f.p + len;
	*size = (size_t)(f.end - p);
	switch (type) {
	case RBT_STRING_DEF:
		field_id(&f, &rd->defs.strings);
		break;
	case RBT_FRAME_DEF:
		check_frame(&f, &rd->defs);
		break;
	case RBT_STACK_DEF:
		check_stack(&f, &rd->defs);
		break;
	case RBT_SAMPLE:
	case RBT_PID_SAMPLE:
		check_sample(&f, rd, type == RBT_PID_SAMPLE);
		break;
	case RBT_SAMPLE_ANNOTATION:
		check_annotation(&f, &rd->defs);
		break;
	case RBT_METADATA:
		check_metadata(&f);
		break;
	case RBT_CHECKPOINT:
		check_checkpoint(&f, rd);
		return f.ok ? ANCHOR : BAD;
	default: /* RBT_SEGMENT_END */
		return how == LOOSE || (len == 0 && is_segment_border(p +
		    *size, n - *size, how == ALL)) ? ANCHOR : BAD;
	}
	return f.ok ? FIRM : BAD;
}

static int
judge_event(const struct rbt_reader *rd, const uint8_t *p, size_t n,
    enum how how, size_t *size)
{
	const uint8_t *q = p + 1;
	uint64_t v;

	if (!is_event_type(p[0]))
		return BAD;
	if (p[0] != RBT_COMPACT_SAMPLE && p[0] != RBT_REPEAT_SAMPLE)
		return judge_delimited(rd, p, n, how, size);
	if (!varint_get(&q, p + (n < 12 ? n : 12), &v))
		return n < 12 ? BEYOND : BAD;
	*size = (size_t)(q - p);
	if (p[0] == RBT_REPEAT_SAMPLE)
		return NEUTRAL;
	if (how == LOOSE || idmap_get(&rd->defs.stacks, v) != IDMAP_NONE)
		return WEAK;
	return v < rd->defs.stacks.n_set + UNSEEN ? NEUTRAL : BAD;
}

/*
 * Follows events from p[at]. Returns 1 when they prove that p[at] is an event.
 * A chain cannot begin with an event that needs something from the gap: a
 * sample before it, or the definition of its stack.
 */
static int
follow_chain(const struct rbt_reader *rd, const uint8_t *p, size_t n, size_t at,
    int is_all, struct chain *c)
{
	size_t size = 0;
	int score = 0, verdict;

	for (c->n = 0; c->n < MAX_CHAIN && score < PROOF; at += size) {
		if (at == n)
			return 0; /* the end of a cut file proves nothing */
		if (c->n > 0 && rbt_is_header(p + at, n - at))
			return 1;
		verdict = judge_event(rd, p + at, n - at, is_all ? ALL : SOME,
		    &size);
		if (verdict == BEYOND)
			return !is_all && score >= PROOF / 2;
		if (verdict == BAD || (c->n == 0 && (verdict == NEUTRAL ||
		    p[at] == RBT_SAMPLE_ANNOTATION)))
			return 0;
		/* An end of segment is two bytes: chance, if it is alone. */
		if (p[at] == RBT_SEGMENT_END && c->n > 0)
			return 1;
		c->at[c->n++] = at;
		score += weight[verdict];
	}
	return score >= PROOF;
}

/* The first event that both chains have, or 0. */
static size_t
chains_meet(const struct chain *a, const struct chain *b)
{
	size_t i = 0, k = 0;

	while (i < a->n && k < b->n) {
		if (a->at[i] == b->at[k])
			return a->at[i];
		if (a->at[i] < b->at[k])
			i++;
		else
			k++;
	}
	return 0;
}

/* Returns the place near `at` that all good places agree on. */
static size_t
agreed_place(const struct rbt_reader *rd, const uint8_t *p, size_t n, size_t at,
    int is_all, const struct chain *first)
{
	struct chain rival;
	size_t end = n - at < RIVALS ? n : at + RIVALS, best = at, q;

	for (q = at + 1; q < end; q++) {
		if (rbt_is_header(p + q, n - q))
			break;
		if (follow_chain(rd, p, n, q, is_all, &rival)) {
			size_t common = chains_meet(first, &rival);

			/* q itself: no rival, but part of the chain. */
			if (common != q && common > best)
				best = common;
		}
	}
	return best;
}

size_t
rbt_resync(const struct rbt_reader *rd, const uint8_t *p, size_t n,
    size_t end, int is_all)
{
	struct chain c;
	size_t at;

	for (at = 1; at < end; at++) {
		if (p[at] == RBT_RESERVED && rbt_is_header(p + at, n - at))
			return at;
		if (rd->in_segment && is_event_type(p[at]) &&
		    follow_chain(rd, p, n, at, is_all, &c))
			return agreed_place(rd, p, n, at, is_all, &c);
	}
	return 0;
}

/* Counts events by form from p on, at most `most`, up to something that is no
 * event or of an unknown type. */
static int
count_forms(const struct rbt_reader *rd, const uint8_t *p, size_t n, int most)
{
	size_t size = 0;
	int count, verdict;

	for (count = 0; count < most && n > 0; count++) {
		verdict = judge_event(rd, p, n, LOOSE, &size);
		if (verdict == BAD || verdict == BEYOND)
			break;
		p += size;
		n -= size;
	}
	return count;
}

int
rbt_holds_header(const struct rbt_reader *rd, const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;

	while (end - p > RBT_HEADER) {
		p = memchr(p, RBT_MAGIC[0], (size_t)(end - p));
		if (p == NULL)
			return 0;
		if (has_clean_header(p, (size_t)(end - p)) &&
		    count_forms(rd, p + RBT_HEADER, (size_t)(end - p) -
		        RBT_HEADER, SWALLOWED) == SWALLOWED)
			return 1;
		p++;
	}
	return 0;
}

int
rbt_is_in_step(const struct rbt_reader *rd, const uint8_t *p, size_t n)
{
	size_t size;

	/* Uses no more bytes than are surely in the window, so that the answer
	 * does not depend on how the bytes arrived. */
	if (n > RBT_AHEAD)
		n = RBT_AHEAD;
	return n == 0 || has_clean_header(p, n) ||
	    judge_event(rd, p, n, LOOSE, &size) != BAD;
}
