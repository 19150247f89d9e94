/*
 * The selection as a trace of any format. The profile has sums only, so the
 * inputs are read again, and what the selection keeps is written to a temporary
 * file. For the server alone: a page that is a file has texts.h.
 */
#ifndef CLI_VIEW_SAVE_H
#define CLI_VIEW_SAVE_H

#include <stddef.h>
#include <stdio.h>

#include "ask.h"

/*
 * Writes what a request selects (selection.h). Returns 0 and sets *ret, which
 * the caller closes, and its size; -1 with the reason in err (n bytes): a
 * parameter or the format is wrong, the inputs cannot be read again, or they
 * are not any more what the page shows.
 */
int save_selection(const struct view *v, const struct request *rq,
    const char *format, FILE **ret, size_t *ret_size, char *err, size_t n);

/* Answers which formats there are: `formats`, a list of name, suffix and
 * summary; empty if the inputs cannot be read again. Returns 1; -1 without
 * memory. */
int save_formats(const struct view *v, struct answer *ret);

#endif
