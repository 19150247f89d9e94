/*
 * Where CPython's objects have those fields that are the same in all versions.
 *
 * Numbers are those of builds with the GIL, where the head of an object
 * (PyObject) has 16 bytes. py_at() gives the offset in the build at hand: the
 * head has 32 bytes in free-threaded ones.
 */
#ifndef CAPTURE_PYTHON_OBJECTS_FIELDS_H
#define CAPTURE_PYTHON_OBJECTS_FIELDS_H

#include <assert.h>
#include <stdint.h>

#include "capture/python/layout/offsets.h"

enum {
	/* PyTypeObject */
	PY_TYPE_NAME = 24,
	PY_TYPE_BASIC_SIZE = 32,
	PY_TYPE_FLAGS = 168,
	PY_TYPE_BASE = 256,
	PY_TYPE_DICT = 264,
	PY_TYPE_DICT_OFFSET = 288,
	/* PyDictObject */
	PY_DICT_USED = 16,
	PY_DICT_KEYS = 32,
	PY_DICT_VALUES = 40,
	/* PySetObject */
	PY_SET_USED = 24,
	PY_SET_MASK = 32,
	PY_SET_TABLE = 40,
	/* PyListObject */
	PY_LIST_SIZE = 16,
	PY_LIST_ITEMS = 24,
	/* PyLongObject: ob_size up to 3.11, lv_tag from 3.12 on */
	PY_LONG_TAG = 16,
	PY_LONG_DIGITS = 24,
	/* PyFloatObject, PyCellObject, PyModuleObject, PyWeakReference */
	PY_FLOAT_VALUE = 16,
	PY_CELL_VALUE = 16,
	PY_MODULE_DICT = 16,
	PY_WEAK_OBJECT = 16
};

/* From 3.13 on a reference in a frame may have tags in its lowest bits. */
#define PY_REF_TAGS ((uint64_t)3)

/* The offset of a field in this build. */
static inline uint32_t
py_at(const struct py_offsets *o, uint32_t at)
{
	assert(o->var_size >= 16 && o->var_size <= 32); /* bounds.c */
	return o->var_size - 16 + at;
}

#endif
