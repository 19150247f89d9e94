/*
 * Facets: processes, threads, status and annotations, each with its number of
 * samples in the whole profile. The user chooses some of them; together they
 * are a filter.
 *
 * A sample passes if it is of one of the chosen processes, of one of the chosen
 * threads, and has all chosen states and annotations. Of the annotations with
 * one key only one can be chosen.
 */
#ifndef EXPLORE_FACETS_H
#define EXPLORE_FACETS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/filter.h>
#include <bobbin/profile.h>

#include "tui/cursor.h"

/* Values of a kind that are listed; there may be a million request ids. */
#define FACETS_MAX 100

enum facet_kind {
	FACET_HEADING = 0, /* a line that cannot be chosen */
	FACET_PID,
	FACET_THREAD,
	FACET_STATUS,
	FACET_ANNOTATION
};

struct facet {
	int kind;
	uint64_t number;    /* pid, tid, bit of the status; of a heading: how
	                     * many values there are */
	int is_clear;       /* the bit of the status must be off */
	bob_str key, value; /* of an annotation */
	bob_str name;       /* of a thread, or 0 */
	uint64_t pid;       /* of a thread */
	uint64_t samples;
	int is_on;
	const char *label;  /* of headings and status */
};

struct facets {
	struct facet *facet;
	size_t n, cap;
	struct cursor c;
	int is_made;
	/* The chosen ones, for the filter. */
	uint64_t *pids, *tids;
	const char **pairs;
	size_t n_pids, n_tids, n_pairs;
	uint8_t status_set, status_clear;
};

/* Lists the facets of a profile, of samples with or without idle ones (enum
 * bob_idle); what is chosen stays chosen. Returns 0; -1 without memory. */
int facets_make(struct facets *f, struct bob_profile *p, int idle);
void facets_done(struct facets *f);

/* Chooses the facet of a line, or no longer. Returns 1 if something changed, 0
 * if not, -1 without memory. */
int facets_toggle(struct facets *f, struct bob_profile *p, size_t at);

/* The same for a facet that need not be listed. */
int facets_choose(struct facets *f, struct bob_profile *p,
    const struct facet *facet);

int facets_choose_pair(struct facets *f, struct bob_profile *p,
    const char *key, const char *value, size_t value_len);

/* Chooses nothing. */
void facets_clear(struct facets *f);

/* How many are chosen. */
size_t facets_count(const struct facets *f);

/* Sets what is chosen in a filter, which borrows it. */
void facets_filter(const struct facets *f, struct bob_filter *filter);

#endif
