/*
 * Finds the zval of a variable: from its spec through tables, classes and
 * frames. What its address depends on is noted in the variable's deps.
 */
#ifndef CAPTURE_PHP_VARIABLES_LOCATE_H
#define CAPTURE_PHP_VARIABLES_LOCATE_H

#include "capture/php/variables/vars.h"

/* Returns the innermost frame of the function that the spec names, or NULL. */
const struct walk_memo *var_find_frame(const struct var *x,
    const struct walk *w);

/* Sets x->at and x->deps, for any scope but SPEC_MEMORY. Returns TABLE_OK,
 * TABLE_NONE or TABLE_TORN. */
int var_locate(struct vars *v, struct var *x, const struct walk *w);

#endif
