/* Ids of stacks; see the header. docs/ship.md says what exactly is hashed. */
#include "ship/stackid.h"

#include <stdlib.h>

#include "ship/rowbinary.h"

void
stackids_init(struct stackids *x, struct bob_ctx *ctx,
    const struct bob_dict *dict)
{
	memset(x, 0, sizeof(*x));
	x->ctx = ctx;
	x->dict = dict;
}

void
stackids_done(struct stackids *x)
{
	MEM_DROP(x->ctx, x, id);
	MEM_DROP(x->ctx, x, frame);
	MEM_DROP(x->ctx, x, name);
	memset(x, 0, sizeof(*x));
}

int64_t
stackids_line(const struct bob_frame *f)
{
	return f->flags & BOB_FRAME_NO_LINE ? 0 : f->where;
}

int
stackids_name(struct stackids *x, bob_fid frame, struct bob_bytes *ret)
{
	size_t n = bob_frame_name(x->dict, frame, x->name, x->cap_name);

	if (n > x->cap_name) {
		if (MEM_TAKE(x->ctx, x, name, n) < 0)
			return BOB_FATAL;
		n = bob_frame_name(x->dict, frame, x->name, x->cap_name);
	}
	*ret = (struct bob_bytes){ n == 0 ? "" : x->name, n };
	return BOB_OK;
}

static uint64_t
first_bytes(struct sha256 *h)
{
	uint8_t digest[SHA256_BYTES];
	uint64_t v = 0;
	size_t i;

	sha256_end(h, digest);
	for (i = 0; i < 8; i++)
		v |= (uint64_t)digest[i] << 8 * i;
	return v;
}

static void
add_string(struct sha256 *h, struct bob_bytes s)
{
	uint8_t n[8];

	(void)put_u64(n, s.n);
	sha256_add(h, n, sizeof(n));
	sha256_add(h, s.p, s.n);
}

static int
hash_frame(struct stackids *x, bob_fid id, uint64_t *ret)
{
	const struct bob_frame *f = bob_frame_get(x->dict, id);
	struct bob_bytes name;
	struct sha256 h;
	uint8_t head[9];

	if (stackids_name(x, id, &name) < 0)
		return BOB_FATAL;
	head[0] = f->lang;
	(void)put_u64(head + 1, (uint64_t)stackids_line(f));
	sha256_init(&h);
	sha256_add(&h, head, sizeof(head));
	add_string(&h, name);
	add_string(&h, bob_str_get(x->dict, f->file));
	*ret = first_bytes(&h);
	return BOB_OK;
}

/* 0 is the empty stack's alone. */
static uint64_t
hash_stack(uint64_t parent, uint64_t frame)
{
	struct sha256 h;
	uint8_t pair[16];
	uint64_t v;

	(void)put_u64(put_u64(pair, parent), frame);
	sha256_init(&h);
	sha256_add(&h, pair, sizeof(pair));
	v = first_bytes(&h);
	return v == 0 ? 1 : v;
}

int
stackids_renew(struct stackids *x)
{
	struct bob_counts n = bob_dict_counts(x->dict);
	struct bob_node node;

	if (MEM_TAKE(x->ctx, x, id, n.n_stack) < 0 ||
	    MEM_TAKE(x->ctx, x, frame, n.n_frame) < 0)
		return BOB_FATAL;
	for (; x->n_frame < n.n_frame; x->n_frame++)
		if (hash_frame(x, x->n_frame, &x->frame[x->n_frame]) < 0)
			return BOB_FATAL;
	if (x->n_id == 0)
		x->id[x->n_id++] = 0;
	/* A parent comes before its children. */
	for (; x->n_id < n.n_stack; x->n_id++) {
		node = bob_stack_get(x->dict, x->n_id);
		x->id[x->n_id] = hash_stack(x->id[node.parent],
		    node.frame < x->n_frame ? x->frame[node.frame] : 0);
	}
	return BOB_OK;
}
