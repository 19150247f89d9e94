/* What copy.c, copy_chunks.c and copy_frames.c share. Nobody else includes
 * it. */
#ifndef CAPTURE_PYTHON_FRAMES_COPY_INSIDE_H
#define CAPTURE_PYTHON_FRAMES_COPY_INSIDE_H

#include "capture/python/frames/copy.h"

/* From 3.11 on frames lie in chunks. */
static inline int
py_copy_has_chunks(const struct py_copy *c)
{
	return c->o->ts_chunk != PY_NONE;
}

/* 3.11 and 3.12: a _PyCFrame points to the current frame. */
static inline int
py_copy_has_cframe(const struct py_copy *c)
{
	return c->o->cf_frame != PY_NONE;
}

/* Makes room for `need` bytes. 0; -EFAULT if the copies of the process would
 * get too large; -ENOMEM, recorded. */
int py_copy_grow(struct py_copy *c, size_t need);

/* Sets how much of the newest chunk is copied, by its top. 0; -EFAULT if the
 * top is not in it. */
int py_copy_size_chunk(struct py_copy_span *s, uint64_t top);

/* Reads the list of chunks from the newest one, at `at`, until one that is
 * known. `top` is that of the newest. 0; -ENOMEM, recorded; another -errno. */
int py_copy_list_chunks(struct py_copy *c, uint64_t at, uint64_t top);

/* Returns 1 if the chunk that was copied is the newest one, and has all of it
 * up to the top. */
int py_copy_is_newest_right(const struct py_copy *c);

/* Returns 1 if each chunk leads to the next one, and older ones were copied up
 * to their top. */
int py_copy_are_older_right(const struct py_copy *c);

#endif
