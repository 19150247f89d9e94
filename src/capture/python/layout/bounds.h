/*
 * Compares every offset with the buffer that it is used with.
 *
 * All offsets pass through here: those of our own tables, those that a process
 * tells about itself, and those of its tasks. No other code checks them before
 * it uses them.
 */
#ifndef CAPTURE_PYTHON_LAYOUT_BOUNDS_H
#define CAPTURE_PYTHON_LAYOUT_BOUNDS_H

#include <stdint.h>

#include "capture/python/layout/offsets.h"
#include "capture/python/tasks/find_asyncio.h"

/* Largest offset that is only added to an address, not used in a buffer. */
#define PY_MAX_OFFSET (64u << 20)

/* Returns 0; -EINVAL, and *why names the first offset that cannot be used. */
int py_bounds_check(const struct py_offsets *o, struct py_fault *why);
int py_bounds_check_tasks(const struct py_task_offsets *o, unsigned minor,
    struct py_fault *why);

/* Sets *why. Always returns -EINVAL. */
int py_fault(struct py_fault *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* CPython's name of a field; `field` is its offset in struct py_offsets. */
const char *py_bounds_name(size_t field);

#endif
