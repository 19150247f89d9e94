/* Growing arrays and arenas; see the header. */
#include "core/mem.h"

#include <stdlib.h>
#include <string.h>

#include <bobbin/limits.h>

#define ARENA_BLOCK ((size_t)64 << 10)
#define ARENA_FIRST ((size_t)4 << 10)

/* Returns the next capacity for `need` elements; 0 if it is too large. */
static size_t
next_cap(size_t cap, size_t need, size_t size)
{
	size_t n = cap < 16 ? 16 : cap;

	while (n < need) {
		if (n > SIZE_MAX / 2 / size)
			return 0;
		n *= 2;
	}
	return n;
}

int
mem_grow(struct bob_ctx *ctx, void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = next_cap(*cap, need, size);
	void *old, *new;

	memcpy(&old, p, sizeof(old));
	new = n == 0 ? NULL : realloc(old, n * size);
	if (new == NULL)
		return err_nomem(ctx);
	memcpy(p, &new, sizeof(new));
	*cap = n;
	return BOB_OK;
}

/* Takes the difference from the budget when an array grows from `old` to `size`
 * bytes. Returns 0 if it is refused, or size is 0. */
static int
take_more(struct bob_ctx *ctx, size_t old, size_t size)
{
	return size != 0 && budget_take_memory(ctx->budget, size - old);
}

int
mem_take(struct bob_ctx *ctx, void *p, size_t *cap, size_t need, size_t size)
{
	size_t old = *cap * size, n = next_cap(*cap, need, size) * size;

	if (!take_more(ctx, old, n))
		return err_nomem(ctx);
	if (mem_grow(ctx, p, cap, need, size) == BOB_OK)
		return BOB_OK;
	budget_give_memory(ctx->budget, n - old);
	return BOB_FATAL;
}

void
mem_drop(struct bob_ctx *ctx, void *p, size_t size)
{
	if (p == NULL)
		return;
	budget_give_memory(ctx->budget, size);
	free(p);
}

int
mem_grow_big(struct bob_ctx *ctx, void *p, size_t *cap, size_t need,
    size_t size)
{
	size_t old_size = *cap * size, n = next_cap(*cap, need, size);
	void *old, *new;

	if (!take_more(ctx, old_size, n * size))
		return err_nomem(ctx);
	memcpy(&old, p, sizeof(old));
	new = big_grow(old, old_size, n * size);
	if (new == NULL) {
		budget_give_memory(ctx->budget, n * size - old_size);
		return err_nomem(ctx);
	}
	memcpy(p, &new, sizeof(new));
	*cap = n;
	return BOB_OK;
}

void
mem_drop_big(struct bob_ctx *ctx, void *p, size_t size)
{
	if (p == NULL)
		return;
	budget_give_memory(ctx->budget, size);
	big_free(p, size);
}

struct arena_block {
	struct arena_block *next;
	struct budget *budget;
	size_t size;
	_Alignas(8) unsigned char data[];
};

/* Blocks begin small: a capture has hundreds of small arenas, a trace has one
 * large one. */
static size_t
next_block(const struct arena_block *head)
{
	if (head == NULL)
		return ARENA_FIRST;
	return head->size < ARENA_BLOCK / 2 ? 2 * head->size : ARENA_BLOCK;
}

static struct arena_block *
block_new(struct bob_ctx *ctx, size_t size)
{
	struct arena_block *b = NULL;

	if (budget_take_memory(ctx->budget, size)) {
		b = malloc(sizeof(*b) + size);
		if (b == NULL)
			budget_give_memory(ctx->budget, size);
	}
	if (b == NULL) {
		(void)err_nomem(ctx);
		return NULL;
	}
	b->budget = ctx->budget;
	b->size = size;
	return b;
}

static void
block_free(struct arena_block *b)
{
	budget_give_memory(b->budget, b->size);
	free(b);
}

void *
arena_alloc(struct bob_ctx *ctx, struct arena *a, size_t n)
{
	struct arena_block *b = a->head;
	void *p;

	if (n > SIZE_MAX / 2) {
		(void)err_nomem(ctx);
		return NULL;
	}
	n = (n + 7) & ~(size_t)7;
	if (b == NULL || b->size - a->used < n) {
		size_t size = next_block(b);

		if (n > size / 4)
			size = n > ARENA_BLOCK / 4 ? n : ARENA_BLOCK;
		b = block_new(ctx, size);
		if (b == NULL)
			return NULL;
		b->next = a->head;
		a->head = b;
		a->used = 0;
	}
	p = b->data + a->used;
	a->used += n;
	return p;
}

void
arena_reset(struct arena *a)
{
	struct arena_block *b, *next;

	if (a->head == NULL)
		return;
	for (b = a->head->next; b != NULL; b = next) {
		next = b->next;
		block_free(b);
	}
	a->head->next = NULL;
	a->used = 0;
}

void
arena_free(struct arena *a)
{
	arena_reset(a);
	if (a->head != NULL)
		block_free(a->head);
	a->head = NULL;
}

void
arena_join(struct bob_ctx *ctx, struct arena *a, struct arena *from)
{
	struct arena_block *b, *last = NULL;

	for (b = from->head; b != NULL; b = b->next) {
		budget_move_memory(b->budget, ctx->budget, b->size);
		b->budget = ctx->budget;
		last = b;
	}
	if (a->head == NULL) {
		*a = *from;
	} else if (last != NULL) {
		last->next = a->head->next;
		a->head->next = from->head;
	}
	from->head = NULL;
	from->used = 0;
}
