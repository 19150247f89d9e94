/*
 * Where a variable is: the way from a spec through tables, classes and frames
 * to its value. Each part of the way becomes a part of the variable's proof.
 */
#ifndef CAPTURE_PHP_VARFIND_H
#define CAPTURE_PHP_VARFIND_H

#include "capture/php/vars.h"

/* The innermost frame of the function that the spec names, or NULL. */
const struct walk_memo *varfind_frame(const struct var *x,
    const struct walk *w);

/* Sets x->at and x->proof, for any scope but SPEC_MEMORY: TABLE_OK, TABLE_NONE
 * or TABLE_TORN. */
int varfind(struct vars *v, struct var *x, const struct walk *w);

#endif
