/*
 * What a page has selected, from the parameters of a request to a filter and a
 * grouping. Parameters:
 *
 *   from, to    microseconds on the trace's clock
 *   pid, tid    numbers, several with commas
 *   match, hide patterns
 *   by          as --group-by: line, name, function, file or module
 *   idle        0: without idle samples, 1: with them
 *   side        0 or 1; of two inputs that are compared, 1 by default
 *
 * Two selections with the same text and side are equal.
 */
#ifndef CLI_VIEW_SELECTION_H
#define CLI_VIEW_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/filter.h>

#include "request.h"

/* Pids or threads in one selection. */
#define SELECTION_IDS 64

struct selection {
	struct bob_filter filter; /* points to the fields below */
	uint64_t pid[SELECTION_IDS], tid[SELECTION_IDS];
	int group; /* enum bob_group */
	int side;
	char *text; /* all but the side, n_text bytes, with the patterns */
	size_t n_text;
};

/* Of an input with n_sides sides; `idle` (enum bob_idle) holds if the request
 * says nothing about it. Returns 0; -1 with the reason in err (n bytes): then
 * nothing is to be freed. */
int selection_init(struct selection *s, const struct request *rq, int n_sides,
    int idle, char *err, size_t n);
void selection_done(struct selection *s);

#endif
