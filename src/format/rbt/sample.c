/*
 * Samples: the hot loops, and the careful functions for all other samples. A
 * sample that the hot loops leave alone is decoded by read.c and comes here one
 * by one. Both ways give the same result, which the tests compare.
 */
#include <stdlib.h>
#include <string.h>

#include "core/varint.h"
#include "format/rbt/read.h"

/* The longest thing one round of a hot loop looks at: UNROLL compact samples
 * with ids of two bytes, or a sample with a length of up to FAST_PAYLOAD, and
 * a number that may begin before its end. */
#define UNROLL 8
#define FAST_PAYLOAD 16 /* no header fits in it: see rbt_holds_header */
#define SLACK (UNROLL * 3)

_Static_assert(FAST_PAYLOAD <= RBT_HEADER, "recovery looks for headers");
_Static_assert(SLACK >= 2 + FAST_PAYLOAD + 4, "numbers are read whole");

static inline uint32_t
load16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

/* Returns 1 when the compact sample at p has an id of two bytes. Its size
 * depends on this bit by arithmetic, not by a branch: ids of one and two bytes
 * mix in most traces, and a mispredicted branch costs more than the sample. */
static inline uint32_t
is_long(uint32_t id)
{
	return id >> 7 & 1;
}

/* Counts only. About 10 instructions for each compact sample. */
static const uint8_t *
fast_sums(struct rbt_reader *rd, const uint8_t *p, const uint8_t *end)
{
	const uint32_t *hot = rd->hot;
	uint64_t *sum = rd->sum;
	uint64_t last = rd->last, n = 0;
	uint32_t slot, id;
	unsigned k;

	while (end - p >= SLACK) {
#pragma GCC unroll 8
		for (k = 0; k < UNROLL; k++) {
			if (p[0] != RBT_COMPACT_SAMPLE)
				goto other;
			id = load16(p + 1);
			slot = hot[id];
			if (slot == 0)
				goto other;
			p += 2 + is_long(id);
			sum[slot]++;
			last = slot;
		}
		n += UNROLL;
		continue;
other:
		/* Keeps the compiler from loading the type into a register
		 * for use here: comparing it in place saves an instruction
		 * for each sample. */
		__asm__("" : "+r"(p));
		n += k;
		/* A sum grows by at most 127 for 2 bytes of input, so it
		 * cannot get from BOB_MAX_COUNT to a wrap. */
		if (p[0] != RBT_REPEAT_SAMPLE || p[1] >= 0x80 ||
		    (uint32_t)last == 0)
			break;
		sum[(uint32_t)last] += p[1];
		n += p[1];
		last |= RBT_LAST_REPEATED;
		p += 2;
	}
	rd->last = last;
	rd->n_samples = count_add(rd->n_samples, n);
	return p;
}

/* True when samples may have the annotations of samples before them. */
static inline int
carries(const struct rbt_reader *rd)
{
	return rd->defs.changes.is_on &&
	    (rd->src->want & BOB_WANT_ANNOTATIONS) != 0;
}

static const struct bob_run one_sample = { .count = 1 };

/*
 * Decodes a varint at p, where 4 bytes can be read. Returns its size and sets
 * *ret; 0: it is longer. There is no branch on the size, which differs from
 * sample to sample.
 */
static inline uint32_t
short_varint(const uint8_t *p, uint32_t *ret)
{
	uint32_t v = load16(p) | load16(p + 2) << 16;
	uint32_t stop = ~v & 0x80808080u;

	/* All bits up to the first byte that ends it. */
	v &= stop ^ (stop - 1);
	*ret = (v & 0x7f) | (v >> 1 & 0x3f80) | (v >> 2 & 0x1fc000) |
	    (v >> 3 & 0xfe00000);
	return stop == 0 ? 0 : (uint32_t)__builtin_ctz(stop) / 8 + 1;
}

/* Returns the stack + 1 of an id that the hot loops know, or 0. */
static inline uint32_t
far_stack(const struct rbt_reader *rd, uint32_t id)
{
	return id < rd->n_far ? rd->far[id] : 0;
}

