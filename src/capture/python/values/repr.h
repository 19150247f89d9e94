/*
 * A short text for an object of Python: None, True, 42, 3.5, 'text', b'bytes',
 * [1, 2, ...], {'key': 1}, <class datetime.date>, <app.User at 0x7f...>.
 *
 * No method of the object can be called. An object that is neither of a
 * built-in type nor derived from one is shown by its class. Lengths of strings,
 * numbers of elements, depth and length of the text have limits. All memory is
 * read twice: a text is given only if everything in it was so at one moment.
 */
#ifndef CAPTURE_PYTHON_VALUES_REPR_H
#define CAPTURE_PYTHON_VALUES_REPR_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/layout/offsets.h"
#include "capture/python/values/repr_text.h"
#include "capture/python/values/reread.h"
#include "capture/runtime.h"

/* Limits: characters or bytes of a string, elements of a container, depth of
 * containers. No element begins behind REPR_ENOUGH bytes of text. */
#define REPR_MAX_CHARS 100
#define REPR_MAX_ELEMENTS 8
#define REPR_MAX_NESTED 3
#define REPR_ENOUGH 200

struct py_repr {
	struct process *p; /* its memory, and its rules for secrets */
	const struct py_offsets *o;
	struct reread reread;
	struct repr_text text;
	int is_fatal;      /* memory is out */
};

void py_repr_init(struct py_repr *r, struct process *p,
    const struct py_offsets *o);

enum repr_result {
	REPR_OK = 0,
	REPR_NONE = -1,  /* an empty cell */
	REPR_TORN = -2,  /* it changes, or cannot be read */
	REPR_FATAL = -3  /* memory is out */
};

/* Makes the text of the object at an address: r->text. With `in_cell`, if the
 * object is a cell, that of its contents. Returns enum repr_result. */
int py_repr_read(struct py_repr *r, uint64_t at, int in_cell);

#endif
