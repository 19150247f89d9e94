/* Converting text, and comparing the results; see the header. */
#include "textual.h"

#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "work.h"

/* Steps that are allowed for an empty input. */
#define STEP_FREE 200000

static int
collect(void *user, const void *p, size_t n)
{
	struct textual *t = user;

	if (t->cap - t->n < n) {
		t->cap = 2 * (t->n + n);
		t->p = realloc(t->p, t->cap);
		PROMISE(t->p != NULL);
	}
	memcpy(t->p + t->n, p, n);
	t->n += n;
	return 0;
}

/* The bytes one by one, each after a "nothing yet". */
struct drops {
	const uint8_t *p;
	size_t n;
	int is_next;
};

static long
drops_read(void *user, void *buf, size_t cap)
{
	struct drops *d = user;

	(void)cap;
	if (d->n == 0)
		return 0;
	d->is_next = !d->is_next;
	if (d->is_next)
		return -2;
	memcpy(buf, d->p++, 1);
	d->n--;
	return 1;
}

static int
pump(struct bob_ctx *ctx, struct bob_reader *in, struct textual *t,
    const struct textual_how *how)
{
	struct bob_target to = { .write = collect, .user = t };
	struct bob_write_opts o = { .size = sizeof(o), .format = how->to,
		.options = how->options, .n_options = how->n_options,
		.dict = bob_reader_dict(in) };
	struct bob_writer *out;
	struct bob_event ev;
	int r;

	PROMISE(bob_create(ctx, &to, &o, &out) == BOB_OK);
	do {
		r = bob_next(in, &ev);
		if (r == BOB_OK)
			PROMISE(bob_write_event(out, &ev) == BOB_OK);
	} while (r == BOB_OK || r == BOB_AGAIN);
	PROMISE(bob_finish(out) == BOB_OK);
	return r;
}

void
textual_convert(struct textual *t, const void *p, size_t n,
    const struct textual_how *how)
{
	struct bob_read_opts o = { .size = sizeof(o), .format = how->from };
	struct drops drops = { .p = p, .n = n };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_reader *in;

	PROMISE(ctx != NULL);
	memset(t, 0, sizeof(*t));
	t->status = how->trickle
	    ? bob_open_fn(ctx, drops_read, &drops, "fuzz", &o, &in)
	    : bob_open_memory(ctx, p, n, "fuzz", &o, &in);
	if (t->status == BOB_OK) {
		work_begin();
		t->status = pump(ctx, in, t, how);
		work_check(n + bob_reader_bytes_unpacked(in) + t->n,
		    how->trickle ? WORK_TRICKLE : WORK_READ, STEP_FREE);
		bob_close(in);
	}
	bob_ctx_free(ctx);
}

void
textual_done(struct textual *t)
{
	free(t->p);
}

void
textual_must_be_alike(const struct textual *a, const struct textual *b)
{
	PROMISE(a->status == b->status);
	PROMISE(a->n == b->n);
	PROMISE(a->n == 0 || memcmp(a->p, b->p, a->n) == 0);
}

void
textual_must_trickle_alike(const char *from, const void *p, size_t n)
{
	const struct textual_how whole = { .from = from, .to = "dump" };
	const struct textual_how by_byte = { .from = from, .to = "dump",
		.trickle = 1 };
	struct textual a, b;

	textual_convert(&a, p, n, &whole);
	textual_convert(&b, p, n, &by_byte);
	textual_must_be_alike(&a, &b);
	textual_done(&a);
	textual_done(&b);
}
