/*
 * Whether the code of a function has the name of another one in co_names.
 *
 * A caller looks a function up by its name, except when it got the function as
 * a value, or when an operator calls a special method. Names are interned:
 * there is one string object for each. So the address of the callee's name is
 * among the names of its caller.
 */
#ifndef CAPTURE_PYTHON_CODE_MENTIONS_H
#define CAPTURE_PYTHON_CODE_MENTIONS_H

#include "capture/python/code/code.h"

/* Returns 1 if `caller` mentions `callee` (indices). 0 if not, if the names
 * cannot be read, and up to 3.10. */
int py_mentions(struct py_codes *c, uint32_t caller, uint32_t callee);

#endif
