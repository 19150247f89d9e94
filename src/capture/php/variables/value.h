/*
 * Reads the value of a variable that was located, as text. The value is read
 * twice, together with everything that its address depends on, and given only
 * if all of that is unchanged.
 */
#ifndef CAPTURE_PHP_VARIABLES_VALUE_H
#define CAPTURE_PHP_VARIABLES_VALUE_H

#include "capture/php/variables/vars.h"

/* Beside enum table_result: memory is out. */
#define VAR_FATAL (-2)

/* Writes the value at x->at into buf, which has VARTEXT_ROOM bytes, and sets
 * *ret_n. Returns TABLE_OK; TABLE_NONE if it is undefined; TABLE_TORN if it, or
 * its address, has changed; VAR_FATAL. */
int var_read(struct vars *v, struct var *x, const struct walk *w,
    char *buf, size_t *ret_n);

#endif
