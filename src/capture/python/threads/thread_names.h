/*
 * The names of threads in Python: threading.Thread.name.
 *
 * The module `threading` of an interpreter has a dictionary of its threads by
 * their idents. It is read only when a thread without a name appears, not in
 * each sample.
 */
#ifndef CAPTURE_PYTHON_THREADS_THREAD_NAMES_H
#define CAPTURE_PYTHON_THREADS_THREAD_NAMES_H

#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/layout/offsets.h"

/* Interpreters whose dictionary is remembered. */
#define NAMES_MAX 16

struct py_names {
	struct {
		uint64_t interp, active; /* addresses */
	} known[NAMES_MAX];
	unsigned n_known;
};

/*
 * Reads the name of a thread into buf (PY_MAX_TEXT bytes). Returns the number
 * of bytes; -ENOENT if Python has no name for it (yet); or another -errno.
 */
int py_names_read(struct py_names *n, struct mem *m,
    const struct py_offsets *o, uint64_t interp, uint64_t ident, char *buf);

#endif