/* Decodes a sample with a pid or a time, as event.c does. Returns its end, or
 * NULL when it is not short and simple. */
static inline const uint8_t *
fast_delimited(struct rbt_reader *rd, const uint8_t *p, struct bob_run *run)
{
	const uint8_t *end = p + 2 + p[1], *q = p + 2;
	int has_pid = p[0] == RBT_PID_SAMPLE;
	uint32_t id, number = 0, delta = 0, n, stack, track = 0;

	if (p[1] > FAST_PAYLOAD || (n = short_varint(q, &id)) == 0)
		return NULL;
	q += n;
	stack = far_stack(rd, id);
	if (has_pid) {
		if ((n = short_varint(q, &number)) == 0)
			return NULL;
		q += n;
		rd->defs.changes.number = number;
		if ((rd->src->want & BOB_WANT_TRACKS) != 0 &&
		    (track = rbt_known_track(rd, number)) == 0)
			return NULL;
	}
	if (rd->is_timed && q < end) {
		if ((n = short_varint(q, &delta)) == 0)
			return NULL;
		q += n;
		run->flags = BOB_RUN_TIMED;
	}
	if (stack == 0 || q > end)
		return NULL;
	run->stack = stack - 1;
	run->track = track;
	rd->time += delta;
	if (run->flags != 0)
		run->t_first = run->t_last = rd->time;
	return end;
}

/* Decodes a run at p that hot[] does not know. Returns its end, or NULL when it
 * is none for a hot loop. */
static const uint8_t *
fast_other(struct rbt_reader *rd, const uint8_t *p, struct bob_run *run)
{
	uint32_t id, n, stack;

	*run = one_sample;
	if (p[0] == RBT_PID_SAMPLE || p[0] == RBT_SAMPLE)
		return fast_delimited(rd, p, run);
	if (p[0] != RBT_COMPACT_SAMPLE)
		return NULL;
	n = short_varint(p + 1, &id);
	stack = far_stack(rd, id);
	if (n == 0 || stack == 0)
		return NULL;
	run->stack = stack - 1;
	return p + 1 + n;
}

/* One run for each sample, with REPEATs joined. */
static const uint8_t *
fast_runs(struct rbt_reader *rd, const uint8_t *p, const uint8_t *end)
{
	const uint32_t *hot = rd->hot;
	struct bob_run *run = rd->run;
	size_t n = rd->n_run;
	uint64_t n_samples = 0;
	const uint8_t *next;
	uint32_t id, stack;

	while (end - p >= SLACK) {
		id = load16(p + 1);
		if (p[0] == RBT_COMPACT_SAMPLE && (stack = hot[id]) != 0) {
			if (n == RBT_BATCH)
				break;
			run[n] = one_sample;
			run[n].stack = stack - 1;
			next = p + 2 + is_long(id);
		} else if (p[0] == RBT_REPEAT_SAMPLE) {
			if (p[1] >= 0x80 || (rd->last & RBT_LAST_RUN) == 0)
				break;
			run[n - 1].count = count_add(run[n - 1].count, p[1]);
			rd->last |= RBT_LAST_REPEATED;
			n_samples += p[1];
			p += 2;
			continue;
		} else if (n == RBT_BATCH ||
		    (next = fast_other(rd, p, &run[n])) == NULL) {
			break;
		}
		rd->last = RBT_LAST_RUN;
		n_samples++;
		n++;
		p = next;
	}
	rd->n_run = n;
	rd->n_samples = count_add(rd->n_samples, n_samples);
	return p;
}

/* The same where a sample may have the annotations of one before it. */
static const uint8_t *
fast_changes(struct rbt_reader *rd, const uint8_t *p, const uint8_t *end)
{
	struct rbt_changes *c = &rd->defs.changes;
	size_t n = rd->n_run;
	const uint8_t *next;

	for (; end - p >= SLACK && n < RBT_BATCH; p = next, n++) {
		next = fast_other(rd, p, &rd->run[n]);
		if (next == NULL)
			break;
		rd->run[n].annot = p[0] == RBT_PID_SAMPLE ?
		    rbt_changes_of(c, c->number) : rbt_changes_plain(c);
		rd->last = RBT_LAST_RUN;
	}
	rd->n_samples = count_add(rd->n_samples, n - rd->n_run);
	rd->n_run = n;
	return p;
}

