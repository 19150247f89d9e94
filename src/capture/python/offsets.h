/*
 * Where things are in the memory of CPython.
 *
 * Up to 3.12 the numbers are tables of ours: they are those of 64-bit builds,
 * the same within a minor version, and the same on x86-64 and aarch64 unless a
 * comment says otherwise. From 3.13 on the interpreter has a table of its own
 * at the beginning of its state, `_Py_DebugOffsets`. That table moves with
 * every minor version and belongs to the process, so it is checked as any
 * foreign data is: each offset must lie in the structure it is of and in the
 * buffer it is used with (bounds.h), and those that never change must be what
 * they always are.
 */
#ifndef CAPTURE_PYTHON_OFFSETS_H
#define CAPTURE_PYTHON_OFFSETS_H

#include <stddef.h>
#include <stdint.h>

/* The version does not have this field. */
#define PY_NONE UINT32_MAX

/* What is read of a thread's state, of an interpreter's, of a frame and of a
 * code object, at most. Known versions need 500 (1100 for its task), 1100, 120
 * and 240. */
#define PY_MAX_THREAD 1280
#define PY_MAX_INTERP 2048
#define PY_MAX_FRAME 128
#define PY_MAX_CODE 512

struct py_offsets {
	unsigned minor;
	int is_free_threaded;
	/* _PyRuntimeState */
	uint32_t rt_interpreters;
	uint32_t rt_current;     /* the thread that has the lock, to 3.11 */
	uint32_t rt_main_thread; /* thread_id of it, 3.8 to 3.12 */
	/* PyInterpreterState */
	uint32_t is_next, is_id, is_threads;
	uint32_t is_main_thread;
	uint32_t is_gil;         /* pointer to it, from 3.12 on */
	uint32_t is_generation;  /* counts code objects that were freed */
	uint32_t is_gc_frame;    /* frame that runs the collector */
	uint32_t is_modules;     /* sys.modules */
	/* struct _gil_runtime_state */
	uint32_t gil_holder, gil_locked;
	/* PyThreadState */
	uint32_t ts_next, ts_interp, ts_thread_id, ts_native_id, ts_id;
	uint32_t ts_tracing;     /* calls of tracers that run, 3.11 to 3.13 */
	uint32_t ts_frame;       /* of PyFrameObject, _PyCFrame or frame */
	uint32_t ts_base_frame;
	uint32_t ts_chunk;       /* its top follows; from 3.11 on */
	uint32_t ts_holds_gil, ts_wants_gil;
	uint32_t ts_raised, ts_handled;
	uint32_t ts_exc_info;    /* pointer to what is handled innermost */
	/* _PyCFrame, 3.11 and 3.12 */
	uint32_t cf_frame;
	/* _PyInterpreterFrame; PyFrameObject up to 3.10 */
	uint32_t fr_size, fr_code, fr_previous, fr_instr, fr_owner;
	uint32_t fr_is_entry;    /* 3.11 */
	uint32_t fr_state;       /* up to 3.10: a byte, and what it is while */
	uint8_t fr_runs;         /* the frame runs */
	uint32_t fr_copy;        /* which copy of the code; free-threaded */
	uint32_t fr_stack_top;   /* 3.14 on */
	uint32_t fr_locals;      /* pointers to variables, as code names them */
	uint64_t code_mask;      /* bits of fr_code that are the pointer */
	/* PyCodeObject */
	uint32_t co_size, co_flags, co_first_line, co_file, co_name;
	uint32_t co_lines, co_code; /* co_code: a pointer up to 3.10 */
	uint32_t co_copies;      /* co_tlbc; free-threaded */
	uint32_t co_frame_size;  /* of its frames, in words, from 3.12 on */
	uint32_t co_stack_size, co_locals; /* the same in two parts, 3.11 */
	uint32_t co_arg_count;   /* and those that are not by position */
	uint32_t co_var_names;   /* tuple; up to 3.10 two more behind it */
	uint32_t co_var_kinds;   /* bytes, from 3.11 on */
	/* PyObject (its references are at 0), PyVarObject, PyBytesObject,
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
	PY_OWNER_C = 3, /* not a function: C has entered the interpreter */
	PY_OWNER_LAST = 4
};

/* _PyStackChunk */
enum {
	PY_CHUNK_PREVIOUS = 0,
	PY_CHUNK_SIZE = 8,
	PY_CHUNK_TOP = 16,
	PY_CHUNK_DATA = 24
};

/* PyCodeObject.co_flags: what makes a generator of a function. */
#define PY_CO_GENERATORS (0x20u | 0x80u | 0x200u)

#define PY_OLDEST 7
#define PY_NEWEST 16
#define PY_FIRST_DEBUG 13

/* The table of a version up to 3.12, or NULL. */
const struct py_offsets *py_offsets_of(unsigned minor);

/* How many bytes _Py_DebugOffsets has in a version; 0: not known. */
size_t py_debug_size(unsigned minor);
#define PY_MAX_DEBUG 1024

/* What is wrong with offsets, as "offset thread_state.next is 70000, ...". */
struct py_fault {
	char text[192];
};

/*
 * Offsets from n bytes of _Py_DebugOffsets, of a version that
 * py_debug_version gave. 0; -EINVAL and *why.
 */
int py_debug_read(const uint8_t *table, size_t n, unsigned minor,
    struct py_offsets *ret, struct py_fault *why);

/* PY_VERSION_HEX of the first bytes (24) of a table; 0 when it is none. */
uint32_t py_debug_version(const uint8_t *table);

#endif
