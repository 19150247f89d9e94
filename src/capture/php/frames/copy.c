/*
 * The gathering read of a thread's stack, and its predictions; see copy.h.
 *
 * Invariant: all predicted spans together fit into `elsewhere`, as each was
 * read into it before, or is a union of such spans.
 */
#include "capture/php/frames/copy.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "core/mem.h"

/* Room for calls that are made between two samples. */
#define SLACK 1024
#define GRAIN 256

/* Bytes at the end of the page that are read before the rest of it: the process
 * changes those. */
#define HOT 8192

/* When two frames in a row lie elsewhere and near each other, the next ones are
 * mostly below them: so many bytes are read at once. */
#define WINDOW ((uint64_t)64 << 10)
/* PHP's heap maps memory in chunks of this size and alignment. A window that
 * stays inside one chunk is mapped as a whole. */
#define CHUNK ((uint64_t)2 << 20)

void
copy_init(struct copy *c, struct bob_ctx *ctx, struct mem *mem,
    const struct php_offsets *o, uint64_t eg)
{
	memset(c, 0, sizeof(*c));
	c->ctx = ctx;
	c->mem = mem;
	c->o = o;
	c->eg = eg;
}

void
copy_done(struct copy *c)
{
	if (c->room != NULL)
		c->room->n_bytes -= c->cap_page + c->cap_elsewhere;
	free(c->page);
	free(c->elsewhere);
}

/* True when a buffer of cap bytes may grow to hold `need`: MEM_GROW may
 * allocate twice as much. */
static int
has_room(const struct copy *c, size_t cap, size_t need)
{
	return need <= cap || c->room == NULL || 2 * need - cap <=
	    BOB_MAX_CAPTURE_COPY - c->room->n_bytes;
}

static void
count_room(struct copy *c, size_t was)
{
	if (c->room != NULL)
		c->room->n_bytes += c->cap_page + c->cap_elsewhere - was;
}

/* Returns 0; -EFAULT if the limit of the process would be exceeded; -ENOMEM,
 * recorded. */
static int
grow_page(struct copy *c, size_t need)
{
	size_t was = c->cap_page + c->cap_elsewhere;
	int r;

	if (!has_room(c, c->cap_page, need))
		return -EFAULT;
	r = MEM_GROW(c->ctx, c, page, need) < 0 ? -ENOMEM : 0;
	count_room(c, was);
	return r;
}

static int
grow_elsewhere(struct copy *c, size_t need)
{
	size_t was = c->cap_page + c->cap_elsewhere;
	int r;

	if (!has_room(c, c->cap_elsewhere, need))
		return -EFAULT;
	r = MEM_GROW(c->ctx, c, elsewhere, need) < 0 ? -ENOMEM : 0;
	count_room(c, was);
	return r;
}

/* Forgets which spans will be needed. */
static void
drop_predictions(struct copy *c)
{
	c->base = 0;
	c->len = c->want = 0;
	c->n_span = 0;
}

static size_t
root_size(const struct copy *c)
{
	return (size_t)(c->o->eg_current - c->o->eg_vm_stack_top) + 8;
}

static uint64_t
root_word(const struct copy *c, int after, size_t at)
{
	return mem_u64(after ? c->after : c->before, at);
}

uint64_t
copy_current(const struct copy *c, int after)
{
	return root_word(c, after,
	    (size_t)(c->o->eg_current - c->o->eg_vm_stack_top));
}

uint64_t
copy_top(const struct copy *c, int after)
{
	return root_word(c, after, 0);
}

/* Sets which part of the page is copied next time. Returns 0; -ENOENT if there
 * is no page; -EFAULT if the roots cannot be those of a page. */
