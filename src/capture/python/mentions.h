/*
 * Whether a function mentions another by its name.
 *
 * Who calls a function looks it up by its name as a rule, and names are objects
 * of which there is one each: the name that the callee has is among those that
 * the code of its caller refers to.
 */
#ifndef CAPTURE_PYTHON_MENTIONS_H
#define CAPTURE_PYTHON_MENTIONS_H

#include "capture/python/code.h"

/* From 3.11 on. 1 also where a function may be called without its name, as
 * special methods are, and where the names cannot be read. */
int py_mentions(struct py_codes *c, uint32_t caller, uint32_t callee);

#endif
