/*
 * The selection as text for other programs, so that a page without a server can
 * save it too. Both answers have the field `text`, of at most TEXTS_MAX bytes,
 * and `samples`, those of the selection:
 *
 *   folded  a line for each stack of the flame graph and its samples, as
 *           docs/formats/folded.md; what a frame shows depends on `by`
 *   csv     a line for each row of the table, heaviest total first
 */
#ifndef CLI_VIEW_TEXTS_H
#define CLI_VIEW_TEXTS_H

#include "answers.h"

#define TEXTS_MAX (128 << 20)

answer_fn answer_folded, answer_csv;

#endif
