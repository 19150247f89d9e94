/*
 * What samples can be chosen by besides their frames: processes, threads,
 * status and annotations, each with how many samples it has in the whole
 * profile. What is chosen makes a filter.
 *
 * Of processes and threads any may hold; of annotations with one key one can
 * be chosen, and all chosen must hold.
 */
#ifndef TUI_FACETS_H
#define TUI_FACETS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/filter.h>
#include <bobbin/profile.h>

#include "table.h"

/* Values of one kind that are listed; there may be a million request ids. */
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
	uint64_t number;    /* pid or tid; heading: how many there are;
	                     * status: its bit, and */
	int is_clear;       /* ... whether the bit must be off */
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

/* Lists what there is. What is chosen stays so. 0, or -1 without memory. */
int facets_make(struct facets *f, struct bob_profile *p);
void facets_done(struct facets *f);

/* Chooses a line, or no longer. 1 when something changed; -1 without
 * memory. */
int facets_toggle(struct facets *f, struct bob_profile *p, size_t at);

/* Chooses a value that may not be listed. As facets_toggle. */
int facets_choose(struct facets *f, struct bob_profile *p,
    const struct facet *facet);

int facets_choose_pair(struct facets *f, struct bob_profile *p,
    const char *key, const char *value, size_t value_len);

/* Nothing is chosen any more. */
void facets_clear(struct facets *f);

/* How many are chosen. */
size_t facets_count(const struct facets *f);

/* Adds what is chosen to a filter, which borrows it. */
void facets_filter(const struct facets *f, struct bob_filter *filter);

#endif
