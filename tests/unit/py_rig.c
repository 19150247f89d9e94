/* Making a process of an image of Python, and checking its stack; see the
 * header. */
#include "py_rig.h"

#include <stdlib.h>
#include <string.h>

#include "model/dict.h"
#include "support.h"

void
py_rig_begin(struct process *p, const struct mem *mem)
{
	memset(p, 0, sizeof(*p));
	p->ctx = bob_ctx_new();
	p->dict = bob_dict_new(p->ctx);
	assert_non_null(p->dict);
	p->pid = 4711;
	p->max_depth = BOB_MAX_CAPTURE_DEPTH;
	p->mem = *mem;
}

void
py_rig_end(struct process *p)
{
	free(p->run);
	free(p->local);
	bob_dict_free(p->dict);
	bob_ctx_free(p->ctx);
}

void
py_rig_assert_stack(const struct process *p, bob_stack s)
{
	size_t i;

	assert_int_equal(bob_stack_get(p->dict, s).depth, PYIMAGE_DEPTH);
	for (i = PYIMAGE_DEPTH; i-- > 0;) {
		struct bob_node node = bob_stack_get(p->dict, s);
		const struct bob_frame *f = bob_frame_get(p->dict, node.frame);
		struct bob_bytes name = bob_str_get(p->dict, f->name);

		assert_int_equal(name.n, strlen(pyimage_names[i]));
		assert_memory_equal(name.p, pyimage_names[i], name.n);
		assert_int_equal(f->where, pyimage_lines[i]);
		s = node.parent;
	}
}
