/* The definitions journal: what was written is read, up to the first byte that
 * is not there or not right. */
#include <stdlib.h>

#include "core/output.h"
#include "format/tach/journal.h"
#include "support.h"

#define N 40

/* A journal of every kind of block, and where its blocks end. */
struct sample {
	struct bob_ctx *ctx;
	struct buf bytes;
	size_t end[2 * N + 3];
	size_t n_ends;
};

static const struct journal_head head = { .dialect = TACH_1B, .is_big = 1,
	.compression = TACH_ZSTD, .start_us = 5, .interval_us = 6 };

static void
end_block(struct sample *s, struct out *out, int r)
{
	assert_status(s->ctx, BOB_OK, r);
	s->end[s->n_ends++] = (size_t)out_total(out);
}

static void
write_sample(struct sample *s)
{
	struct bob_bytes text = { "text", 4 };
	struct tach_frame f = { .func = 1, .line = 7, .end_line = 9,
		.col = -1, .end_col = -1, .opcode = 3 };
	struct journal_mark mark = { 64, 1 };
	const uint8_t *p;
	struct out *out;
	size_t n, i;

	assert_status(s->ctx, BOB_OK, out_open_memory(s->ctx, &out));
	end_block(s, out, journal_head(out, &head));
	end_block(s, out, journal_strings(out, &text, 1));
	for (i = 0; i < N; i++) {
		text.n = i % 5;
		end_block(s, out, journal_strings(out, &text, 1));
		f.file = (uint32_t)i;
		end_block(s, out, i % 3 != 0 ? journal_frames(out, &f, 1, 7)
		    : i % 2 == 0 ? journal_meta(out, text, text)
		                 : journal_barrier(out, &mark));
		mark.bytes++;
	}
	end_block(s, out, journal_end(out, &mark));
	p = out_memory_take(out, &n);
	put_bytes(&s->bytes, p, n);
	out_discard(out);
}

static int
setup(void **state)
{
	struct sample *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return -1;
	s->ctx = bob_ctx_new();
	write_sample(s);
	*state = s;
	return 0;
}

static int
teardown(void **state)
{
	struct sample *s = *state;

	bob_ctx_free(s->ctx);
	buf_free(&s->bytes);
	free(s);
	return 0;
}

/* Where the last block that ends at n or before ends. */
static size_t
last_end(const struct sample *s, size_t n)
{
	size_t at = n < 8 ? 0 : 8, i;

	for (i = 0; i < s->n_ends && s->end[i] <= n; i++)
		at = s->end[i];
	return at;
}

static void
all_of_it_is_read(void **state)
{
	struct sample *s = *state;
	struct journal j = { 0 };

	assert_status(s->ctx, BOB_OK,
	    journal_read(s->ctx, s->bytes.p, s->bytes.n, &j));
	assert_int_equal(j.n_good, s->bytes.n);
	assert_int_equal(j.n_bytes, s->bytes.n);
	assert_true(j.has_head && j.has_barrier && j.has_end);
	assert_int_equal(j.head.dialect, TACH_1B);
	assert_int_equal(j.head.is_big, 1);
	assert_int_equal(j.head.compression, TACH_ZSTD);
	assert_int_equal(j.head.start_us, 5);
	assert_int_equal(j.head.interval_us, 6);
	assert_int_equal(j.n_string, N + 1);
	assert_int_equal(j.string[4].n, 3);
	assert_memory_equal(j.string[4].p, "tex", 3);
	assert_int_equal(j.n_frame, 26);
	assert_int_equal(j.frame[25].file, 38);
	assert_int_equal(j.frame[25].func, 1);
	assert_int_equal(j.frame[25].line, 7);
	assert_int_equal(j.frame[25].end_line, 9);
	assert_int_equal(j.frame[25].col, -1);
	assert_int_equal(j.frame[25].end_col, -1);
	assert_int_equal(j.frame[25].opcode, 3);
	assert_int_equal(j.n_meta, 7);
	assert_int_equal(j.meta[1].key.n, 1);
	assert_int_equal(j.meta[1].value.n, 1);
	assert_int_equal(j.barrier.bytes, 64 + 39);
	assert_int_equal(j.end.bytes, 64 + 40);
	journal_free(&j);
}

