/*
 * Remembers links that lie in no chunk: marks of C on its own stack, and frames
 * of generators.
 *
 * They are copied later than the chunk. C's stack changes all the time, and a
 * generator that is suspended has lost its caller. Then the link is taken as it
 * was in the last stack that was proven.
 */
#ifndef CAPTURE_PYTHON_FRAMES_LINKS_H
#define CAPTURE_PYTHON_FRAMES_LINKS_H

#include "capture/python/frames/walk.h"

/*
 * Decides which bytes to use for the frame or mark at an address: p, which were
 * copied (NULL if they could not be), or the remembered ones. Returns NULL if
 * it is neither a mark nor a generator. *is_doubtful: another generator may
 * have been in this memory, so the call that it makes must be known.
 */
const uint8_t *py_links_recall(struct py_walk *w, uint64_t at,
    const uint8_t *p, int *is_doubtful);

/* Remembers the frame or mark at an address as it was copied. */
void py_links_keep(struct py_walk *w, uint64_t at);

/* Returns 1 if an address is near the marks of C that were seen. */
int py_links_is_on_c_stack(const struct py_walk *w, uint64_t at);

#endif