static int
predict_page(struct copy *c, uint64_t base, uint64_t top)
{
	size_t need;
	int r;

	if (base == 0)
		return -ENOENT;
	if (!mem_is_user(base, COPY_MAX_PAGE) || base % 8 != 0 ||
	    top < base || top - base > COPY_MAX_PAGE - SLACK - GRAIN)
		return -EFAULT;
	need = (size_t)(top - base) + SLACK + GRAIN - 1;
	need -= need % GRAIN;
	/* A stack that has just shrunk will grow again. */
	if (base == c->base && need < c->want)
		need = c->want - (c->want - need) / 16;
	r = grow_page(c, need);
	if (r < 0)
		return r;
	c->base = base;
	c->want = need;
	return 0;
}

/* Reads the roots alone, when nothing is predicted. As copy_take(). */
static int
find_page(struct copy *c)
{
	int r = mem_read(c->mem, c->eg + c->o->eg_vm_stack_top, c->before,
	    root_size(c));

	if (r < 0)
		return r;
	r = predict_page(c, root_word(c, 0, EG_VM_STACK), copy_top(c, 0));
	return r == -ENOENT ? 1 : r;
}

/* Gives each predicted span its bytes in `elsewhere`. */
static void
place_spans(struct copy *c)
{
	size_t i;

	c->n_used = 0;
	for (i = 0; i < c->n_span; i++) {
		if (c->span[i].n > COPY_MAX_ELSEWHERE / 2 - c->n_used)
			break;
		c->span[i].offset = c->n_used;
		c->span[i].idle++;
		c->n_used += c->span[i].n;
	}
	c->n_span = i;
	assert(c->n_used <= c->cap_elsewhere);
}

static long
gather_copy(struct copy *c, size_t *ret_total)
{
	struct mem_span v[COPY_SPANS + 4];
	uint64_t roots = c->eg + c->o->eg_vm_stack_top;
	size_t n = 0, i, hot;

	c->len = c->want;
	v[n++] = (struct mem_span){ roots, c->before, root_size(c) };
	hot = c->len > HOT ? c->len - HOT : 0;
	v[n++] = (struct mem_span){ c->base + hot, c->page + hot,
		c->len - hot };
	if (hot > 0)
		v[n++] = (struct mem_span){ c->base, c->page, hot };
	for (i = 0; i < c->n_span; i++)
		v[n++] = (struct mem_span){ c->span[i].at,
			c->elsewhere + c->span[i].offset, c->span[i].n };
	v[n++] = (struct mem_span){ roots, c->after, root_size(c) };
	*ret_total = mem_total(v, n);
	return mem_gather(c->mem, v, n);
}

int
copy_peek(struct copy *c)
{
	size_t hot = c->want > HOT ? c->want - HOT : 0;
	struct mem_span v[2] = {
		{ c->base + hot, c->page + hot, c->want - hot },
		{ c->eg + c->o->eg_vm_stack_top, c->after, root_size(c) },
	};

	if (c->base == 0)
		return 0;
	c->len = c->want;
	return mem_gather(c->mem, v, 2) == (long)mem_total(v, 2) &&
	    root_word(c, 1, EG_VM_STACK) == c->base;
}

int
copy_take(struct copy *c)
{
	size_t total;
	uint64_t base, top;
	long k;
	int r;

	c->last_miss = 0;
	if (c->base == 0) {
		r = find_page(c);
		if (r != 0)
			return r;
	}
	place_spans(c);
	k = gather_copy(c, &total);
	if (k < 0 && k != -EFAULT)
		return (int)k;
	if (k < 0 || (size_t)k != total) {
		/* A part of it is no longer mapped. */
		drop_predictions(c);
		return -EAGAIN;
	}
	base = root_word(c, 0, EG_VM_STACK);
	top = copy_top(c, 0);
	if (copy_current(c, 0) == 0 && copy_current(c, 1) == 0)
		return 1;
	if (base == c->base && top >= base && top - base <= c->len)
		return predict_page(c, base, top);
	drop_predictions(c);
	r = predict_page(c, base, top);
	return r == 0 ? -EAGAIN : r == -ENOENT ? 1 : r;
}

