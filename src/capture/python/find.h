/*
 * Where CPython keeps its state in a process: which file holds it, which
 * version it is, and how its memory is laid out. Works on stripped builds:
 * what is needed is exported, or in a section of its own.
 */
#ifndef CAPTURE_PYTHON_FIND_H
#define CAPTURE_PYTHON_FIND_H

#include <stdint.h>

#include "capture/python/offsets.h"
#include "capture/runtime.h"

struct py_site {
	struct py_offsets o;
	uint64_t runtime;   /* _PyRuntime */
	uint64_t none;      /* _Py_NoneStruct, or 0 */
	uint64_t code_type; /* PyCode_Type, or 0 */
	uint64_t task_table; /* of _asyncio, or 0: find out */
};

/* True when a file may hold Python by its name. */
int py_is_module(const struct map_file *f);

/* BOB_OK; BOB_EOF: there is no Python in the process; FAILED. Sets version,
 * flavour and module of the process. */
int py_find(struct process *p, struct py_site *ret);

#endif
