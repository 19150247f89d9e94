/*
 * Finding records again behind damage. A record begins with 12 bytes that name
 * its thread, so one of a thread that is known is hardly ever an accident;
 * two in a row are proof. Threads that are not known need more of them.
 *
 * The work is linear: what proofs may look at is bounded by what was read.
 */
#include "format/tach/number.h"
#include "format/tach/pairs.h"
#include "format/tach/read.h"

/* Bytes behind a place that should be there to prove it. */
#define PROOF ((size_t)64 << 10)

/* Bytes that proofs may look at, per byte read, and in any case. */
#define PROOF_RATE 8
#define PROOF_FREE ((uint64_t)1 << 20)

#define POINTS_KNOWN 3
#define POINTS_ENOUGH 6

/* Beyond that, pairs or frames of a record that are looked at. */
#define FEW 32

static int
is_broke(const struct tach_reader *rd)
{
	return rd->proof > PROOF_FREE + PROOF_RATE * tach_place(rd);
}

static int
thread_points(const struct tach_reader *rd, const uint8_t *p)
{
	uint64_t tid = tach_u64(p, rd->file.is_swapped);
	uint32_t interp = tach_u32(p + 8, rd->file.is_swapped);

	if (threads_find(&rd->threads, tid, interp) < rd->threads.n)
		return POINTS_KNOWN;
	/* A damaged record head may look like a thread. */
	if (rd->epoch > 0 && rd->has_header &&
	    rd->threads.n >= rd->file.head.n_threads)
		return 0;
	/* Kernel ids and addresses. */
	return tid >> 48 == 0 && interp >> 16 == 0;
}

/* Passes over the pairs of a REPEAT; TACH_NUMBER_*. */
static int
pass_pairs(struct tach_reader *rd, const uint8_t **p, const uint8_t *end)
{
	uint32_t count = 0;
	int r = tach_number32(p, end, &count);
	size_t n;

	if (r != TACH_NUMBER_OK)
		return r;
	/* No writer writes a REPEAT of 0 samples, but zeroed bytes look like
	 * one. */
	if (count == 0)
		return TACH_NUMBER_BAD;
	if (is_broke(rd)) {
		n = count < FEW ? count : FEW;
		if (pairs_plain(p, end, n, PAIRS_ANY_STATUS, NULL) < n)
			return TACH_NUMBER_BAD;
		return n == count ? TACH_NUMBER_OK : TACH_NUMBER_CUT;
	}
	n = pairs_take(p, end, count, PAIRS_ANY_STATUS, NULL);
	if (n == count)
		return TACH_NUMBER_OK;
	return end - *p > VARINT_MAX ? TACH_NUMBER_BAD : TACH_NUMBER_CUT;
}

/* The same for the rest of any record. */
static int
pass_record(struct tach_reader *rd, unsigned kind, const uint8_t **p,
    const uint8_t *end)
{
	uint64_t delta, limit = rd->is_nameless ? UINT32_MAX :
	    rd->tables.n_fid;
	uint32_t kept = 0, n_new = 0, index = 0, i;
	int r;

	if (kind == TACH_REPEAT)
		return pass_pairs(rd, p, end);
	r = tach_number(p, end, &delta);
	if (r != TACH_NUMBER_OK)
		return r;
	if (*p == end)
		return TACH_NUMBER_CUT;
	(*p)++;
	if (kind != TACH_FULL)
		r = tach_number32(p, end, &kept);
	if (r == TACH_NUMBER_OK)
		r = tach_number32(p, end, &n_new);
	if (r == TACH_NUMBER_OK && (kept > BOB_MAX_DEPTH ||
	    n_new > BOB_MAX_DEPTH))
		return TACH_NUMBER_BAD;
	for (i = 0; i < n_new && r == TACH_NUMBER_OK; i++) {
		if (i == FEW && is_broke(rd))
			return TACH_NUMBER_CUT;
		r = tach_number32(p, end, &index);
		if (r == TACH_NUMBER_OK && index >= limit)
			return TACH_NUMBER_BAD;
	}
	return r;
}

int
tach_is_chain(struct tach_reader *rd, const uint8_t *p, const uint8_t *end,
    int is_last)
{
	const uint8_t *start = p;
	int points = 0, more, r;

	do {
		/* Ending where the samples end is as good as a thread, when
		 * a header says where that is. A file that was never finished
		 * ends anywhere. */
		if (p == end)
			return is_last && rd->has_header && points > 0;
		if (end - p < TACH_RECORD)
			return !is_last && points >= POINTS_KNOWN;
		if (p[TACH_RECORD - 1] >= TACH_N_KINDS)
			return 0;
		more = thread_points(rd, p);
		if (more == 0)
			return 0;
		start = p;
		p += TACH_RECORD;
		r = pass_record(rd, start[TACH_RECORD - 1], &p, end);
		rd->proof += (uint64_t)(p - start);
		if (r == TACH_NUMBER_BAD)
			return 0;
		/* A record that goes beyond what can be seen. */
		if (r == TACH_NUMBER_CUT)
			return points + (is_last ? 0 : more) >= POINTS_KNOWN;
		points += more;
	} while (points < POINTS_ENOUGH);
	return 1;
}

static void
pass_over(struct tach_reader *rd, size_t n)
{
	in_consume(rd->in, n);
	rd->open.gap.length += n;
}

int
tach_search(struct tach_reader *rd)
{
	struct in *in = rd->in;
	const uint8_t *p;
	size_t n, i, stop;
	int r;

	for (;;) {
		r = in_peek(in, 2 * PROOF, &p, &n);
		if (r == BOB_FATAL)
			return r;
		rd->is_last = r == BOB_EOF;
		stop = rd->is_last ? n : n - PROOF;
		for (i = rd->is_fresh ? 0 : 1; i < stop; i++)
			if (tach_is_chain(rd, p + i, p + n, rd->is_last))
				break;
		rd->is_fresh = 1;
		if (i < stop || rd->is_last) {
			pass_over(rd, i < n ? i : n);
			if (i < stop)
				rd->open.gap.code = BOB_E_CORRUPT;
			break;
		}
		pass_over(rd, stop);
	}
	rd->is_searching = 0;
	return BOB_OK;
}
