/*
 * A short text for an object of Python: None, True, 42, 3.5, 'text', b'bytes',
 * [1, 2, ...], {'key': 1}, datetime.date, <app.User at 0x7f...>.
 *
 * No method of the object is called, as nothing can be called: what is not
 * one of Python's own kinds, or derived from one, is told by its class. All of
 * it is bounded: how long a text is read, how many elements, how deep, how
 * much in all. What is read is read twice, so that a text is given only when
 * the object, and all that the text tells of it, was so at one moment.
 */
#ifndef CAPTURE_PYTHON_REPR_H
#define CAPTURE_PYTHON_REPR_H

#include <stddef.h>
#include <stdint.h>

#include "capture/python/offsets.h"
#include "capture/python/reprtext.h"
#include "capture/python/seen.h"
#include "capture/runtime.h"

/* Characters or bytes of a string, elements of a container, containers in
 * each other; behind so many bytes no further element is begun. */
#define REPR_MAX_CHARS 100
#define REPR_MAX_ELEMENTS 8
#define REPR_MAX_NESTED 3
#define REPR_ENOUGH 200

struct py_repr {
	struct process *p; /* its memory, and what is not to be told */
	const struct py_offsets *o;
	struct seen seen;
	struct repr_text text;
	int is_fatal;      /* memory is out */
};

void py_repr_init(struct py_repr *r, struct process *p,
    const struct py_offsets *o);

enum repr_result {
	REPR_OK = 0,
	REPR_NONE = -1,  /* a cell that holds nothing */
	REPR_TORN = -2,  /* it changes, or is not there */
	REPR_FATAL = -3
};

/* The object at an address, or with `in_cell` what is in it if it is a cell,
 * into r->text. */
int py_repr_read(struct py_repr *r, uint64_t at, int in_cell);

#endif
