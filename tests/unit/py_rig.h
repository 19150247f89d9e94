/*
 * A process whose memory is an image of Python (fuzz/pyimage.h), without a
 * process.
 */
#ifndef UNIT_PY_RIG_H
#define UNIT_PY_RIG_H

#include "capture/python/python.h"
#include "../../fuzz/pyimage.h"

/* Fills *p, with a context and a dictionary of its own. */
void py_rig_begin(struct process *p, const struct mem *mem);
void py_rig_end(struct process *p);

/* Stack s is that of the image's first thread, with its lines. */
void py_rig_assert_stack(const struct process *p, bob_stack s);

#endif
