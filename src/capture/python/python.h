/* CPython 3.7 to 3.16, with and without its lock. */
#ifndef CAPTURE_PYTHON_PYTHON_H
#define CAPTURE_PYTHON_PYTHON_H

#include "capture/runtime.h"

extern const struct runtime python_runtime;

#endif
