/*
 * The memory of a small Python process, for any version: one interpreter, two
 * threads, and on the first thread a stack of three functions, the innermost of
 * which is a generator. For tests of versions that are not installed, and for
 * fuzzing.
 *
 * The offsets from 3.13 on are written here a second time, as the interpreter
 * publishes them, so that a mistake in reading them is found.
 */
#ifndef FUZZ_PYIMAGE_H
#define FUZZ_PYIMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/layout/find_python.h"

#define PYIMAGE_SIZE 65536u
#define PYIMAGE_AT ((uint64_t)0x7f0000000000)

/* Where in it the interpreter is. */
#define PYIMAGE_INTERP 0x2000

/* What the stack of the first thread is, outermost first. */
#define PYIMAGE_DEPTH 3
extern const char *const pyimage_names[PYIMAGE_DEPTH];
extern const int pyimage_lines[PYIMAGE_DEPTH];

/* Tasks: the one that runs is the function on top; the second
 * waits in the first two functions; the third, in the second, awaits both. */
#define PYIMAGE_TASKS 3
extern const char *const pyimage_tasks[PYIMAGE_TASKS];

/* Where in the image a task is. */
size_t pyimage_task_at(size_t i);

/* A frame with variables, which is on no stack: n = 42, an argument, and
 * xs = [n, 'xs', xs]. The addresses of it and of its code, and where in the
 * image the number is. */
void pyimage_vars(uint64_t *ret_frame, uint64_t *ret_code, size_t *ret_at);

struct pyimage {
	struct mem mem; /* answers with the image */
	struct py_offsets o;
	unsigned minor;
	int is_free_threaded;
	int is_wide;
	size_t table_at; /* while the table is written */
	struct py_fault why;
	uint8_t bytes[PYIMAGE_SIZE];
	/* Called before each read, when it is not NULL. */
	void (*before_read)(struct pyimage *image);
	void *user;
};

/* Makes the image of 3.`minor`. */
void pyimage_make(struct pyimage *image, unsigned minor,
    int is_free_threaded);

/* The same; structures are said to be as large as they may be, so that only
 * buffers bound the offsets in them. */
void pyimage_make_wide(struct pyimage *image, unsigned minor,
    int is_free_threaded);

/* Where in the image the i-th word of a table is that the process tells about
 * itself: of offsets, then of tasks. Begins again behind the last. */
size_t pyimage_table_word(const struct pyimage *image, size_t i);

/* What py_find would have found in it: NULL, or why it would not, which lives
 * as long as the image. */
const char *pyimage_find(struct pyimage *image, struct py_site *ret);

#endif
