/*
 * Finds CPython in a process: the file that holds it, its version, and the
 * layout of its memory. Works on stripped builds too: the symbols it needs are
 * exported, or the state has a section of its own.
 */
#ifndef CAPTURE_PYTHON_LAYOUT_FIND_PYTHON_H
#define CAPTURE_PYTHON_LAYOUT_FIND_PYTHON_H

#include <stdint.h>

#include "capture/python/layout/offsets.h"
#include "capture/runtime.h"

struct py_site {
	struct py_offsets o;
	uint64_t runtime;   /* _PyRuntime */
	uint64_t none;      /* _Py_NoneStruct, or 0 */
	uint64_t code_type; /* PyCode_Type, or 0 */
	uint64_t task_table; /* of _asyncio; 0: it is looked for */
};

/* Returns 1 if a file may hold CPython, by its name. */
int py_is_module(const struct map_file *f);

/* Returns BOB_OK, and sets *ret and version, flavour and module of the process;
 * BOB_EOF if the process has no Python; FAILED. */
int py_find(struct process *p, struct py_site *ret);

#endif