const uint8_t *
rbt_fast(struct rbt_reader *rd, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *stop;

	if (!rd->sums)
		return carries(rd) ? fast_changes(rd, p, end) :
		    fast_runs(rd, p, end);
	stop = fast_sums(rd, p, end);
	rd->has_sums |= stop != p;
	return stop;
}

/* Begins a new run; read.c has made sure that there is room. */
static struct bob_run *
push_run(struct rbt_reader *rd, bob_stack stack, bob_tid track)
{
	struct bob_run *run = &rd->run[rd->n_run++];

	*run = (struct bob_run){ .count = 1, .stack = stack, .track = track };
	rd->last = RBT_LAST_RUN;
	rd->n_samples = count_add(rd->n_samples, 1);
	return run;
}

/* Room in the sums for every entry of the definitions. */
static int
grow_sums(struct rbt_reader *rd)
{
	size_t need = rd->defs.n_stack + 1;

	if (need <= rd->n_sum)
		return BOB_OK;
	if (MEM_TAKE(rd->src->ctx, rd, sum, need) < 0)
		return BOB_FATAL;
	memset(rd->sum + rd->n_sum, 0, (need - rd->n_sum) * sizeof(*rd->sum));
	rd->n_sum = need;
	return BOB_OK;
}

int
rbt_add_sample(struct rbt_reader *rd, uint64_t id)
{
	struct bob_run *run;
	uint32_t entry;
	int r = defs_resolve(&rd->defs, id, &entry);

	if (r < 0)
		return r;
	if (!rd->sums) {
		run = push_run(rd, rd->defs.stack[entry].stack, 0);
		if (carries(rd))
			run->annot = rbt_changes_plain(&rd->defs.changes);
		return BOB_OK;
	}
	if (grow_sums(rd) < 0)
		return BOB_FATAL;
	rd->sum[(size_t)entry + 1]++;
	rd->has_sums = 1;
	rd->last = (uint64_t)entry + 1;
	rd->n_samples = count_add(rd->n_samples, 1);
	return BOB_OK;
}

int
rbt_add_pid_sample(struct rbt_reader *rd, uint64_t id, uint64_t number)
{
	struct rbt_track *t = &rd->track[number % RBT_TRACKS];
	struct bob_run *run;
	uint32_t entry;
	int r;

	if ((rd->src->want & BOB_WANT_TRACKS) == 0) {
		r = rbt_add_sample(rd, id);
		if (r == BOB_OK && carries(rd))
			rd->run[rd->n_run - 1].annot =
			    rbt_changes_of(&rd->defs.changes, number);
		return r;
	}
	r = defs_resolve(&rd->defs, id, &entry);
	if (r < 0)
		return r;
	if (t->track == 0 || t->number != number) {
		r = defs_track(&rd->defs, number, &t->track);
		if (r < 0)
			return r;
		t->number = number;
	}
	run = push_run(rd, rd->defs.stack[entry].stack, t->track);
	if (carries(rd))
		run->annot = rbt_changes_of(&rd->defs.changes, number);
	return BOB_OK;
}

void
rbt_forget_tracks(struct rbt_reader *rd)
{
	memset(rd->track, 0, sizeof(rd->track));
}

int
rbt_repeat(struct rbt_reader *rd, uint64_t count)
{
	int is_run = (rd->last & RBT_LAST_RUN) != 0;
	uint64_t *to;

	if (rd->last == RBT_LAST_NONE)
		return BOB_FAILED;
	if ((int64_t)count > 0) {
		to = is_run ? &rd->run[rd->n_run - 1].count :
		    &rd->sum[(uint32_t)rd->last];
		*to = count_add(*to, count);
		rd->has_sums |= !is_run;
		rd->n_samples = count_add(rd->n_samples, count);
	}
	rd->last |= RBT_LAST_REPEATED;
	return BOB_OK;
}

