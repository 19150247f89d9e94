/*
 * A trace that was cut anywhere is read to its last whole event: every prefix
 * of a file with samples of all kinds, strictly and with recovery.
 */
#include "listing.h"

#include <stdlib.h>

static int
append(void *user, const void *p, size_t n)
{
	put_bytes(user, p, n);
	return 0;
}

static bob_stack
make_stack(struct bob_dict *d, bob_stack parent, unsigned i)
{
	struct bob_frame f = { .where = (int64_t)i * 50 - 1,
		.lang = i % 5 == 4 ? BOB_LANG_NATIVE : BOB_LANG_PHP };
	char name[32];
	int n = snprintf(name, sizeof(name), "App\\C%u::m%u", i % 3, i);

	f.file = bob_str_put(d, "/app/src/Kernel.php", 19);
	if (f.lang == BOB_LANG_PHP)
		(void)bob_frame_set_php_name(d, &f, name, (size_t)n);
	else
		f.name = bob_str_put(d, name, (size_t)n);
	return bob_stack_push(d, parent, bob_frame_put(d, &f));
}

/* Runs of 1 to 4 over six stacks, with pids and annotations now and then. */
static void
write_samples(struct bob_ctx *ctx, struct bob_writer *w, int is_timed)
{
	struct bob_dict *d = bob_writer_dict(w);
	struct bob_track track = { .flags = BOB_TRACK_PID };
	struct bob_pair pair = { bob_str_put(d, "query", 5), 0 };
	bob_stack stack[6];
	unsigned i;

	for (i = 0; i < 6; i++)
		stack[i] = make_stack(d, i < 2 ? 0 : stack[i - 2], i);
	for (i = 0; i < 40; i++) {
		struct bob_run run = { .count = 1 + i % 4,
			.stack = stack[i * 5 % 6] };
		char value[16];
		int n = snprintf(value, sizeof(value), "SELECT %u", i);

		track.pid = 100 + i % 3;
		pair.value = bob_str_put(d, value, (size_t)n);
		if (i % 3 == 1)
			run.track = bob_track_put(d, &track);
		if (i % 4 == 2)
			run.annot = bob_annot_put(d, &pair, 1);
		if (is_timed) {
			run.flags = BOB_RUN_TIMED;
			run.t_first = run.t_last = (uint64_t)i * 10007;
		}
		assert_status(ctx, BOB_OK, bob_write_runs(w, &run, 1));
	}
}

static void
write_trace(struct bob_ctx *ctx, struct bob_dict *d, struct buf *to)
{
	struct bob_target target = { .write = append, .user = to };
	struct bob_option often = { "checkpoint", "10" };
	struct bob_write_opts o = { .size = sizeof(o),
		.format = "rbt",
		.options = &often,
		.n_options = 1,
		.dict = d };
	struct bob_segment segment = { .period_us = 1000 };
	struct bob_mark meta = { .kind = BOB_MARK_META };
	struct bob_writer *w;

	assert_status(ctx, BOB_OK, bob_create(ctx, &target, &o, &w));
	meta.key = bob_str_put(d, "pid", 3);
	meta.value = bob_str_put(d, "4242", 4);
	assert_status(ctx, BOB_OK, bob_write_segment(w, &segment));
	assert_status(ctx, BOB_OK, bob_write_mark(w, &meta));
	write_samples(ctx, w, 0);
	segment.flags = BOB_SEGMENT_TIMED;
	assert_status(ctx, BOB_OK, bob_write_segment(w, &segment));
	write_samples(ctx, w, 1);
	assert_status(ctx, BOB_OK, bob_finish(w));
}

/* Samples in the whole events among the first n bytes, found by a walk that
 * knows nothing but lengths. */
static uint64_t
count_samples(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n, *q;
	uint64_t total = 0, v;
	unsigned type, shift;

	while (p < end) {
		type = *p;
		if (type == 'R') {
			if (end - p < 16)
				break;
			p += 16;
			continue;
		}
		v = 0;
		shift = 0;
		for (q = p + 1; q < end && *q >= 0x80; q++, shift += 7)
			v |= (uint64_t)(*q & 0x7f) << shift;
		if (q == end)
			break;
		v |= (uint64_t)*q++ << shift;
		if (type != 8 && type != 9 && (uint64_t)(end - q) < v)
			break;
		total += type == 9 ? v : type == 3 || type == 7 || type == 8;
		p = q + (type == 8 || type == 9 ? 0 : v);
	}
	return total;
}

static void
read_bytes(struct bob_ctx *ctx, struct bob_dict *d, const uint8_t *p,
    size_t n, uint32_t flags, struct listing *ret)
{
	struct bob_read_opts o = { .size = sizeof(o),
		.format = "rbt",
		.dict = d,
		.flags = flags };
	struct bob_reader *in;

	assert_status(ctx, BOB_OK,
	    bob_open_memory(ctx, p, n, "prefix", &o, &in));
	assert_status(ctx, BOB_EOF, listing_read(ret, in));
}

static void
check_prefixes(struct bob_ctx *ctx, uint32_t flags)
{
	struct bob_dict *d = bob_dict_new(ctx);
	struct listing all = { 0 }, part = { 0 };
	struct buf file = { 0 };
	uint64_t want;
	size_t n;

	assert_non_null(d);
	write_trace(ctx, d, &file);
	read_bytes(ctx, d, file.p, file.n, flags, &all);
	assert_int_equal(all.n_samples, 200);
	for (n = 0; n < file.n; n++) {
		read_bytes(ctx, d, file.p, n, flags, &part);
		want = count_samples(file.p, n);
		if (part.n_samples != want)
			fail_msg("cut to %zu bytes: %llu samples, not %llu",
			    n, (unsigned long long)part.n_samples,
			    (unsigned long long)want);
		/* The last one may have lost its annotation. */
		listing_cut(&part, want - (want > 0));
		assert_true(listing_begins_with(&all, &part));
		listing_free(&part);
	}
	listing_free(&all);
	buf_free(&file);
	bob_dict_free(d);
}

static void
every_prefix_is_read_to_its_last_whole_event(void **state)
{
	check_prefixes(*state, 0);
}

static void
every_prefix_is_recovered_to_its_last_whole_event(void **state)
{
	check_prefixes(*state, BOB_READ_RECOVER);
}

#define TEST(name)                                                           \
	cmocka_unit_test_setup_teardown(name, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_prefix_is_read_to_its_last_whole_event),
		TEST(every_prefix_is_recovered_to_its_last_whole_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
