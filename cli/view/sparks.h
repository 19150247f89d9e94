/*
 * Small time lines of rows of a table: when their samples were. `keys` has the
 * numbers of keys, with commas.
 *
 * Fields: parts (of equal length, in the whole time line), sparks (a flat list:
 * the samples of each part, for one key after the other).
 */
#ifndef CLI_VIEW_SPARKS_H
#define CLI_VIEW_SPARKS_H

#include "answers.h"

#define SPARK_PARTS 48
#define SPARK_KEYS 128

answer_fn answer_sparks;

#endif
