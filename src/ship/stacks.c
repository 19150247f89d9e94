/* The stacks of a block; see blocks_inside.h. */
#include "ship/blocks_inside.h"

#include <stdio.h>

const char blocks_columns_stacks[] = "stack,frames,files,lines,langs,seen";

void
sent_done(struct blocks *b)
{
	MEM_DROP(b->ctx, b, sent);
	MEM_DROP(b->ctx, b, sent_now);
	MEM_DROP(b->ctx, b, path);
}

/* Sets b->path to the frames of a stack, the outermost first, and *ret_n to
 * their number. Frames that are left out are the outermost. */
static int
find_path(struct blocks *b, bob_stack stack, size_t *ret_n)
{
	struct bob_node node = bob_stack_get(b->dict, stack);
	size_t n = node.depth < BLOCK_DEPTH ? node.depth : BLOCK_DEPTH, i;

	if (MEM_TAKE(b->ctx, b, path, BLOCK_DEPTH) < 0)
		return BOB_FATAL;
	for (i = n; i > 0; i--) {
		b->path[i - 1] = node.frame;
		node = bob_stack_get(b->dict, node.parent);
	}
	*ret_n = n;
	return BOB_OK;
}

static void
put_name(struct rowbin *w, struct bob_bytes s)
{
	rowbin_string(w, s.p, block_name_length(s.n));
}

/* The name of the frame that stands for n that are left out. */
static void
put_left_out(struct rowbin *w, uint32_t n)
{
	char text[64];
	int len = snprintf(text, sizeof(text), "<%u outer frames>", n);

	rowbin_string(w, text, (size_t)len);
}

static int
put_names(struct blocks *b, size_t n, uint32_t left_out)
{
	struct rowbin *w = &b->stacks;
	struct bob_bytes name;
	size_t i;

	rowbin_varint(w, n + (left_out > 0));
	if (left_out > 0)
		put_left_out(w, left_out);
	for (i = 0; i < n; i++) {
		if (stackids_name(&b->ids, b->path[i], &name) < 0)
			return BOB_FATAL;
		put_name(w, name);
	}
	return BOB_OK;
}

static void
put_files(struct blocks *b, size_t n, uint32_t left_out)
{
	struct rowbin *w = &b->stacks;
	size_t i;

	rowbin_varint(w, n + (left_out > 0));
	if (left_out > 0)
		rowbin_string(w, "", 0);
	for (i = 0; i < n; i++)
		put_name(w, bob_str_get(b->dict,
		    bob_frame_get(b->dict, b->path[i])->file));
}

static void
put_numbers(struct blocks *b, size_t n, uint32_t left_out)
{
	struct rowbin *w = &b->stacks;
	uint8_t *p;
	size_t i;

	rowbin_varint(w, n + (left_out > 0));
	if (left_out > 0)
		rowbin_u64(w, 0);
	for (i = 0; i < n; i++)
		rowbin_u64(w, (uint64_t)stackids_line(bob_frame_get(b->dict,
		    b->path[i])));
	rowbin_varint(w, n + (left_out > 0));
	p = rowbin_room(w, n + 1);
	if (left_out > 0)
		*p++ = BOB_LANG_OTHER;
	for (i = 0; i < n; i++)
		*p++ = bob_frame_get(b->dict, b->path[i])->lang;
	w->n += n + (left_out > 0);
}

static int
write_stack(struct blocks *b, const struct minute *s)
{
	struct rowbin *w = &b->stacks;
	uint32_t depth = bob_stack_get(b->dict, s->stack).depth;
	uint32_t left_out = depth > BLOCK_DEPTH ? depth - BLOCK_DEPTH : 0;
	size_t n;

	if (find_path(b, s->stack, &n) < 0)
		return BOB_FATAL;
	rowbin_u64(w, s->id);
	if (put_names(b, n, left_out) < 0)
		return BOB_FATAL;
	put_files(b, n, left_out);
	put_numbers(b, n, left_out);
	(void)put_u16(rowbin_room(w, 2), b->block.day);
	w->n += 2;
	rowbin_end_row(w);
	if (b->n_stack_bytes + w->n_raw + w->n > BLOCK_STACK_BYTES)
		return err_set(b->ctx, BOB_FATAL, BOB_E_LIMIT, BOB_NO_OFFSET,
		    "%s: the frames of its stacks take more than %llu bytes",
		    b->src.name, (unsigned long long)BLOCK_STACK_BYTES);
	if (MEM_TAKE(b->ctx, b, sent_now, b->n_sent_now + 1) < 0)
		return BOB_FATAL;
	b->sent_now[b->n_sent_now++] = s->id;
	return w->r;
}

/* Makes room in b->sent for all stacks, and begins again on another date. */
static int
renew_sent(struct blocks *b)
{
	size_t n = bob_dict_counts(b->dict).n_stack;

	if (MEM_TAKE(b->ctx, b, sent, n) < 0)
		return BOB_FATAL;
	if (b->sent_day != b->block.day)
		b->n_sent = 0;
	b->sent_day = b->block.day;
	memset(b->sent + b->n_sent, 0, n - b->n_sent);
	b->n_sent = n;
	return BOB_OK;
}

int
stacks_write(struct blocks *b)
{
	uint32_t i;

	if (renew_sent(b) < 0)
		return BOB_FATAL;
	for (i = 1; i < b->minutes.n; i++) {
		const struct minute *s = &b->minutes.sum[i];

		if (b->sent[s->stack])
			continue;
		b->sent[s->stack] = 1;
		if (b->how.has_stack != NULL &&
		    b->how.has_stack(b->how.user, s->id, b->block.day))
			continue;
		if (write_stack(b, s) < 0)
			return BOB_FATAL;
	}
	b->n_stack_bytes += b->stacks.n_raw + b->stacks.n;
	return BOB_OK;
}
