/* What the files of the model share, and nobody else uses. */
#ifndef EXPLORE_MODEL_INSIDE_H
#define EXPLORE_MODEL_INSIDE_H

#include "model.h"

/* Makes new views for the query. With is_regrouped, the grouping has changed,
 * and focus and cursor are looked up by name. Returns 0; -1 if it fails: the
 * old views stay, and the status says why. */
int model_rebuild(struct model *m, int is_regrouped);

/* Sets *f to the filter of the query, which borrows from the model; with_range:
 * with the selected range of time. */
void model_filter_of(const struct model *m, int with_range,
    struct bob_filter *f);

/* Sets the totals; to be called when the unit or the views changed. */
void model_weigh(struct model *m);

/* Marks what was made from the views, or from the focus, as stale. */
void model_forget(struct model *m);
void model_forget_focus(struct model *m);

/* Selects a key in the table, tree or flame that has the keyboard. */
void model_seek(struct model *m, uint32_t key);

/* Adds this place to the history; goes back to the last. */
void model_push(struct model *m);
void model_pop(struct model *m);

/* Moves the rows with a significant change before the others. */
void model_significant_first(struct model *m, struct table *t, int by_self);

/* Shows the source file of a key. */
void model_open_source(struct model *m, uint32_t key);

#endif
