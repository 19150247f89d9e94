/*
 * The value of a variable, as text, where it is believed to be. It is looked at
 * twice, together with what its place depends on: only what stands still, and
 * is proven to be the variable's, is told.
 */
#ifndef CAPTURE_PHP_VARVALUE_H
#define CAPTURE_PHP_VARVALUE_H

#include "capture/php/vars.h"

/* Beside the results of tables: memory is out. */
#define VARVALUE_FATAL (-2)

/* The value at x->at, VARTEXT_ROOM bytes at most: TABLE_OK; TABLE_NONE when it
 * has none; TABLE_TORN when it, or the way to it, has changed. */
int varvalue_read(struct vars *v, struct var *x, const struct walk *w,
    char *buf, size_t *ret_n);

#endif
