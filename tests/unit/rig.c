/* A .rbt writer beside the bytes that it must write; see the header. */
#include "rig.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

int
rig_collect(void *user, const void *p, size_t n)
{
	struct rig *g = user;

	put_bytes(&g->got, p, n);
	g->n_writes++;
	return 0;
}

int
rig_setup(void **state)
{
	struct rig *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return -1;
	g->ctx = bob_ctx_new();
	*state = g;
	return g->ctx == NULL;
}

int
rig_teardown(void **state)
{
	struct rig *g = *state;

	bob_discard(g->w);
	buf_free(&g->got);
	buf_free(&g->want);
	bob_ctx_free(g->ctx);
	free(g);
	return 0;
}

void
start(struct rig *g, const char *key, const char *value)
{
	struct bob_target to = { .write = rig_collect, .user = g };
	struct bob_option option = { key, value };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.options = &option,
		.n_options = key != NULL };

	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, &to, &o, &g->w));
	g->d = bob_writer_dict(g->w);
}

bob_stack
push(struct rig *g, bob_stack parent, const char *name)
{
	struct bob_frame f = { .where = 7, .lang = BOB_LANG_PHP };

	f.name = bob_str_put(g->d, name, strlen(name));
	f.file = bob_str_put(g->d, "a.php", 5);
	return bob_stack_push(g->d, parent, bob_frame_put(g->d, &f));
}

void
want_first(struct rig *g, const char *name)
{
	static const uint64_t frames[] = { 0 };

	put_string(&g->want, 0, "");
	put_string(&g->want, 1, name);
	put_string(&g->want, 2, "a.php");
	put_frame(&g->want, 0, 1, 2, 7);
	put_stack(&g->want, 0, frames, 1);
}

void
want_second(struct rig *g, const char *name)
{
	static const uint64_t frames[] = { 1 };

	put_string(&g->want, 3, name);
	put_frame(&g->want, 1, 3, 2, 7);
	put_stack(&g->want, 1, frames, 1);
}

void
want_end(struct rig *g, uint64_t frames, uint64_t stacks, uint64_t samples)
{
	put_checkpoint(&g->want, frames, stacks, samples);
	put_end(&g->want);
}

void
write_run(struct rig *g, bob_stack stack, uint64_t count)
{
	struct bob_run run = { .count = count, .stack = stack };

	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
}

void
write_at(struct rig *g, bob_stack stack, uint64_t count, uint64_t t)
{
	struct bob_run run = { .count = count, .stack = stack,
		.t_first = t, .t_last = t, .flags = BOB_RUN_TIMED };

	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, &run, 1));
}

void
write_segment(struct rig *g, uint64_t period, uint32_t flags)
{
	struct bob_segment s = { .period_us = period, .flags = flags };

	assert_status(g->ctx, BOB_OK, bob_write_segment(g->w, &s));
}

void
write_meta(struct rig *g, const char *key, const char *value)
{
	struct bob_mark m = { .kind = BOB_MARK_META };

	m.key = bob_str_put(g->d, key, strlen(key));
	m.value = bob_str_put(g->d, value, strlen(value));
	assert_status(g->ctx, BOB_OK, bob_write_mark(g->w, &m));
}

void
finish(struct rig *g)
{
	assert_status(g->ctx, BOB_OK, bob_finish(g->w));
	g->w = NULL;
}

void
assert_bytes(const struct buf *got, const struct buf *want)
{
	size_t i, n = got->n < want->n ? got->n : want->n;

	for (i = 0; i < n; i++)
		if (got->p[i] != want->p[i])
			fail_msg("byte %zu is %02x, not %02x", i, got->p[i],
			    want->p[i]);
	assert_int_equal(got->n, want->n);
}

void
finish_and_compare(struct rig *g)
{
	finish(g);
	assert_bytes(&g->got, &g->want);
}

bob_annot
annotate(struct rig *g, const char *key, const char *value)
{
	struct bob_pair p = { bob_str_put(g->d, key, strlen(key)),
		bob_str_put(g->d, value, strlen(value)) };

	return bob_annot_put(g->d, &p, 1);
}

unsigned
count_headers(const struct buf *b)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i + 4 <= b->n; i++)
		n += memcmp(b->p + i, "RELI", 4) == 0;
	return n;
}

void
unpack(const struct buf *packed, size_t *from, struct buf *ret)
{
	z_stream z = { 0 };
	uint8_t out[4096];
	int r;

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	z.next_in = packed->p + *from;
	z.avail_in = (uInt)(packed->n - *from);
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		r = inflate(&z, Z_NO_FLUSH);
		assert_true(r == Z_OK || r == Z_STREAM_END);
		put_bytes(ret, out, sizeof(out) - z.avail_out);
	} while (r != Z_STREAM_END);
	*from = packed->n - z.avail_in;
	(void)inflateEnd(&z);
}

void
read_file(const char *path, struct buf *ret)
{
	uint8_t part[4096];
	ssize_t n;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	ret->n = 0;
	while ((n = read(fd, part, sizeof(part))) > 0)
		put_bytes(ret, part, (size_t)n);
	(void)close(fd);
}
