/*
 * Offsets of the fields that are read of CPython's structures.
 *
 * Up to 3.12 they come from our own tables (offsets.c). These are for 64-bit
 * builds, the same within a minor version, and the same on x86-64 and aarch64
 * unless a comment says otherwise. From 3.13 on the interpreter has a table at
 * the beginning of its state, `_Py_DebugOffsets` (debug_offsets.c). Its layout
 * changes with the minor version. It is memory of the process, so it is not
 * trusted: each offset must lie within its structure and within the buffer that
 * it is used with (bounds.h), and offsets that are equal in all versions must
 * have that value.
 */
#ifndef CAPTURE_PYTHON_LAYOUT_OFFSETS_H
#define CAPTURE_PYTHON_LAYOUT_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

/* The version does not have this field. */
#define PY_NONE UINT32_MAX

/* Bytes that are read of a PyThreadState, a PyInterpreterState, a frame and a
 * code object, at most. Known versions need 500 (1100 with the running task),
 * 1100, 120 and 240. */
#define PY_MAX_THREAD 1280
#define PY_MAX_INTERP 2048
#define PY_MAX_FRAME 128
#define PY_MAX_CODE 512

struct py_offsets {
	unsigned minor;
	int is_free_threaded;
	/* _PyRuntimeState */
	uint32_t rt_interpreters;
	uint32_t rt_current;     /* thread that holds the GIL, to 3.11 */
	uint32_t rt_main_thread; /* its thread_id, 3.8 to 3.12 */
	/* PyInterpreterState */
	uint32_t is_next, is_id, is_threads;
	uint32_t is_main_thread;
	uint32_t is_gil;         /* pointer to the GIL, from 3.12 on */
	uint32_t is_generation;  /* counter of freed code objects */
	uint32_t is_gc_frame;    /* frame in which the GC runs */
	uint32_t is_modules;     /* sys.modules */
	/* struct _gil_runtime_state */
	uint32_t gil_holder, gil_locked;
	/* PyThreadState */
	uint32_t ts_next, ts_interp, ts_thread_id, ts_native_id, ts_id;
	uint32_t ts_tracing;     /* depth of trace functions, 3.11 to 3.13 */
	uint32_t ts_frame;       /* pointer: PyFrameObject, _PyCFrame, frame */
	uint32_t ts_base_frame;
	uint32_t ts_chunk;       /* newest chunk, then its top; from 3.11 on */
	uint32_t ts_holds_gil, ts_wants_gil;
	uint32_t ts_raised, ts_handled; /* exceptions */
	uint32_t ts_exc_info;    /* pointer: the innermost handled exception */
	/* _PyCFrame, 3.11 and 3.12 */
	uint32_t cf_frame;
	/* _PyInterpreterFrame; PyFrameObject up to 3.10 */
	uint32_t fr_size, fr_code, fr_previous, fr_instr, fr_owner;
	uint32_t fr_is_entry;    /* 3.11 */
	uint32_t fr_state;       /* a byte, up to 3.10 */
	uint8_t fr_runs;         /* its value while the frame runs */
	uint32_t fr_copy;        /* index in co_tlbc; free-threaded */
	uint32_t fr_stack_top;   /* 3.14 on */
	uint32_t fr_locals;      /* variables, as co_localsplusnames has them */
	uint64_t code_mask;      /* bits of fr_code that are the pointer */
	/* PyCodeObject */
	uint32_t co_size, co_flags, co_first_line, co_file, co_name;
	uint32_t co_lines, co_code; /* co_code: a pointer up to 3.10 */
	uint32_t co_copies;      /* co_tlbc; free-threaded */
	uint32_t co_frame_size;  /* words of its frames, from 3.12 on */
	uint32_t co_stack_size, co_locals; /* two parts of it, 3.11 */
	uint32_t co_arg_count;   /* the other counts of arguments follow */
	uint32_t co_var_names;   /* tuple; up to 3.10 two more follow */
	uint32_t co_var_kinds;   /* bytes, from 3.11 on */
	/* PyObject (its reference count is at 0), PyVarObject, PyBytesObject,
	 * PyASCIIObject */
	uint32_t ob_type, var_size, bytes_data;
	uint32_t str_length, str_state, str_ascii, str_compact;
	uint32_t tuple_items;
	/* PyHeapTypeObject.ht_cached_keys */
	uint32_t ht_keys;
	/* PyGenObject and its like, from 3.14 on */
	uint32_t gen_frame, gen_state;
};

/* Owners of a frame: _PyInterpreterFrame.owner */
enum {
	PY_OWNER_THREAD = 0,
	PY_OWNER_GENERATOR = 1,
	PY_OWNER_OBJECT = 2,
	PY_OWNER_C = 3, /* no function: a mark that C entered the interpreter */
	PY_OWNER_LAST = 4
};

/* _PyStackChunk */
enum {
	PY_CHUNK_PREVIOUS = 0,
	PY_CHUNK_SIZE = 8,
	PY_CHUNK_TOP = 16,
	PY_CHUNK_DATA = 24
};

/* PyCodeObject.co_flags: generator, coroutine, async generator. */
#define PY_CO_GENERATORS (0x20u | 0x80u | 0x200u)

#define PY_OLDEST 7
#define PY_NEWEST 16
#define PY_FIRST_DEBUG 13

/* The table of a version up to 3.12. NULL if there is none. */
const struct py_offsets *py_offsets_of(unsigned minor);

/* Bytes of _Py_DebugOffsets in a version. 0 if the version is not known. */
size_t py_debug_size(unsigned minor);
#define PY_MAX_DEBUG 1024

/* What is wrong with an offset: "offset thread_state.next is 70000, ...". */
struct py_fault {
	char text[192];
};

/* Reads the offsets of version 3.`minor` from n bytes of _Py_DebugOffsets. 0;
 * -EINVAL if one cannot be used, and *why says which. */
int py_debug_read(const uint8_t *table, size_t n, unsigned minor,
    struct py_offsets *ret, struct py_fault *why);

/* PY_VERSION_HEX from the first 24 bytes of a table. 0 if it is no table. */
uint32_t py_debug_version(const uint8_t *table);

#endif
