/* CPython 3.7 to 3.16, with and without its lock. */
#ifndef CAPTURE_PYTHON_PYTHON_H
#define CAPTURE_PYTHON_PYTHON_H

#include "capture/python/find.h"
#include "capture/runtime.h"

extern const struct runtime python_runtime;

/* What attaching ends with, once it is known where everything is: a state for
 * the functions of the runtime. BOB_OK or FAILED. */
int py_open(struct process *p, const struct py_site *site, void **ret);

#endif
