/* The runtime CPython, 3.7 to 3.16, also free-threaded. */
#ifndef CAPTURE_PYTHON_PYTHON_H
#define CAPTURE_PYTHON_PYTHON_H

#include "capture/python/layout/find_python.h"
#include "capture/runtime.h"

extern const struct runtime python_runtime;

/* The last step of attaching, after py_find(): makes the state that the
 * functions of the runtime get. Tests call it with a site of their own. BOB_OK
 * or FAILED. */
int py_open(struct process *p, const struct py_site *site, void **ret);

#endif
