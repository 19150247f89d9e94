/*
 * Samples: the hot loops and the careful functions behind them. A sample that
 * the hot loops leave alone is decoded by read.c and arrives here one by one;
 * both ways give the same result, which the tests compare.
 */
#include <stdlib.h>
#include <string.h>

#include "core/varint.h"
#include "format/rbt/read.h"

/* The longest thing one round of a hot loop looks at: UNROLL compact samples
 * with ids of two bytes. */
#define UNROLL 8
#define SLACK (UNROLL * 3)

static inline uint32_t
load16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

/* Whether the compact sample at p has an id of two bytes. Its size depends on
 * this bit by arithmetic, not by a branch: ids of one and two bytes mix in
 * most traces, and a mispredicted branch costs more than the sample. */
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

/* One run for each sample, with REPEATs joined. */
static const uint8_t *
fast_runs(struct rbt_reader *rd, const uint8_t *p, const uint8_t *end)
{
	static const struct bob_run plain = { .count = 1 };
	const struct rbt_stack *stack = rd->defs.stack;
	struct bob_run *run = rd->run;
	size_t n = rd->n_run;
	uint64_t n_samples = 0;
	uint32_t slot, id;

	while (end - p >= SLACK) {
		if (p[0] == RBT_COMPACT_SAMPLE) {
			id = load16(p + 1);
			slot = rd->hot[id];
			if (slot == 0 || n == RBT_BATCH)
				break;
			run[n] = plain;
			run[n++].stack = stack[slot - 1].stack;
			rd->last = RBT_LAST_RUN;
			n_samples++;
			p += 2 + is_long(id);
		} else if (p[0] == RBT_REPEAT_SAMPLE && p[1] < 0x80 &&
		    (rd->last & RBT_LAST_RUN) != 0) {
			run[n - 1].count = count_add(run[n - 1].count, p[1]);
			rd->last |= RBT_LAST_REPEATED;
			n_samples += p[1];
			p += 2;
		} else {
			break;
		}
	}
	rd->n_run = n;
	rd->n_samples = count_add(rd->n_samples, n_samples);
	return p;
}

const uint8_t *
rbt_fast(struct rbt_reader *rd, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *stop;

	if (!rd->sums)
		return fast_runs(rd, p, end);
	stop = fast_sums(rd, p, end);
	rd->has_sums |= stop != p;
	return stop;
}

/* A new newest run; read.c saw to it that there is room. */
static void
push_run(struct rbt_reader *rd, bob_stack stack, bob_tid track)
{
	struct bob_run *run = &rd->run[rd->n_run++];

	*run = (struct bob_run){ .count = 1, .stack = stack, .track = track };
	rd->last = RBT_LAST_RUN;
	rd->n_samples = count_add(rd->n_samples, 1);
}

/* Room in the sums for every entry of the definitions. */
static int
grow_sums(struct rbt_reader *rd)
{
	size_t need = rd->defs.n_stack + 1;

	if (need <= rd->n_sum)
		return BOB_OK;
	if (MEM_GROW(rd->src->ctx, rd, sum, need) < 0)
		return BOB_FATAL;
	memset(rd->sum + rd->n_sum, 0, (need - rd->n_sum) * sizeof(*rd->sum));
	rd->n_sum = need;
	return BOB_OK;
}

int
rbt_add_sample(struct rbt_reader *rd, uint64_t id)
{
	uint32_t entry;
	int r = defs_resolve(&rd->defs, id, &entry);

	if (r < 0)
		return r;
	if (!rd->sums) {
		push_run(rd, rd->defs.stack[entry].stack, 0);
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
	uint32_t entry;
	int r;

	if ((rd->src->want & BOB_WANT_TRACKS) == 0)
		return rbt_add_sample(rd, id);
	r = defs_resolve(&rd->defs, id, &entry);
	if (r < 0)
		return r;
	if (rd->track == 0 || rd->track_number != number) {
		r = defs_track(&rd->defs, number, &rd->track);
		if (r < 0)
			return r;
		rd->track_number = number;
	}
	push_run(rd, rd->defs.stack[entry].stack, rd->track);
	return BOB_OK;
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
	if (rd->last == RBT_LAST_NONE || (rd->last & RBT_LAST_REPEATED) != 0)
		return BOB_FAILED;
	if ((rd->last & RBT_LAST_RUN) != 0 &&
	    (rd->src->want & BOB_WANT_ANNOTATIONS) != 0)
		rd->run[rd->n_run - 1].annot = annot;
	return BOB_OK;
}

#define HOT_IDS (1u << 14)

/* The types of event that the hot loops expect behind a compact sample. */
static const uint8_t next_type[] = { RBT_FRAME_DEF, RBT_STACK_DEF,
	RBT_CHECKPOINT, RBT_METADATA, RBT_COMPACT_SAMPLE, RBT_REPEAT_SAMPLE,
	RBT_STRING_DEF, RBT_SAMPLE_ANNOTATION };

/* Enters a slot under the bytes of an id, as read.h explains. */
static void
set_hot(struct rbt_reader *rd, uint64_t id, uint32_t slot)
{
	size_t i;

	if (id >= 0x80) {
		rd->hot[(id & 0x7f) | 0x80 | id >> 7 << 8] = slot;
		return;
	}
	for (i = 0; i < sizeof(next_type); i++)
		rd->hot[id | (size_t)next_type[i] << 8] = slot;
}

int
rbt_heat(struct rbt_reader *rd, uint64_t id)
{
	const struct rbt_defs *d = &rd->defs;
	uint32_t entry = idmap_get(&d->stacks, id);

	/* rbt_cool finds the ids below `top`; far-off ones stay cold. */
	if (id >= HOT_IDS || id >= d->stacks.top || defs_are_fluid(d))
		return BOB_OK;
	if (rd->sums && grow_sums(rd) < 0)
		return BOB_FATAL;
	set_hot(rd, id, d->stack[entry].generation == d->generation ?
	    entry + 1 : 0);
	return BOB_OK;
}

void
rbt_cool(struct rbt_reader *rd)
{
	size_t top = rd->defs.stacks.top, i;

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
