/* Writing the memory of a simulated PHP; see the header. */
#include "php_rig.h"

#include <string.h>

void
lay64(struct process_memory *p, uint64_t at, uint64_t v)
{
	fakemem_put(&p->fake, at - BASE, v, 8);
}

void
lay32(struct process_memory *p, uint64_t at, uint32_t v)
{
	fakemem_put(&p->fake, at - BASE, v, 4);
}

static void
change(struct fakemem *m, size_t i, size_t n)
{
	struct process_memory *p = m->user;

	if (i == 1 && n > 2 && p->go_on != NULL)
		p->go_on(p);
}

uint64_t
lay_string(struct process_memory *p, uint64_t at, const char *s)
{
	lay64(p, at + STR_LEN, strlen(s));
	memcpy(p->m + (at + STR_VAL - BASE), s, strlen(s));
	return at;
}

void
lay_function(struct process_memory *p, uint64_t at, uint8_t type,
    uint64_t name, uint64_t ops)
{
	const struct php_offsets *o = php_offsets_of(82);

	p->m[at - BASE + FN_TYPE] = type;
	lay64(p, at + FN_NAME, name);
	if (type == FN_INTERNAL)
		return;
	lay64(p, at + o->op_filename,
	    lay_string(p, STRINGS + 0x800, "a.php"));
	lay64(p, at + o->op_opcodes, ops);
	lay32(p, at + o->op_last, 3);
	lay32(p, ops + OP_LINE, 10);
	p->m[ops - BASE + OP_CODE] = OP_DO_ICALL;
	lay32(p, ops + OP_SIZE + OP_LINE, 20);
	p->m[ops - BASE + OP_SIZE + OP_CODE] = OP_DO_ICALL;
	lay32(p, ops + 2 * OP_SIZE + OP_LINE, 30);
	p->m[ops - BASE + 2 * OP_SIZE + OP_CODE] = 1;
}

void
lay_frame(struct process_memory *p, uint64_t at, uint64_t func,
    uint64_t opline, uint32_t n_args, uint64_t prev)
{
	const struct php_offsets *o = php_offsets_of(82);

	lay64(p, at + EX_FUNC, func);
	lay64(p, at + EX_OPLINE, opline);
	lay32(p, at + EX_TYPE_INFO, prev == 0 ? o->call_top : 0);
	lay32(p, at + EX_N_ARGS, n_args);
	lay64(p, at + o->ex_prev, prev);
}

void
lay_roots(struct process_memory *p, uint64_t current, uint64_t size)
{
	const struct php_offsets *o = php_offsets_of(82);

	lay64(p, EG + o->eg_vm_stack_top, current + size);
	lay64(p, EG + o->eg_vm_stack_top + EG_VM_STACK, PAGE);
	lay64(p, EG + o->eg_current, current);
}

void
rig_begin(struct rig *r)
{
	struct mem *mem = &r->p.fake.mem;

	memset(r, 0, sizeof(*r));
	fakemem_init(&r->p.fake, BASE, r->p.m, sizeof(r->p.m));
	r->p.fake.before = change;
	r->p.fake.user = &r->p;
	r->ctx = bob_ctx_new();
	r->dict = bob_dict_new(r->ctx);
	assert_non_null(r->dict);
	lay_function(&r->p, MAIN, FN_USER, 0, OPS);
	lay_function(&r->p, USER, FN_USER, lay_string(&r->p, STRINGS, "u"),
	    USER_OPS);
	lay_function(&r->p, G, FN_INTERNAL,
	    lay_string(&r->p, STRINGS + 0x100, "g"), 0);
	lay_function(&r->p, H, FN_INTERNAL,
	    lay_string(&r->p, STRINGS + 0x200, "h"), 0);
	names_init(&r->names, r->ctx, r->dict, mem, php_offsets_of(82), 0);
	copy_init(&r->copy, r->ctx, mem, php_offsets_of(82), EG);
	walk_init(&r->walk, r->ctx, r->dict, &r->copy, &r->names, 100);
}

void
rig_end(struct rig *r)
{
	walk_done(&r->walk);
	copy_done(&r->copy);
	names_done(&r->names);
	bob_dict_free(r->dict);
	bob_ctx_free(r->ctx);
}
