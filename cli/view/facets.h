/*
 * What samples of a selection differ in besides their stacks and threads: their
 * annotations.
 *
 * Fields: samples, facets (a list of key, n_values, and values, the heaviest
 * first: each with value and samples). A facet that is selected (`annot`) is
 * shown as if it was not, so that another value can be chosen. Keys and values
 * that a parameter cannot have are left out; n_values counts them.
 */
#ifndef CLI_VIEW_FACETS_H
#define CLI_VIEW_FACETS_H

#include "answers.h"

/* Keys, and values of one, in an answer. Values that are request ids are as
 * many as requests. */
#define FACETS_KEYS 16
#define FACETS_VALUES 60

/* Bytes of a key or value. */
#define FACETS_TEXT 2048

answer_fn answer_facets;

#endif
