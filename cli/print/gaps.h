/* Gaps (damage that was skipped) in words, for recover, verify and info. */
#ifndef CLI_GAPS_H
#define CLI_GAPS_H

#include <stdio.h>

#include <bobbin/model.h>

#include "json.h"

/* Prints a line: `NAME: WHY; 12 bytes from byte 100 passed over, at least 3
 * samples lost, outer frames of 8 samples`. */
void gap_print(FILE *f, const char *input, const struct bob_gap *gap);

/* The same as a JSON object. */
void gap_json(struct json *j, const char *input,
    const struct bob_gap *gap);

#endif
