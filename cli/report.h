/* Gaps in words, as recover, verify and info report them. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stdio.h>

#include <bobbin/model.h>

#include "json.h"

/* `NAME: WHY; 12 bytes passed over, at least 3 samples lost, outer frames of 8
 * samples`, a line. */
void report_gap(FILE *f, const char *input, const struct bob_gap *gap);

/* The same as an object. */
void report_gap_json(struct json *j, const char *input,
    const struct bob_gap *gap);

#endif
