/*
 * What threads are called in Python: threading.Thread.name.
 *
 * The module `threading` of an interpreter has a dictionary of its threads by
 * their idents. It is looked for when a thread without a name appears, so
 * that a sample costs nothing.
 */
#ifndef CAPTURE_PYTHON_NAMES_H
#define CAPTURE_PYTHON_NAMES_H

#include <stdint.h>

#include "capture/proc/mem.h"
#include "capture/python/offsets.h"

/* Interpreters whose dictionary is remembered. */
#define NAMES_MAX 16

struct py_names {
	struct {
		uint64_t interp, active; /* addresses */
	} known[NAMES_MAX];
	unsigned n_known;
};

/*
 * The name of a thread into buf (PY_MAX_TEXT bytes). How many bytes; -ENOENT
 * when Python has none for it (yet); or -errno.
 */
int py_names_read(struct py_names *n, struct mem *m,
    const struct py_offsets *o, uint64_t interp, uint64_t ident, char *buf);

#endif
