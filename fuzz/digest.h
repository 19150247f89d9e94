/*
 * A trace as numbers that can be compared. Two readers of the same bytes must
 * agree on them, whatever ids they gave and however they cut their runs. A
 * broken promise ends the program, which is what a fuzzer sees. Two more
 * promises: the bytes of the input bound memory, events and work; and
 * everything that was counted against the limits of the context is given back.
 */
#ifndef FUZZ_DIGEST_H
#define FUZZ_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/bobbin.h>

/* Aborts with file and line if a condition does not hold. */
#define PROMISE(cond)                                                        \
	((cond) ? (void)0 : promise_broken(__FILE__, __LINE__, #cond))

void promise_broken(const char *file, int line, const char *what);

/* The samples of one stack in one segment. */
struct digest_weight {
	uint64_t segment, stack; /* stack: a hash of its frames */
	uint64_t count;
};

struct digest {
	int status, code; /* how it ended */
	uint64_t offset;  /* of the error; BOB_NO_OFFSET without one */
	int is_incomplete;
	uint64_t n_warnings; /* of the context, as of bytes that are ignored */
	uint64_t n_bytes; /* unpacked */
	uint64_t n_segments, n_samples, n_lost, n_gaps, n_events;
	uint64_t memory; /* the most that its context held */
	uint64_t first_gap; /* offset of the first one; truncation is none */
	uint64_t gaps_end;  /* behind the last one */
	uint64_t segments; /* hash: periods and flags, in order */
	uint64_t order; /* hash: every fact of every sample, in order */
	uint64_t marks; /* hash: metadata and unknown events, in order */
	struct digest_weight *weight; /* sorted, no two alike */
	size_t n_weight, cap_weight;
	/* The sample run that is being counted for `order`. */
	uint64_t key, count;
};

/* How to read. */
struct digest_how {
	uint32_t want;  /* enum bob_want; 0: all */
	uint32_t flags; /* enum bob_read_flags */
	const char *format; /* NULL: rbt */
	int has_loose_gaps; /* in any order, and where bytes are missing */
	int trickle;    /* a byte at a time, with AGAIN between them */
	struct bob_writer *copy_to; /* hand everything on, unless NULL */
	struct bob_dict *dict;      /* its dictionary */
};

/* Reads bytes to their end or to their first error. */
void digest_read(struct digest *t, const uint8_t *p, size_t n,
    const struct digest_how *how);
void digest_done(struct digest *t);

/* Aborts unless both hold the same samples; digest_must_be_ordered_alike: in
 * the same order and with the same facts. */
void digest_must_weigh_alike(const struct digest *a, const struct digest *b);
void digest_must_be_ordered_alike(const struct digest *a,
    const struct digest *b);

/* Aborts unless both ended in the same way at the same place. */
void digest_must_end_alike(const struct digest *a, const struct digest *b);

/* Ways to read the same bytes. */
#define DIGEST_WAYS 4

/* Reads the bytes strictly in all ways. All must end alike, without gaps.
 * how[1] must give the same samples in the same order as how[0]; the others
 * must give the same sums. */
void digest_must_agree(const uint8_t *p, size_t n,
    const struct digest_how how[DIGEST_WAYS]);

#endif
