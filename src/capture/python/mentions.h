/*
 * Whether a function mentions another by its name.
 *
 * Who calls a function looks it up by its name, unless it was given the
 * function, or does what a special method is for. Names are objects of which
 * there is one each: that of the callee is among those that the code of its
 * caller refers to.
 */
#ifndef CAPTURE_PYTHON_MENTIONS_H
#define CAPTURE_PYTHON_MENTIONS_H

#include "capture/python/code.h"

/* From 3.11 on; 0 also where the names cannot be read. */
int py_mentions(struct py_codes *c, uint32_t caller, uint32_t callee);

#endif