static void
every_prefix_is_read_to_its_last_whole_block(void **state)
{
	struct sample *s = *state;
	struct journal all = { 0 };
	uint32_t i;
	size_t n;

	assert_int_equal(journal_read(s->ctx, s->bytes.p, s->bytes.n, &all),
	    BOB_OK);
	for (n = 0; n <= s->bytes.n; n++) {
		/* Of its own, so that reading beyond it is noticed. */
		uint8_t *copy = malloc(n + 1);
		struct journal j = { 0 };

		assert_non_null(copy);
		memcpy(copy, s->bytes.p, n);
		assert_int_equal(journal_read(s->ctx, copy, n, &j), BOB_OK);
		assert_int_equal(j.n_good, last_end(s, n));
		assert_true(j.n_string <= all.n_string);
		for (i = 0; i < j.n_frame; i++)
			assert_memory_equal(&j.frame[i], &all.frame[i],
			    sizeof(j.frame[i]));
		journal_free(&j);
		free(copy);
	}
	journal_free(&all);
}

static void
no_flipped_bit_is_believed(void **state)
{
	struct sample *s = *state;
	size_t bit, at;

	for (bit = 0; bit < 8 * s->bytes.n; bit++) {
		struct journal j = { 0 };

		at = bit / 8;
		s->bytes.p[at] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(journal_read(s->ctx, s->bytes.p, s->bytes.n,
		    &j), BOB_OK);
		assert_int_equal(j.n_good, at < 8 ? 0 : last_end(s, at));
		s->bytes.p[at] ^= (uint8_t)(1 << bit % 8);
		journal_free(&j);
	}
}

/* Blocks are right only where they were written. */
static void
displaced_block_is_not_believed(void **state)
{
	struct sample *s = *state;
	struct journal j = { 0 };
	size_t first = s->end[1], n = s->end[2] - first;

	/* The second string again, in the place of the first. */
	memmove(s->bytes.p + s->end[0], s->bytes.p + first, n);
	assert_int_equal(journal_read(s->ctx, s->bytes.p, s->end[0] + n, &j),
	    BOB_OK);
	assert_int_equal(j.n_good, s->end[0]);
	journal_free(&j);
}

/* Written with checks, but nonsense: what a forger would make. */
static void
nonsense_ends_it(void **state)
{
	struct sample *s = *state;
	struct bob_bytes text = { "text", 4 };
	const struct tach_frame no_string = { .file = 1, .line = 1 };
	const struct journal_head odd = { .dialect = TACH_N_DIALECTS };
	const struct journal_mark marks[] = { { 63, 0 }, { 70, 5 }, { 69, 5 },
		{ 70, 4 } };
	struct journal j = { 0 };
	struct out *out;
	const uint8_t *p;
	uint64_t good[7];
	size_t n, i;
	unsigned kind;

	for (kind = 0; kind < COUNT_OF(good); kind++) {
		assert_status(s->ctx, BOB_OK, out_open_memory(s->ctx, &out));
		if (kind == 0)
			(void)journal_strings(out, &text, 1); /* no head */
		else if (kind == 1)
			(void)journal_head(out, &odd);
		else
			(void)journal_head(out, &head);
		(void)journal_strings(out, &text, 1);
		good[kind] = kind < 2 ? 8 : out_total(out);
		if (kind == 2)
			(void)journal_frames(out, &no_string, 1, 7);
		else if (kind == 3)
			(void)journal_head(out, &head);
		else if (kind == 4)
			(void)journal_frames(out, &no_string, 1, 3);
		else if (kind == 5)
			(void)journal_barrier(out, &marks[0]);
		for (i = 1; kind == 6 && i < COUNT_OF(marks); i++) {
			(void)journal_barrier(out, &marks[i]);
			good[kind] = i == 1 ? out_total(out) : good[kind];
		}
		p = out_memory_take(out, &n);
		assert_int_equal(journal_read(s->ctx, p, n, &j), BOB_OK);
		assert_int_equal(j.n_good, good[kind]);
		assert_int_equal(j.n_bytes, n);
		journal_free(&j);
		out_discard(out);
	}
}

static void
journal_that_is_not_there_is_the_end(void **state)
{
	struct sample *s = *state;
	struct journal j = { 0 };

	assert_int_equal(journal_load(s->ctx, "/nonexistent/file", &j),
	    BOB_EOF);
	journal_free(&j);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_of_it_is_read),
		TEST(every_prefix_is_read_to_its_last_whole_block),
		TEST(no_flipped_bit_is_believed),
		TEST(displaced_block_is_not_believed),
		TEST(nonsense_ends_it),
		TEST(journal_that_is_not_there_is_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
