/*
 * Offsets, sizes and flags of PHP's structures, by version.
 *
 * They are those of a 64-bit build. They are the same with and without threads
 * (ZTS), on x86-64 and on aarch64, and within a minor version, unless a comment
 * says otherwise. What differs between versions is in the table; the rest are
 * constants. tests/live/test_layout.py compares both with the headers of the
 * PHP that is installed.
 */
#ifndef CAPTURE_PHP_LAYOUT_OFFSETS_H
#define CAPTURE_PHP_LAYOUT_OFFSETS_H

#include <stdint.h>

struct php_offsets {
	uint16_t version; /* major * 10 + minor */
	/* zend_executor_globals; vm_stack_end and vm_stack follow
	 * vm_stack_top. */
	uint16_t eg_vm_stack_top;
	uint16_t eg_current;
	uint16_t eg_functions; /* table of functions; that of classes follows */
	/* zend_compiler_globals: map_ptr_base; 0: the version has none */
	uint16_t cg_map;
	/* zend_execute_data */
	uint16_t ex_prev;
	uint16_t ex_variables; /* behind the frame */
	uint16_t first_frame; /* where frames begin on the first page */
	/* zend_op_array */
	uint16_t op_last;
	uint16_t op_opcodes;
	uint16_t op_filename;
	uint16_t op_line_start; /* line_end is 4 behind */
	uint16_t op_n_vars;
	uint16_t op_n_temps; /* from 8.2 on internal functions have it too */
	uint16_t op_vars;    /* names of variables */
	uint16_t op_statics; /* before 7.4 a table, then a map_ptr */
	/* zend_generator; the parent is the first word of the node */
	uint16_t gen_execute_data;
	uint16_t gen_node;
	/* zend_mm_heap: real_size; real_peak follows */
	uint16_t heap_real;
	/* Bits of zend_execute_data.This.u1.type_info */
	uint32_t call_top;
	uint32_t call_generator; /* 0: not marked */
	/* Bits of zend_function.fn_flags */
	uint32_t acc_closure;
	uint32_t acc_trampoline;
	uint32_t acc_fake_closure;
	uint32_t acc_static; /* of properties */
	/* Types of zvals; IS_ALIAS_PTR is type_pointer + 1. */
	uint8_t type_indirect, type_pointer;
	uint8_t has_short_lists; /* packed arrays have zvals, not buckets */
};

/* Addresses of the state of an interpreter; 0: not known. */
struct php_globals {
	uint64_t eg, sg, cg; /* executor_, sapi_ and compiler_globals */
	uint64_t heap;       /* address of the pointer to the heap */
};

/* Returns the row of a version (82 for 8.2), or NULL. */
const struct php_offsets *php_offsets_of(unsigned version);

/* Returns the row of the newest version. */
const struct php_offsets *php_offsets_last(void);

enum {
	/* zend_executor_globals */
	EG_SYMBOL_TABLE = 304,
	/* From vm_stack_top. */
	EG_VM_STACK_END = 8,
	EG_VM_STACK = 16,

	/* struct _zend_vm_stack: top, end, prev, filled up to zvals. */
	VM_STACK_HEADER = 32,

	/* zend_execute_data */
	EX_OPLINE = 0,
	EX_CALL = 8,
	EX_FUNC = 24,
	EX_THIS = 32,
	EX_TYPE_INFO = 40,
	EX_N_ARGS = 44,
	EX_SIZE = 80, /* what is read of a frame; 7.0 has 8 bytes more */

	/* zend_function, the common part */
	FN_TYPE = 0,
	FN_FLAGS = 4,
	FN_NAME = 8,
	FN_SCOPE = 16,
	FN_N_ARGS = 32,
	FN_SIZE = 192, /* what is read of one: up to line_end */

	/* zend_function.type */
	FN_INTERNAL = 1,
	FN_USER = 2,
	FN_EVAL = 4,

	/* zend_op */
	OP_SIZE = 32,
	OP_LINE = 24,
	OP_CODE = 28,

	/* Opcodes that call, the same in all versions. */
	OP_DO_FCALL = 60,
	OP_INCLUDE_OR_EVAL = 73,
	OP_DO_ICALL = 129,
	OP_DO_UCALL = 130,
	OP_DO_FCALL_BY_NAME = 131,
	/* Opcodes that resume generators. */
	OP_FE_RESET_R = 77,
	OP_FE_FETCH_R = 78,
	OP_FE_RESET_RW = 125,
	OP_FE_FETCH_RW = 126,
	OP_ADD_ARRAY_UNPACK = 147,
	OP_SEND_UNPACK = 165,
	OP_YIELD_FROM_70 = 142,
	OP_YIELD_FROM_74 = 166,

	/* zend_class_entry, zend_string, zend_object */
	CE_NAME = 8,
	CE_N_PROPERTIES = 32,
	CE_N_STATICS = 36,
	CE_FIRST_STATICS = 48, /* default_static_members_table */
	CE_STATICS = 56, /* before 7.4 a table, then a map_ptr */
	CE_FUNCTIONS = 64,
	CE_PROPERTIES = 120, /* zend_property_info by name */
	STR_HASH = 8, /* 0: not computed yet */
	STR_LEN = 16,
	STR_VAL = 24,
	OBJ_CLASS = 16,
	OBJ_OTHERS = 32, /* table of properties that no class declares */
	OBJ_TABLE = 40,

	/* zend_property_info */
	PROP_OFFSET = 0,
	PROP_FLAGS = 4,

	/* zend_refcounted: the header of strings, arrays, objects, ... */
	GC_TYPE = 4,
	GC_TYPE_BITS = 0xf,

	/* zend_array, Bucket, zval, zend_reference */
	ARR_FLAGS = 8,
	ARR_IS_LIST = 4,
	ARR_MASK = 12,
	ARR_DATA = 16,
	ARR_USED = 24,
	ARR_COUNT = 28,
	ARR_SIZE = 32, /* what is read of one */
	BUCKET_SIZE = 32,
	BUCKET_HASH = 16,
	BUCKET_KEY = 24,
	ZVAL_SIZE = 16,
	ZVAL_TYPE = 8,
	ZVAL_NEXT = 12,
	REF_VAL = 8,

	/* Types of zvals. */
	ZVAL_IS_UNDEF = 0,
	ZVAL_IS_NULL = 1,
	ZVAL_IS_FALSE = 2,
	ZVAL_IS_TRUE = 3,
	ZVAL_IS_LONG = 4,
	ZVAL_IS_DOUBLE = 5,
	ZVAL_IS_STRING = 6,
	ZVAL_IS_ARRAY = 7,
	ZVAL_IS_OBJECT = 8,
	ZVAL_IS_REFERENCE = 10,

	/* sapi_globals_struct: server_context, then request_info */
	SG_CONTEXT = 0,
	SG_METHOD = 8,
	SG_QUERY = 16,
	SG_COOKIE = 24,
	SG_PATH_TRANSLATED = 40,
	SG_URI = 48,
	SG_REQUEST_END = 56,
#if defined(__aarch64__)
	SG_REQUEST_TIME = 424, /* struct stat is smaller there */
#else
	SG_REQUEST_TIME = 440,
#endif

	/* zend_mm_heap */
	HEAP_SIZE = 16,
	HEAP_PEAK = 24
};

#endif
