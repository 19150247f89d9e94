/*
 * What a page has selected, from the parameters of a request to a filter and a
 * grouping. Parameters:
 *
 *   from, to    microseconds on the trace's clock
 *   pid, tid    numbers, several with commas
 *   match, hide patterns
 *   annot       lines "key=value" or "key": only samples that have all of them
 *   shape       lines "focus GROUP TEXT", "hide GROUP TEXT", "collapse GROUP
 *               TEXT", "recursion": enum bob_shape_kind. GROUP as in `by`, TEXT
 *               is the id of a key
 *   base        "FROM-TO": of one input, what the selection is compared with
 *   by          as --group-by: line, name, function, file, class or module
 *   idle        0: without idle samples, 1: with them
 *   side        0 or 1; of two inputs, or with a base, 1 by default
 *
 * In a line, \\ stands for a backslash and \n for the end of a line.
 *
 * Two selections with the same text and side are equal.
 */
#ifndef CLI_VIEW_SELECTION_H
#define CLI_VIEW_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/filter.h>
#include <bobbin/profile.h>

#include "request.h"

/* Pids or threads in one selection. */
#define SELECTION_IDS 64

/* Lines of `annot`, and of `shape`. */
#define SELECTION_LINES 32

struct selection {
	struct bob_filter filter; /* points to the fields below */
	struct bob_filter base;   /* the same, with the base as its range */
	int has_base;
	uint64_t pid[SELECTION_IDS], tid[SELECTION_IDS];
	const char *annot[SELECTION_LINES];
	struct bob_shape shape[SELECTION_LINES];
	size_t n_shapes;
	int group; /* enum bob_group */
	int side;  /* what is shown: of the profile, or the base */
	char *text; /* all but the side, n_text bytes, with the patterns */
	size_t n_text;
	char *lines; /* of annot and shape */
};

/* The side of the profile, and the filter, of what is shown. */
int selection_side(const struct selection *s);
const struct bob_filter *selection_filter(const struct selection *s);

/* Of an input with n_sides sides; `idle` (enum bob_idle) holds if the request
 * says nothing about it. Returns 0; -1 with the reason in err (n bytes): then
 * nothing is to be freed. */
int selection_init(struct selection *s, const struct request *rq, int n_sides,
    int idle, char *err, size_t n);
void selection_done(struct selection *s);

#endif
