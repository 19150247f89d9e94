/* The runtime "native": C stacks of all threads, for processes of any kind. */
#ifndef CAPTURE_NATIVE_RUNTIME_H
#define CAPTURE_NATIVE_RUNTIME_H

#include "capture/runtime.h"

extern const struct runtime native_runtime;

#endif
