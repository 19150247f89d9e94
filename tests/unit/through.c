/* Converting text in memory; see the header. */
#include "through.h"

#include "fault.h"

static int
collect(void *user, const void *p, size_t n)
{
	put_bytes(user, p, n);
	return 0;
}

/* Reads all that `in` gives; the writer is finished in every case. */
static int
pump(struct bob_ctx *ctx, struct bob_reader *in, const char *to,
    const struct through_how *how, struct buf *ret)
{
	struct bob_target target = { .write = collect, .user = ret };
	struct bob_option option = { how->option, how->value };
	struct bob_write_opts o = { .size = sizeof(o), .format = to,
		.options = &option, .n_options = how->option != NULL,
		.dict = bob_reader_dict(in) };
	struct bob_writer *out;
	struct bob_event ev;
	int r, w;

	r = bob_create(ctx, &target, &o, &out);
	if (r < 0)
		return r;
	do {
		r = bob_next(in, &ev);
		if (r != BOB_OK)
			continue;
		r = bob_write_event(out, &ev);
	} while (r == BOB_OK || r == BOB_AGAIN);
	w = bob_finish(out);
	return r < 0 ? r : w < 0 ? w : r;
}

void
through(struct through *t, const void *p, size_t n, const char *from,
    const char *to, const struct through_how *how)
{
	static const struct through_how plain = { 0 };
	struct bob_read_opts o = { .size = sizeof(o), .format = from };
	struct chunks chunks = { .p = p, .n = n };
	struct bob_ctx *ctx = ctx_with(&t->diags);
	struct bob_reader *in;

	how = how == NULL ? &plain : how;
	o.want = how->want;
	memset(&t->out, 0, sizeof(t->out));
	t->is_incomplete = 0;
	chunks.step = how->step;
	chunks.stutter = how->stutter;
	t->status = how->step > 0
	    ? bob_open_fn(ctx, chunks_read, &chunks, "text", &o, &in)
	    : bob_open_memory(ctx, p, n, "text", &o, &in);
	if (t->status == BOB_OK) {
		t->status = pump(ctx, in, to, how, &t->out);
		t->is_incomplete = bob_reader_is_incomplete(in);
		bob_close(in);
	}
	t->error = *bob_ctx_error(ctx);
	put_byte(&t->out, 0);
	t->out.n--;
	bob_ctx_free(ctx);
}

void
through_done(struct through *t)
{
	buf_free(&t->out);
}

void
assert_through(const char *text, const char *from, const char *to,
    const char *want)
{
	struct through t;

	through(&t, text, strlen(text), from, to, NULL);
	if (t.status != BOB_EOF)
		print_error("error: %s\n", t.error.text);
	assert_int_equal(t.status, BOB_EOF);
	assert_string_equal((const char *)t.out.p, want);
	assert_int_equal(t.diags.n_warnings, 0);
	through_done(&t);
}

void
assert_same_through(const char *text, const char *format)
{
	assert_through(text, format, format, text);
}

void
assert_dump_frames(const struct through *t, const char *want)
{
	const char *p = (const char *)t->out.p;
	struct buf got = { 0 };
	unsigned tab;

	while (*p != '\0') {
		size_t len = strcspn(p, "\n");
		const char *end = p + len;

		for (tab = 0; tab < 8 && p < end; p++)
			tab += *p == '\t';
		for (; p < end; p++)
			put_byte(&got, *p == '\t' ? ' ' : (unsigned char)*p);
		put_byte(&got, '\n');
		p++;
	}
	put_byte(&got, 0);
	assert_string_equal((const char *)got.p, want);
	buf_free(&got);
}

void
hand_begin(struct hand *h, const char *format, const char *option,
    const char *value)
{
	struct bob_target to = { .write = collect, .user = &h->out };
	struct bob_option v = { option, value };
	struct bob_write_opts o = { .size = sizeof(o), .format = format,
		.options = &v, .n_options = option != NULL };

	memset(h, 0, sizeof(*h));
	h->ctx = ctx_with(&h->diags);
	assert_status(h->ctx, BOB_OK, bob_create(h->ctx, &to, &o, &h->w));
	h->d = bob_writer_dict(h->w);
}

bob_str
hand_str(struct hand *h, const char *s)
{
	return bob_str_put(h->d, s, strlen(s));
}

bob_stack
hand_push(struct hand *h, bob_stack parent, struct bob_frame f,
    const char *name, const char *file)
{
	f.name = hand_str(h, name);
	f.file = hand_str(h, file);
	return bob_stack_push(h->d, parent, bob_frame_put(h->d, &f));
}

void
hand_segment(struct hand *h, const struct bob_segment *segment)
{
	assert_status(h->ctx, BOB_OK, bob_write_segment(h->w, segment));
}

void
hand_run(struct hand *h, const struct bob_run *run)
{
	assert_status(h->ctx, BOB_OK, bob_write_runs(h->w, run, 1));
}

void
hand_samples(struct hand *h, uint64_t period, bob_stack stack, uint64_t count)
{
	struct bob_segment segment = { .period_us = period };
	struct bob_run run = { .stack = stack, .count = count };

	hand_segment(h, &segment);
	hand_run(h, &run);
}

void
hand_end(struct hand *h, const char *want)
{
	assert_status(h->ctx, BOB_OK, bob_finish(h->w));
	put_byte(&h->out, 0);
	assert_string_equal((const char *)h->out.p, want);
	buf_free(&h->out);
	bob_ctx_free(h->ctx);
}

/* What one run with a failing allocation needs. */
struct faulty {
	struct bob_ctx *ctx;
	const char *text, *from, *to;
};

/* Takes nothing, so that no test's own memory can fail. */
static int
drop(void *user, const void *p, size_t n)
{
	(void)user;
	(void)p;
	(void)n;
	return 0;
}

static int
convert_faulty(void *user)
{
	const struct faulty *f = user;
	struct bob_read_opts ro = { .size = sizeof(ro), .format = f->from };
	struct bob_target to = { .write = drop };
	struct bob_write_opts wo = { .size = sizeof(wo), .format = f->to };
	struct bob_reader *in;
	struct bob_writer *out = NULL;
	struct bob_event ev;
	int r = bob_open_memory(f->ctx, f->text, strlen(f->text), "text", &ro,
	    &in);

	if (r < 0)
		return r;
	wo.dict = bob_reader_dict(in);
	r = bob_create(f->ctx, &to, &wo, &out);
	while (r == BOB_OK && (r = bob_next(in, &ev)) == BOB_OK)
		r = bob_write_event(out, &ev);
	if (r == BOB_EOF)
		r = bob_finish(out);
	else
		bob_discard(out);
	bob_close(in);
	return r;
}

void
assert_survives_faults(const char *text, const char *from, const char *to)
{
	struct faulty f = { bob_ctx_new(), text, from, to };

	assert_non_null(f.ctx);
	fault_each(convert_faulty, &f);
	assert_int_equal(bob_ctx_error(f.ctx)->code, BOB_E_NOMEM);
	bob_ctx_free(f.ctx);
}
