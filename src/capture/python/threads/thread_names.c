/* Reads sys.modules["threading"]._active[ident]._name. */
#include "capture/python/threads/thread_names.h"

#include <assert.h>
#include <errno.h>

#include "capture/python/objects/object.h"
#include "capture/python/objects/text.h"

static int
find_active(struct mem *m, const struct py_offsets *o, uint64_t interp,
    uint64_t *ret)
{
	uint64_t modules, module, dict;
	int r = mem_read_u64(m, interp + o->is_modules, &modules);

	if (r == 0)
		r = py_dict_get(m, o, modules, "threading", &module);
	if (r == 0)
		r = mem_read_u64(m, module + py_at(o, PY_MODULE_DICT), &dict);
	if (r == 0)
		r = py_dict_get(m, o, dict, "_active", ret);
	return r;
}

int
py_names_read(struct py_names *n, struct mem *m, const struct py_offsets *o,
    uint64_t interp, uint64_t ident, char *buf)
{
	uint64_t active = 0, thread = 0, name = 0;
	unsigned i;
	int r;

	for (i = 0; i < n->n_known && n->known[i].interp != interp; i++)
		;
	if (i < n->n_known) {
		active = n->known[i].active;
	} else {
		r = find_active(m, o, interp, &active);
		if (r < 0)
			return r;
		i = n->n_known < NAMES_MAX ? n->n_known++ : 0;
		assert(i < NAMES_MAX);
		n->known[i].interp = interp;
		n->known[i].active = active;
	}
	r = py_dict_get_number(m, o, active, ident, &thread);
	if (r == 0)
		r = py_object_attr(m, o, thread, "_name", &name);
	if (r < 0 && r != -ENOENT)
		n->n_known = 0; /* an interpreter may have ended */
	return r < 0 ? r : py_text_read(m, o, name, buf);
}
