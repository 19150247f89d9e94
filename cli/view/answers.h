/*
 * The questions of the page, answered as JSON by the views of the profile. Each
 * takes the parameters of selection.h, and:
 *
 *   info
 *   rows      order=self|total
 *   timeline  focus
 *   flame     dir=callees|callers, focus, root (a node), px
 *   matched   (how much passes the selection's patterns)
 *   requests
 *   difference  order=self|total (of what the verdict is about)
 *   lanes, order  (order.h)
 *   bins          (bins.h)
 *   listing, callers (listing.h)
 *   folded, csv (texts.h)
 *   branches (branches.h), facets (facets.h), sparks (sparks.h)
 *
 * `focus` is the id of a key (question.h). Samples and times
 * are numbers; most shares are left to the page, so that they refer to what it
 * shows.
 */
#ifndef CLI_VIEW_ANSWERS_H
#define CLI_VIEW_ANSWERS_H

#include "print/json.h"
#include "view.h"

/* One answer: writes the fields of an object. Returns 0; -1 with the reason in
 * err (n bytes). */
typedef int answer_fn(struct view *v, const struct request *rq,
    struct json *j, char *err, size_t n);

/* The answer to a question; NULL if there is no such question. */
answer_fn *answer_find(const char *name);

#endif
