/*
 * All samples of a trace in order, as runs of equal samples. Two traces have
 * the same content if their listings are equal, however their writers cut or
 * joined runs.
 */
#ifndef UNIT_LISTING_H
#define UNIT_LISTING_H

#include "support.h"

struct listed {
	uint64_t count;
	uint64_t segment, period, t;
	bob_stack stack;
	bob_tid track;
	bob_annot annot;
	int is_timed;
};

struct listing {
	struct listed *v;
	size_t n, cap;
	uint64_t n_samples;
	struct buf meta; /* segment, key and value of each, as text */
};

/*
 * Reads to the end and closes the reader; ids are those of its dictionary,
 * so listings compare when their readers share one. Returns how reading
 * ended: BOB_EOF, or the error. Gaps are not errors.
 */
int listing_read(struct listing *l, struct bob_reader *in);

/* Everything that the first n samples are. */
void listing_cut(struct listing *l, uint64_t n);

/* The same samples, and the same metadata. */
void assert_listings(const struct listing *got, const struct listing *want);

/* 1 when `part` is what `whole` begins with, metadata aside. */
int listing_begins_with(const struct listing *whole,
    const struct listing *part);

void listing_free(struct listing *l);

#endif