int
rbt_annotate(struct rbt_reader *rd, bob_annot annot)
{
	size_t n;

	if (rd->last == RBT_LAST_NONE || (rd->last & RBT_LAST_REPEATED) != 0)
		return BOB_FAILED;
	if ((rd->last & RBT_LAST_RUN) == 0 ||
	    (rd->src->want & BOB_WANT_ANNOTATIONS) == 0)
		return BOB_OK;
	if (!carries(rd)) {
		rd->run[rd->n_run - 1].annot = annot;
		return BOB_OK;
	}
	(void)bob_annot_get(rd->src->dict, annot, &n);
	if (n == 0)
		annot = 0;
	rd->run[rd->n_run - 1].annot = annot;
	return rbt_changes_set(rd->src->ctx, &rd->defs.changes, annot);
}

#define HOT_IDS (1u << 14)

/* The types of event that the hot loops expect behind a compact sample. */
static const uint8_t next_type[] = { RBT_FRAME_DEF, RBT_STACK_DEF,
	RBT_CHECKPOINT, RBT_METADATA, RBT_COMPACT_SAMPLE, RBT_REPEAT_SAMPLE,
	RBT_STRING_DEF, RBT_SAMPLE_ANNOTATION };

/* Enters a value under the bytes of an id, as read.h explains. */
static void
set_hot(struct rbt_reader *rd, uint64_t id, uint32_t value)
{
	size_t i;

	if (id >= 0x80) {
		rd->hot[(id & 0x7f) | 0x80 | id >> 7 << 8] = value;
		return;
	}
	for (i = 0; i < sizeof(next_type); i++)
		rd->hot[id | (size_t)next_type[i] << 8] = value;
}

/* Room in rd->far for an id. */
static int
grow_far(struct rbt_reader *rd, uint64_t id)
{
	size_t n = rd->n_far;

	if (id < n)
		return BOB_OK;
	if (MEM_TAKE(rd->src->ctx, rd, far, (size_t)id + 1) < 0)
		return BOB_FATAL;
	rd->n_far = rd->cap_far;
	memset(rd->far + n, 0, (rd->n_far - n) * sizeof(*rd->far));
	return BOB_OK;
}

int
rbt_heat(struct rbt_reader *rd, uint64_t id)
{
	const struct rbt_defs *d = &rd->defs;
	uint32_t entry = idmap_get(&d->stacks, id), value = 0;

	/* rbt_cool finds the ids below `top`; far-off ones stay cold. */
	if (id >= d->stacks.top || defs_are_fluid(d))
		return BOB_OK;
	if (d->stack[entry].generation == d->generation)
		value = rd->sums ? entry + 1 : d->stack[entry].stack + 1;
	if (rd->sums ? grow_sums(rd) < 0 : grow_far(rd, id) < 0)
		return BOB_FATAL;
	if (!rd->sums)
		rd->far[id] = value;
	if (id < HOT_IDS)
		set_hot(rd, id, value);
	return BOB_OK;
}

void
rbt_cool(struct rbt_reader *rd)
{
	size_t top = rd->defs.stacks.top, i;

	if (rd->n_far > 0)
		memset(rd->far, 0, (top < rd->n_far ? top : rd->n_far) *
		    sizeof(*rd->far));
	if (top > HOT_IDS)
		top = HOT_IDS;
	for (i = 0; i < top; i++)
		set_hot(rd, i, 0);
}

int
rbt_drain(struct rbt_reader *rd)
{
	for (; rd->n_drained < rd->n_sum; rd->n_drained++) {
		uint64_t *sum = &rd->sum[rd->n_drained];

		if (*sum == 0)
			continue;
		if (rd->n_run == RBT_BATCH)
			return 1;
		rd->run[rd->n_run++] = (struct bob_run){
			.count = *sum > BOB_MAX_COUNT ? BOB_MAX_COUNT : *sum,
			.stack = rd->defs.stack[rd->n_drained - 1].stack };
		*sum = 0;
	}
	rd->n_drained = 0;
	rd->has_sums = 0;
	return 0;
}