/* Returns the span that holds a frame, or NULL. */
static struct copy_span *
find_span(struct copy *c, uint64_t ex)
{
	size_t i;

	for (i = 0; i < c->n_span; i++) {
		struct copy_span *s = &c->span[i];

		if (ex >= s->at && ex - s->at <= s->n - EX_SIZE)
			return s;
	}
	return NULL;
}

/* Returns a free entry, or else that of the span that was idle longest. */
static struct copy_span *
new_span(struct copy *c)
{
	struct copy_span *worst = &c->span[0];
	size_t i;

	if (c->n_span < COPY_SPANS)
		return &c->span[c->n_span++];
	for (i = 1; i < c->n_span; i++)
		if (c->span[i].idle > worst->idle)
			worst = &c->span[i];
	return worst;
}

/* Reads a frame that is neither in the page nor in a span, and makes a span of
 * it. Returns its EX_SIZE bytes, or NULL. */
static const uint8_t *
read_missing(struct copy *c, uint64_t ex)
{
	uint64_t from = ex;
	struct copy_span *s;
	size_t n;

	if (ex % 8 != 0 || !mem_is_user(ex, EX_SIZE))
		return NULL;
	if (c->last_miss > ex && c->last_miss - ex < WINDOW) {
		from = ex > WINDOW ? ex - WINDOW : 0;
		if (from < ex - ex % CHUNK)
			from = ex - ex % CHUNK;
	}
	n = (size_t)(ex - from) + EX_SIZE;
	if (n > COPY_MAX_ELSEWHERE - c->n_used ||
	    grow_elsewhere(c, c->n_used + n) < 0)
		return NULL;
	if (mem_read(c->mem, from, c->elsewhere + c->n_used, n) < 0) {
		if (from == ex)
			return NULL;
		from = ex;
		n = EX_SIZE;
		if (mem_read(c->mem, from, c->elsewhere + c->n_used, n) < 0)
			return NULL;
	}
	s = new_span(c);
	*s = (struct copy_span){ from, n, c->n_used, 0 };
	c->n_used += n;
	return c->elsewhere + s->offset + (ex - from);
}

const uint8_t *
copy_frame(struct copy *c, uint64_t ex)
{
	struct copy_span *s;
	const uint8_t *p;

	if (copy_in_page(c, ex) && c->len - (ex - c->base) >= EX_SIZE) {
		c->last_miss = 0;
		return c->page + (ex - c->base);
	}
	s = find_span(c, ex);
	if (s != NULL) {
		s->idle = 0;
		p = c->elsewhere + s->offset + (ex - s->at);
	} else {
		p = read_missing(c, ex);
	}
	c->last_miss = ex;
	return p;
}

int
copy_again(struct copy *c)
{
	struct mem_span v[COPY_SPANS];
	size_t i;

	for (i = 0; i < c->n_span; i++)
		v[i] = (struct mem_span){ c->span[i].at,
			c->elsewhere + c->span[i].offset, c->span[i].n };
	return i > 0 && mem_gather(c->mem, v, i) == (long)mem_total(v, i);
}

/* Extends span a by span b, which touches or overlaps it. */
static void
span_join(struct copy_span *a, const struct copy_span *b)
{
	uint64_t end = a->at + a->n;

	if (b->at + b->n > end)
		end = b->at + b->n;
	if (b->at < a->at)
		a->at = b->at;
	a->n = (size_t)(end - a->at);
	if (b->idle < a->idle)
		a->idle = b->idle;
}

void
copy_learn(struct copy *c)
{
	size_t i, k, n = 0;

	for (i = 0; i < c->n_span; i++) {
		const struct copy_span *s = &c->span[i];

		if (s->idle > COPY_IDLE || (s->at >= c->base &&
		        s->at - c->base < c->len))
			continue;
		for (k = 0; k < n; k++)
			if (s->at <= c->span[k].at + c->span[k].n &&
			    c->span[k].at <= s->at + s->n)
				break;
		if (k < n)
			span_join(&c->span[k], s);
		else
			c->span[n++] = *s;
	}
	c->n_span = n;
}
