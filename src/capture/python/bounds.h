/*
 * Every offset against the buffer that it is used with.
 *
 * This is the only place that decides whether an offset can be used: those of
 * our own tables, those that a process tells about itself, and those of its
 * tasks pass through here. What passes is read without another check.
 */
#ifndef CAPTURE_PYTHON_BOUNDS_H
#define CAPTURE_PYTHON_BOUNDS_H

#include <stdint.h>

#include "capture/python/asyncio.h"
#include "capture/python/offsets.h"

/* An offset that only makes an address; nothing is copied up to it. */
#define PY_MAX_OFFSET (64u << 20)

/* 0; -EINVAL, and *why names the first offset that cannot be used. */
int py_bounds_check(const struct py_offsets *o, struct py_fault *why);
int py_bounds_check_tasks(const struct py_task_offsets *o, unsigned minor,
    struct py_fault *why);

/* Sets a fault; always -EINVAL. */
int py_fault(struct py_fault *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What CPython calls a field of struct py_offsets, by where it is in there. */
const char *py_bounds_name(size_t field);

#endif
