/* Reads co_names as addresses and compares them. */
#include "capture/python/code/mentions.h"

#include <stdlib.h>

#include "core/mem.h"

/* Names of one code object. If it has more, none is read. */
#define MAX_NAMES 1024

static int
read_mentions(struct py_codes *c, struct py_code *p)
{
	const struct py_offsets *o = c->o;
	uint64_t n;

	if (p->names % 8 != 0 || !mem_is_user(p->names, 4096) ||
	    mem_read_u64(c->mem, p->names + o->var_size, &n) < 0 ||
	    n > MAX_NAMES || 8 * (size_t)n > CODES_MAX_BYTES - c->n_bytes)
		return 0;
	p->mention = malloc(8 * (size_t)n + 8);
	if (p->mention == NULL)
		return 0;
	if (n > 0 && mem_read(c->mem, p->names + o->tuple_items, p->mention,
	        8 * (size_t)n) < 0) {
		free(p->mention);
		p->mention = NULL;
		return 0;
	}
	p->n_mention = (uint32_t)n;
	c->n_bytes += 8 * (size_t)n;
	return 1;
}

int
py_mentions(struct py_codes *c, uint32_t caller, uint32_t callee)
{
	struct py_code *p = &c->code[caller];
	uint64_t name = c->code[callee].own_name;
	uint32_t i;

	if (name == 0 || (p->mention == NULL && !read_mentions(c, p)))
		return 0;
	for (i = 0; i < p->n_mention; i++)
		if (p->mention[i] == name)
			return 1;
	return 0;
}
