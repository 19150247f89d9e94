/*
 * The lines of one source file and what was spent in them. The text of the file
 * is not here but in source.h, because a page that is a file has only figures.
 *
 * Parameters besides those of selection.h:
 *
 *   file   the id of a file, as in rows of by=file
 *   focus  without a file: the file of this key
 *   line   a line of the file
 *
 * Without a file and a focus it is the file with most self samples of all that
 * have lines.
 */
#ifndef CLI_VIEW_LISTING_H
#define CLI_VIEW_LISTING_H

#include <bobbin/model.h>

#include "answers.h"

/* Lines in one answer. */
#define LISTING_LINES 100000

/* Finds the file that the parameters name. Sets *ret to a frame of it, or to 0
 * if no frame has a file. Returns 0; -1 with the reason in err (n bytes). */
int listing_frame(struct view *v, const struct request *rq, bob_fid *ret,
    char *err, size_t n);

/*
 * listing: the file and the focus as keys, and for each line with samples its
 * sums and the functions that have it. The total of a
 * line counts a sample once, however many of its frames are there.
 */
answer_fn answer_listing;

/* callers: what calls the functions of a line, a row for each line of a caller.
 * Of each sample the innermost frame on the line counts. `key` is the heaviest
 * function of the line. */
answer_fn answer_callers;

#endif
