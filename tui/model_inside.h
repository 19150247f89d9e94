/* What the files of the model share with each other alone. */
#ifndef TUI_MODEL_INSIDE_H
#define TUI_MODEL_INSIDE_H

#include "model.h"

/* Makes new views of the query. With is_regrouped, what rows are has changed,
 * and focus and cursor are looked for by name. 0, or -1: the status says why,
 * and the old views stay. */
int model_rebuild(struct model *m, int is_regrouped);

/* The filter of the query, borrowed; with or without its range of times. */
void model_filter_of(const struct model *m, int with_range,
    struct bob_filter *f);

/* The totals, after unit or views changed. */
void model_weigh(struct model *m);

/* What was made from the views, or from the focus, is stale. */
void model_forget(struct model *m);
void model_forget_focus(struct model *m);

/* Puts the cursor on a key, in what has the keyboard. */
void model_seek(struct model *m, uint32_t key);

/* Remembers where we are; goes back there. */
void model_push(struct model *m);
void model_pop(struct model *m);

/* Opens the source of a key. */
void model_open_source(struct model *m, uint32_t key);

#endif
