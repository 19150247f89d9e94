/* A TACH writer beside the bytes that it must write; see the header. */
#include "tach_rig.h"

#include <stdlib.h>

static int
collect(void *user, const void *p, size_t n)
{
	struct tach_rig *g = user;

	put_bytes(&g->got, p, n);
	return 0;
}

static int
patch(void *user, uint64_t at, const void *p, size_t n)
{
	struct tach_rig *g = user;

	assert_true(at + n <= g->got.n);
	memcpy(g->got.p + at, p, n);
	return 0;
}

int
tach_rig_setup(void **state)
{
	struct tach_rig *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return -1;
	g->ctx = ctx_with(&g->diags);
	g->t = TACH_START;
	*state = g;
	return 0;
}

int
tach_rig_teardown(void **state)
{
	struct tach_rig *g = *state;

	bob_discard(g->w);
	buf_free(&g->got);
	buf_free(&g->want);
	bob_ctx_free(g->ctx);
	free(g);
	return 0;
}

struct bob_target
tach_rig_target(struct tach_rig *g)
{
	return (struct bob_target){ .write = collect, .patch = patch,
		.user = g };
}

struct bob_target
tach_rig_pipe(struct tach_rig *g)
{
	return (struct bob_target){ .write = collect, .user = g };
}

void
tach_create(struct tach_rig *g, const struct bob_target *to,
    const char *format, const char *const *options)
{
	struct bob_option v[8];
	struct bob_write_opts o = { .size = sizeof(o), .format = format,
		.options = v };

	for (; *options != NULL; options += 2)
		v[o.n_options++] = (struct bob_option){ options[0],
			options[1] };
	assert_status(g->ctx, BOB_OK, bob_create(g->ctx, to, &o, &g->w));
	g->d = bob_writer_dict(g->w);
}

void
tach_start(struct tach_rig *g)
{
	static const char *const raw[] = { "compression", "none", NULL };
	struct bob_target to = tach_rig_target(g);

	tach_create(g, &to, "tach", raw);
	tach_segment(g, TACH_INTERVAL, TACH_START);
}

void
tach_segment(struct tach_rig *g, uint64_t period, uint64_t t_begin)
{
	struct bob_segment s = { .period_us = period,
		.t_begin = t_begin,
		.flags = BOB_SEGMENT_TIMED };

	assert_status(g->ctx, BOB_OK, bob_write_segment(g->w, &s));
}

void
tach_meta(struct tach_rig *g, const char *key, const char *value)
{
	struct bob_mark m = { .kind = BOB_MARK_META,
		.key = bob_str_put(g->d, key, strlen(key)),
		.value = bob_str_put(g->d, value, strlen(value)) };

	assert_status(g->ctx, BOB_OK, bob_write_mark(g->w, &m));
}

bob_stack
tach_push(struct tach_rig *g, bob_stack parent, int line)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON, .where = line };

	f.name = bob_str_put(g->d, "f", 1);
	f.file = bob_str_put(g->d, "a.py", 4);
	return bob_stack_push(g->d, parent, bob_frame_put(g->d, &f));
}

bob_stack
tach_stack(struct tach_rig *g, int n)
{
	bob_stack s = 0;
	int i;

	for (i = 1; i <= n; i++)
		s = tach_push(g, s, i);
	return s;
}

void
tach_runs(struct tach_rig *g, const struct bob_run *run)
{
	assert_status(g->ctx, BOB_OK, bob_write_runs(g->w, run, 1));
}

void
tach_sample(struct tach_rig *g, uint64_t tid, bob_stack stack)
{
	struct bob_track track = { .tid = tid, .interp = 3,
		.flags = BOB_TRACK_TID | BOB_TRACK_INTERP };
	struct bob_run run = { .count = 1, .stack = stack, .status = 1,
		.flags = BOB_RUN_TIMED | BOB_RUN_STATUS };

	run.track = bob_track_put(g->d, &track);
	run.t_first = run.t_last = ++g->t;
	tach_runs(g, &run);
}

void
tach_finish(struct tach_rig *g)
{
	struct bob_writer *w = g->w;

	g->w = NULL;
	assert_status(g->ctx, BOB_OK, bob_finish(w));
}

void
want_record(struct tach_rig *g, uint64_t tid, unsigned kind, ...)
{
	uint32_t interp = 3;
	uint64_t v;
	va_list ap;

	put_bytes(&g->want, &tid, sizeof(tid));
	put_bytes(&g->want, &interp, sizeof(interp));
	put_byte(&g->want, kind);
	va_start(ap, kind);
	while ((v = va_arg(ap, uint64_t)) != NUMBERS_END)
		put_varint(&g->want, v);
	va_end(ap);
}

uint64_t
tach_at(const struct buf *file, size_t at, size_t n)
{
	uint32_t small;
	uint64_t v;

	assert_true(at + n <= file->n);
	if (n == 4) {
		memcpy(&small, file->p + at, 4);
		return small;
	}
	memcpy(&v, file->p + at, 8);
	return v;
}

void
assert_records(const struct tach_rig *g)
{
	uint64_t end = tach_at(&g->got, 40, 8);

	assert_int_equal(end, 64 + g->want.n);
	assert_memory_equal(g->got.p + 64, g->want.p, g->want.n);
}
