/*
 * What lies in no chunk: marks of C on its own stack, and frames of generators.
 *
 * It is copied later than the chunk. C's stack changes all the time, and a
 * generator that was suspended has lost its caller: then it is taken as it was
 * when it was last part of a stack that was proven.
 */
#ifndef CAPTURE_PYTHON_LINKS_H
#define CAPTURE_PYTHON_LINKS_H

#include "capture/python/walk.h"

/*
 * The bytes of a frame or mark that were copied, or NULL: they, or those that
 * are remembered; NULL when it is nothing of that kind. *is_doubtful when
 * another generator may have been there, as its memory is used again: then the
 * call that it makes must be known.
 */
const uint8_t *py_links_recall(struct py_walk *w, uint64_t at,
    const uint8_t *p, int *is_doubtful);

/* Remembers it as it was copied. */
void py_links_keep(struct py_walk *w, uint64_t at);

/* Whether it is near to the marks that were seen. */
int py_links_is_on_c_stack(const struct py_walk *w, uint64_t at);

#endif
