/* Adds and subtracts struct bob_capture_counts, field by field. */
#ifndef CAPTURE_SAMPLER_COUNTS_H
#define CAPTURE_SAMPLER_COUNTS_H

#include <bobbin/capture.h>

/* Adds `c` to `sum`. Sums saturate. */
void counts_add(struct bob_capture_counts *sum,
    const struct bob_capture_counts *c);

/* Subtracts `before` from `now`. */
void counts_subtract(struct bob_capture_counts *now,
    const struct bob_capture_counts *before);

#endif
