/* Offsets of 3.7 to 3.12, whose interpreters have no _Py_DebugOffsets. */
#include "capture/python/layout/offsets.h"

/* On aarch64 pthread_mutex_t is larger. Fields behind one add MUTEX. */
#if defined(__aarch64__)
#define MUTEX 16
#else
#define MUTEX 0
#endif

#define NO PY_NONE

/* Up to 3.10: frames are objects on the heap. */
#define HEAP_FRAMES                                                          \
	.is_main_thread = NO, .is_gil = NO, .is_generation = NO,             \
	.is_gc_frame = NO, .gil_holder = NO, .gil_locked = NO, .ts_next = 8, \
	.ts_interp = 16, .ts_thread_id = 176, .ts_native_id = NO,            \
	.ts_tracing = NO, .ts_frame = 24, .ts_base_frame = NO,               \
	.ts_chunk = NO,                                                      \
	.ts_holds_gil = NO, .ts_wants_gil = NO, .ts_raised = 88,             \
	.ts_handled = 112, .ts_exc_info = 144, .cf_frame = NO,               \
	.fr_code = 32, .fr_previous = 24,                                    \
	.fr_owner = NO, .fr_is_entry = NO, .fr_copy = NO,                    \
	.fr_stack_top = NO, .code_mask = UINT64_MAX, .co_copies = NO,        \
	.co_frame_size = NO, .co_stack_size = NO, .co_locals = NO,           \
	.ob_type = 8, .var_size = 16, .bytes_data = 32, .str_length = 16,    \
	.str_state = 32, .str_ascii = 48, .str_compact = 72,                 \
	.co_var_kinds = NO, .tuple_items = 24

/* 3.11 and 3.12: frames lie in chunks, and _PyCFrame leads to them. */
#define CHUNK_FRAMES                                                         \
	.is_main_thread = NO, .is_generation = NO, .is_gc_frame = NO,        \
	.ts_next = 8, .ts_interp = 16, .ts_tracing = 44, .ts_frame = 56,     \
	.ts_base_frame = NO,                                                 \
	.ts_holds_gil = NO, .ts_wants_gil = NO, .fr_size = 80,               \
	.fr_instr = 56, .fr_state = NO, .fr_copy = NO, .fr_stack_top = NO,    \
	.code_mask = UINT64_MAX, .co_flags = 48, .co_file = 112,             \
	.co_name = 128, .co_lines = 136, .co_copies = NO, .ob_type = 8,      \
	.var_size = 16, .bytes_data = 32, .str_length = 16, .str_state = 32, \
	.fr_locals = 72, .co_var_names = 96, .co_var_kinds = 104,            \
	.tuple_items = 24

static const struct py_offsets tables[] = {
	{ .minor = 7, .is_modules = 40, .ht_keys = 856,
	    .rt_interpreters = 24, .rt_current = 1480 + MUTEX,
	    .rt_main_thread = NO, .is_next = 0, .is_id = 16, .is_threads = 8,
	    .ts_id = 272, .fr_size = 120, .fr_instr = 104,
	    .fr_state = 116, .fr_runs = 1, .co_size = 144,
	    .co_flags = 32, .co_first_line = 36, .co_code = 40, .co_file = 96,
	    .co_name = 104, .co_lines = 112, .fr_locals = 360,
	    .co_arg_count = 16, .co_var_names = 64, HEAP_FRAMES },
	{ .minor = 8, .is_modules = 56, .ht_keys = 872,
	    .rt_interpreters = 32, .rt_current = 1368 + MUTEX,
	    .rt_main_thread = 72, .is_next = 0, .is_id = 16, .is_threads = 8,
	    .ts_id = 256, .fr_size = 120, .fr_instr = 104,
	    .fr_state = 116, .fr_runs = 1, .co_size = 176,
	    .co_flags = 36, .co_first_line = 40, .co_code = 48,
	    .co_file = 104, .co_name = 112, .co_lines = 120,
	    .fr_locals = 360, .co_arg_count = 16, .co_var_names = 72,
	    HEAP_FRAMES },
	{ .minor = 9, .is_modules = 856, .ht_keys = 864,
	    .rt_interpreters = 32, .rt_current = 568 + MUTEX,
	    .rt_main_thread = 72, .is_next = 0, .is_id = 24, .is_threads = 8,
	    .ts_id = 256, .fr_size = 120, .fr_instr = 104,
	    .fr_state = 116, .fr_runs = 1, .co_size = 176,
	    .co_flags = 36, .co_first_line = 40, .co_code = 48,
	    .co_file = 104, .co_name = 112, .co_lines = 120,
	    .fr_locals = 360, .co_arg_count = 16, .co_var_names = 72,
	    HEAP_FRAMES },
	{ .minor = 10, .is_modules = 856, .ht_keys = 872,
	    .rt_interpreters = 32, .rt_current = 568 + MUTEX,
	    .rt_main_thread = 72, .is_next = 0, .is_id = 24, .is_threads = 8,
	    .ts_id = 256, .fr_size = 112, .fr_instr = 96,
	    .fr_state = 108, .fr_runs = 0, .co_size = 176,
	    .co_flags = 36, .co_first_line = 40, .co_code = 48,
	    .co_file = 104, .co_name = 112, .co_lines = 120,
	    .fr_locals = 352, .co_arg_count = 16, .co_var_names = 72,
	    HEAP_FRAMES },
	{ .minor = 11, .is_modules = 888, .ht_keys = 872,
	    .rt_interpreters = 40, .rt_current = 576 + MUTEX,
	    .rt_main_thread = 80, .is_next = 0, .is_id = 48, .is_threads = 16,
	    .is_gil = NO, .gil_holder = NO, .gil_locked = NO,
	    .ts_thread_id = 152, .ts_native_id = 160, .ts_id = 240,
	    .ts_chunk = 296, .ts_raised = 96, .ts_handled = 320,
	    .ts_exc_info = 120,
	    .cf_frame = 8, .fr_code = 32, .fr_previous = 48, .fr_owner = 69,
	    .fr_is_entry = 68, .co_size = 184, .co_first_line = 72,
	    .co_code = 184, .co_frame_size = NO, .co_stack_size = 68,
	    .co_locals = 76, .co_arg_count = 56, .str_ascii = 48,
	    .str_compact = 72,
	    CHUNK_FRAMES },
	{ .minor = 12, .is_modules = 944, .ht_keys = 880,
	    .rt_interpreters = 40, .rt_current = NO,
	    .rt_main_thread = 64, .is_next = 0, .is_id = 8, .is_threads = 72,
	    .is_gil = 384, .gil_holder = 8, .gil_locked = 16,
	    .ts_thread_id = 136, .ts_native_id = 144, .ts_id = 224,
	    .ts_chunk = 232, .ts_raised = 96, .ts_handled = 256,
	    .ts_exc_info = 104,
	    .cf_frame = 0, .fr_code = 0, .fr_previous = 8, .fr_owner = 70,
	    .fr_is_entry = NO, .co_size = 192, .co_first_line = 68,
	    .co_code = 192, .co_frame_size = 76, .co_stack_size = NO,
	    .co_locals = NO, .co_arg_count = 52, .str_ascii = 40,
	    .str_compact = 56,
	    CHUNK_FRAMES },
};

const struct py_offsets *
py_offsets_of(unsigned minor)
{
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].minor == minor)
			return &tables[i];
	return NULL;
}
