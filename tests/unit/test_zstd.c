/* zstd: what was packed comes out again, and what is damaged is named. */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <zstd.h>

#include "core/input.h"
#include "core/zpack.h"
#include "fault.h"

/* More than a window of the layer. */
#define LARGE 1500000

/* All tests of reading run twice: with the plain layer and with the one that
 * unpacks ahead. Below the latter nothing says "not yet". */
static int is_ahead;

static int
open_layer(struct in *below, int tolerant, struct in **ret)
{
	return is_ahead ? in_open_zstd_ahead(below, tolerant, ret) :
	    in_open_zstd(below, tolerant, ret);
}

static int
read_plainly(void **state)
{
	(void)state;
	is_ahead = 0;
	return 0;
}

static int
read_ahead(void **state)
{
	(void)state;
	is_ahead = 1;
	return 0;
}

/* Bytes that pack a little: words of a small alphabet. */
static struct buf
prose(size_t n, uint32_t seed)
{
	struct buf b = { 0 };
	uint32_t v = seed;

	while (b.n < n) {
		v = v * 1664525 + 1013904223;
		put_byte(&b, "etaoin shrdlu"[(v >> 16) % 13]);
	}
	return b;
}

static struct buf
noise(size_t n)
{
	struct buf b = { 0 };
	uint32_t v = 777;

	while (b.n < n) {
		v = v * 1664525 + 1013904223;
		put_byte(&b, v >> 24);
	}
	return b;
}

/* The bytes as one frame, with its size and a checksum in it. */
static void
put_frame_of(struct buf *b, const void *p, size_t n)
{
	size_t room = ZSTD_compressBound(n), k;
	uint8_t *to = malloc(room);
	ZSTD_CCtx *c = ZSTD_createCCtx();

	assert_non_null(to);
	assert_non_null(c);
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	k = ZSTD_compress2(c, to, room, p, n);
	assert_false(ZSTD_isError(k));
	put_bytes(b, to, k);
	(void)ZSTD_freeCCtx(c);
	free(to);
}

static void
put_skippable(struct buf *b, unsigned kind, size_t n)
{
	size_t i;

	put_byte(b, 0x50 + kind);
	put_bytes(b, "\x2a\x4d\x18", 3);
	for (i = 0; i < 4; i++)
		put_byte(b, (unsigned)(n >> (8 * i) & 0xff));
	for (i = 0; i < n; i++)
		put_byte(b, (unsigned)i & 0xff);
}

/*
 * Pieces of `step` bytes, each flushed, as one frame. border[i] is where in
 * the frame the first i pieces end. Returns the number of pieces.
 */
static size_t
put_pieces(struct bob_ctx *ctx, struct buf *b, const struct buf *content,
    size_t step, size_t *border)
{
	struct zpack *z = zpack_new(ctx, 5);
	const uint8_t *p;
	struct out *o;
	size_t at = 0, n, n_pieces = 0;

	assert_non_null(z);
	assert_status(ctx, BOB_OK, out_open_memory(ctx, &o));
	while (at < content->n) {
		n = step < content->n - at ? step : content->n - at;
		assert_int_equal(zpack_write(z, o, content->p + at, n),
		    BOB_OK);
		assert_int_equal(zpack_flush(z, o), BOB_OK);
		at += n;
		border[++n_pieces] = (size_t)out_total(o);
	}
	assert_int_equal(zpack_end(z, o), BOB_OK);
	p = out_memory_take(o, &n);
	put_bytes(b, p, n);
	out_discard(o);
	zpack_free(z);
	return n_pieces;
}

static struct in *
open_zstd(struct bob_ctx *ctx, const void *p, size_t n, int tolerant)
{
	struct in *in;

	assert_status(ctx, BOB_OK, in_open_memory(ctx, p, n, "mem", &in));
	assert_status(ctx, BOB_OK, open_layer(in, tolerant, &in));
	return in;
}

/* Everything up to the end or the next damage, `step` bytes at a time. */
static int
drain(struct in *in, size_t step, struct buf *out)
{
	uint64_t begin = in->pos;
	size_t n_before = out->n, n;
	const uint8_t *p;
	int r;

	for (;;) {
		assert_true(in->pos == begin + out->n - n_before);
		r = in_peek(in, step, &p, &n);
		if (r == BOB_AGAIN)
			continue;
		assert_true(r != BOB_OK || n >= step);
		if (r != BOB_OK && n == 0)
			return r;
		n = n > step ? step : n;
		put_bytes(out, p, n);
		in_consume(in, n);
	}
}

static void
check_content(struct in *in, size_t step, const struct buf *want)
{
	struct buf got = { 0 };

	assert_status(in->ctx, BOB_EOF, drain(in, step, &got));
	assert_int_equal(got.n, want->n);
	if (got.n > 0)
		assert_memory_equal(got.p, want->p, want->n);
	assert_int_equal(drain(in, step, &got), BOB_EOF);
	assert_false(in_cross(in));
	buf_free(&got);
	in_close(in);
}

/* --- whole ---------------------------------------------------------------- */

/* Frames of all kinds, and their content. */
static void
put_mix(struct bob_ctx *ctx, struct buf *b, struct buf *content)
{
	struct buf text = prose(LARGE, 1), raw = noise(200000);
	struct buf zeros = { 0 };
	size_t border[200];

	while (zeros.n < 400000)
		put_byte(&zeros, 0);
	put_skippable(b, 0, 0);
	put_frame_of(b, "", 0);
	put_frame_of(b, text.p, text.n);
	put_skippable(b, 15, 300000);
	put_frame_of(b, raw.p, raw.n);
	put_frame_of(b, "x", 1);
	(void)put_pieces(ctx, b, &zeros, 10000, border);
	put_frame_of(b, "", 0);
	put_skippable(b, 7, 5);
	put_bytes(content, text.p, text.n);
	put_bytes(content, raw.p, raw.n);
	put_byte(content, 'x');
	put_bytes(content, zeros.p, zeros.n);
	buf_free(&text);
	buf_free(&raw);
	buf_free(&zeros);
}

static void
frames_give_their_content(void **state)
{
	static const size_t steps[] = { 1, 13, 5000, 524288, 2000000,
		3000000 };
	struct buf b = { 0 }, content = { 0 };
	size_t i;

	put_mix(*state, &b, &content);
	for (i = 0; i < COUNT_OF(steps); i++) {
		check_content(open_zstd(*state, b.p, b.n, 0), steps[i],
		    &content);
		check_content(open_zstd(*state, b.p, b.n, 1), steps[i],
		    &content);
	}
	buf_free(&b);
	buf_free(&content);
}

static void
frames_may_come_in_pieces(void **state)
{
	static const size_t pieces[] = { 1, 7, 4096 };
	struct buf b = { 0 }, content = { 0 };
	size_t i;

	put_mix(*state, &b, &content);
	for (i = 0; i < COUNT_OF(pieces); i++) {
		struct chunks c = { .p = b.p, .n = b.n, .step = pieces[i],
			.stutter = !is_ahead };
		struct in *in;

		assert_status(*state, BOB_OK, in_open_fn(*state, chunks_read,
		    &c, "fn", &in));
		assert_status(*state, BOB_OK, open_layer(in, 0, &in));
		check_content(in, 5000, &content);
	}
	buf_free(&b);
	buf_free(&content);
}

static void
stored_bytes_are_those_below(void **state)
{
	struct buf b = { 0 }, got = { 0 };
	struct in *in;

	put_frame_of(&b, "hello", 5);
	in = open_zstd(*state, b.p, b.n, 0);
	assert_int_equal(drain(in, 1, &got), BOB_EOF);
	assert_int_equal(in_stored(in), b.n);
	assert_int_equal(in->pos, 5);
	in_close(in);
	buf_free(&b);
	buf_free(&got);
}

static void
window_is_bounded_however_far_a_frame_expands(void **state)
{
	struct buf zeros = { 0 }, b = { 0 };
	const uint8_t *p;
	struct in *in;
	size_t n, total = 0;

	while (zeros.n < 20000000)
		put_bytes(&zeros, "\0\0\0\0\0\0\0\0\0\0", 10);
	put_frame_of(&b, zeros.p, zeros.n);
	assert_true(b.n < 10000);
	in = open_zstd(*state, b.p, b.n, 0);
	while (in_peek(in, 1, &p, &n) == BOB_OK) {
		assert_true(n <= 1 << 20);
		total += n;
		in_consume(in, n);
	}
	assert_int_equal(total, zeros.n);
	in_close(in);
	buf_free(&zeros);
	buf_free(&b);
}

/* Windows that are longer than what is unpacked at once, and shorter ones,
 * with all kinds of rests between them. */
static void
windows_of_any_size_show_the_same_bytes(void **state)
{
	struct buf content = prose(LARGE, 3), b = { 0 };
	struct in *in;
	const uint8_t *p;
	size_t n, at = 0, take;
	uint32_t v = 99;

	put_frame_of(&b, content.p, content.n);
	in = open_zstd(*state, b.p, b.n, 0);
	while (at < content.n) {
		size_t left = content.n - at, min;

		v = v * 1664525 + 1013904223;
		min = v >> 8 & 0x3ffff >> (v >> 28);
		min = min < left ? min : left;
		assert_status(*state, BOB_OK, in_peek(in, min, &p, &n));
		assert_true(n >= min && n <= left);
		assert_int_equal(in->pos, at);
		assert_memory_equal(p, content.p + at, n);
		take = v >> 30 == 0 ? n : min / 2 + 1;
		take = take < n ? take : n;
		in_consume(in, take);
		at += take;
	}
	assert_int_equal(in_peek(in, 1, &p, &n), BOB_EOF);
	in_close(in);
	buf_free(&b);
	buf_free(&content);
}

static void
reader_may_leave_early(void **state)
{
	struct buf content = prose(LARGE, 3), b = { 0 };
	const uint8_t *p;
	size_t n, i;

	put_frame_of(&b, content.p, content.n);
	for (i = 0; i < 40; i++) {
		struct in *in = open_zstd(*state, b.p, b.n, 0);

		if (i > 0)
			assert_status(*state, BOB_OK, in_peek(in, i * 30000,
			    &p, &n));
		in_close(in);
	}
	buf_free(&b);
	buf_free(&content);
}

/* --- damaged, strict ------------------------------------------------------ */

/* The content that comes before the error, `step` bytes at a time, and the
 * error. */
static struct buf
fails_stepping(struct bob_ctx *ctx, const struct buf *b, size_t step,
    int code, uint64_t at)
{
	struct buf got = { 0 };
	struct in *in = open_zstd(ctx, b->p, b->n, 0);
	char place[40];
	int i;

	for (i = 0; i < 2; i++) {
		assert_int_equal(drain(in, step, &got), BOB_FATAL);
		assert_int_equal(ctx->error.code, code);
		assert_int_equal(ctx->error.offset, at);
		(void)snprintf(place, sizeof(place), "zstd: byte %llu: ",
		    (unsigned long long)at);
		assert_memory_equal(ctx->error.text, place, strlen(place));
	}
	assert_false(in_cross(in));
	in_close(in);
	return got;
}

static struct buf
fails_with(struct bob_ctx *ctx, const struct buf *b, int code, uint64_t at)
{
	return fails_stepping(ctx, b, 777, code, at);
}

static void
cut_anywhere_gives_all_whole_blocks(void **state)
{
	struct buf text = prose(2000, 3), b = { 0 };
	size_t border[100], cut, n_pieces, k, i = 0;

	n_pieces = put_pieces(*state, &b, &text, 100, border);
	assert_int_equal(n_pieces, 20);
	border[0] = 0;
	for (cut = 1; cut < b.n; cut++) {
		struct buf part = { .p = b.p, .n = cut };
		struct buf got = fails_with(*state, &part, BOB_E_TRUNCATED,
		    cut);

		while (i < n_pieces && border[i + 1] <= cut)
			i++;
		k = i * 100;
		assert_true(got.n >= k && got.n < k + 100);
		if (got.n > 0)
			assert_memory_equal(got.p, text.p, got.n);
		buf_free(&got);
	}
	assert_int_equal(i, n_pieces);
	buf_free(&text);
	buf_free(&b);
}

/* Twenty pieces of n bytes each. */
static void
check_damaged_pieces(struct bob_ctx *ctx, size_t n, size_t step)
{
	struct buf text = prose(20 * n, 3), b = { 0 };
	size_t border[100], n_pieces, i;

	n_pieces = put_pieces(ctx, &b, &text, n, border);
	assert_int_equal(n_pieces, 20);
	for (i = 1; i < n_pieces; i++) {
		struct buf got;
		uint8_t old = b.p[border[i]];

		b.p[border[i]] |= 6; /* a block type that does not exist */
		got = fails_stepping(ctx, &b, step, BOB_E_CORRUPT, border[i]);
		b.p[border[i]] = old;
		assert_int_equal(got.n, i * n);
		assert_memory_equal(got.p, text.p, got.n);
		buf_free(&got);
	}
	buf_free(&text);
	buf_free(&b);
}

static void
damaged_block_is_named_and_those_before_it_are_given(void **state)
{
	check_damaged_pieces(*state, 1000, 777);
}

/* What does not fit into the window waits inside libzstd. */
static void
damage_does_not_take_what_waits_before_it(void **state)
{
	check_damaged_pieces(*state, 100000, 60000);
}

static void
wrong_checksum_is_reported_behind_the_content(void **state)
{
	struct bob_ctx *ctx = *state;
	struct buf text = prose(300000, 3), b = { 0 }, got;

	put_frame_of(&b, text.p, text.n);
	b.p[b.n - 2] ^= 1;
	got = fails_with(ctx, &b, BOB_E_CORRUPT, b.n - 3);
	assert_int_equal(got.n, text.n);
	assert_non_null(strstr(ctx->error.text, "checksum"));
	buf_free(&got);
	buf_free(&text);
	buf_free(&b);
}

static void
what_is_no_frame_is_an_error(void **state)
{
	static const char *const tails[] = { "x", "tail", "something else",
		"\x28\xb5\x2f\xfe", "\x50\x2a\x4d\x19" };
	size_t i;

	for (i = 0; i < COUNT_OF(tails); i++) {
		struct buf b = { 0 }, got;

		put_text(&b, tails[i]);
		got = fails_with(*state, &b, BOB_E_CORRUPT, 0);
		assert_int_equal(got.n, 0);
		b.n = 0;
		put_frame_of(&b, "hello", 5);
		put_text(&b, tails[i]);
		got = fails_with(*state, &b, BOB_E_CORRUPT,
		    b.n - strlen(tails[i]));
		assert_int_equal(got.n, 5);
		buf_free(&got);
		buf_free(&b);
	}
}

static void
nothing_is_no_frame(void **state)
{
	struct bob_ctx *ctx = *state;
	struct buf nothing = { 0 }, got;
	struct in *in;

	got = fails_with(ctx, &nothing, BOB_E_CORRUPT, 0);
	assert_int_equal(got.n, 0);
	/* Who searches for what is left finds nothing, which is no loss. */
	in = open_zstd(ctx, "", 0, 1);
	check_content(in, 1, &nothing);
}

static void
frame_of_a_huge_window_is_refused(void **state)
{
	/* Exponent 18 on top of 1 KiB: 256 MiB; then an empty last block. */
	static const uint8_t huge[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x90, 1,
		0, 0 };
	static const uint8_t allowed[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x88,
		1, 0, 0 };
	struct bob_ctx *ctx = *state;
	struct buf b = { 0 }, got;

	put_bytes(&b, huge, sizeof(huge));
	got = fails_with(ctx, &b, BOB_E_LIMIT, 4);
	assert_int_equal(got.n, 0);
	assert_non_null(strstr(ctx->error.text, "128 MiB"));
	b.n = 0;
	check_content(open_zstd(ctx, allowed, sizeof(allowed), 0), 1, &b);
	buf_free(&b);
}

static void
assert_gap(const struct in *in, uint64_t at, uint64_t len, const char *why)
{
	uint64_t got_len;
	const char *got_why;

	assert_int_equal(in_gap(in, &got_len, &got_why), at);
	assert_int_equal(got_len, len);
	assert_non_null(strstr(got_why, why));
}

/* An empty block ends it, and libzstd does not count. */
static void
frame_that_holds_less_than_it_says_is_an_error(void **state)
{
	static const uint8_t empty[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 7, 1, 0,
		0 };
	static const uint8_t two[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 7,
		0x10, 0, 0, 'h', 'i', 1, 0, 0 };
	struct chunks c = { .p = empty, .n = sizeof(empty), .step = 1,
		.stutter = !is_ahead };
	struct bob_ctx *ctx = *state;
	struct buf b = { 0 }, got;
	struct in *in;

	put_bytes(&b, empty, sizeof(empty));
	got = fails_with(ctx, &b, BOB_E_CORRUPT, sizeof(empty));
	assert_int_equal(got.n, 0);
	assert_non_null(strstr(ctx->error.text, "what its header says"));
	b.n = 0;
	put_bytes(&b, two, sizeof(two));
	got = fails_with(ctx, &b, BOB_E_CORRUPT, sizeof(two));
	assert_int_equal(got.n, 2);
	buf_free(&got);
	buf_free(&b);
	assert_status(ctx, BOB_OK, in_open_fn(ctx, chunks_read, &c, "fn",
	    &in));
	assert_status(ctx, BOB_OK, open_layer(in, 1, &in));
	assert_int_equal(drain(in, 1, &b), BOB_EOF);
	assert_gap(in, sizeof(empty), 0, "what its header says");
	in_close(in);
}

struct failing {
	const struct buf *b;
	size_t at;
};

static long
read_half(void *user, void *to, size_t cap)
{
	struct failing *f = user;
	size_t n = f->b->n / 2 - f->at;

	if (n == 0) {
		errno = EIO;
		return -1;
	}
	n = n < cap ? n : cap;
	memcpy(to, f->b->p + f->at, n);
	f->at += n;
	return (long)n;
}

static void
failure_below_is_shown_behind_the_content(void **state)
{
	struct buf content = prose(LARGE, 3), b = { 0 }, got = { 0 };
	struct bob_ctx *ctx = *state;
	struct failing f = { .b = &b };
	struct in *in;

	put_frame_of(&b, content.p, content.n);
	assert_status(ctx, BOB_OK, in_open_fn(ctx, read_half, &f, "fn", &in));
	assert_status(ctx, BOB_OK, open_layer(in, 1, &in));
	assert_int_equal(ctx->error.code, BOB_E_NONE);
	assert_int_equal(drain(in, 1000, &got), BOB_FATAL);
	assert_int_equal(ctx->error.sys, EIO);
	assert_true(got.n > content.n / 4 && got.n < content.n);
	assert_memory_equal(got.p, content.p, got.n);
	in_close(in);
	buf_free(&b);
	buf_free(&got);
	buf_free(&content);
}

/* --- damaged, tolerant ---------------------------------------------------- */

/* Three frames of flushed pieces of 1000 bytes. */
struct trio {
	struct buf text[3], b;
	size_t begin[4]; /* of the frames */
	size_t border[3][20];
};

static struct trio
trio_new(struct bob_ctx *ctx)
{
	struct trio t = { 0 };
	size_t i;

	for (i = 0; i < 3; i++) {
		t.begin[i] = t.b.n;
		t.text[i] = prose(10000, (uint32_t)i + 5);
		(void)put_pieces(ctx, &t.b, &t.text[i], 1000, t.border[i]);
	}
	t.begin[3] = t.b.n;
	return t;
}

static void
trio_free(struct trio *t)
{
	size_t i;

	for (i = 0; i < 3; i++)
		buf_free(&t->text[i]);
	buf_free(&t->b);
}

static void
assert_drained(struct in *in, const struct buf *a, size_t n_a,
    const struct buf *b, size_t n_b)
{
	struct buf got = { 0 };

	assert_status(in->ctx, BOB_EOF, drain(in, 100, &got));
	assert_int_equal(got.n, n_a + n_b);
	assert_memory_equal(got.p, a->p, n_a);
	if (n_b > 0)
		assert_memory_equal(got.p + n_a, b->p, n_b);
	buf_free(&got);
}

static void
search_goes_on_behind_a_damaged_block(void **state)
{
	struct trio t = trio_new(*state);
	size_t at = t.begin[1] + t.border[1][4], step;

	t.b.p[at] |= 6;
	for (step = 0; step < 3; step++) {
		struct chunks c = { .p = t.b.p, .n = t.b.n,
			.step = step == 0 ? SIZE_MAX : step,
			.stutter = !is_ahead };
		struct in *in;
		unsigned stretch;

		assert_status(*state, BOB_OK, in_open_fn(*state, chunks_read,
		    &c, "fn", &in));
		assert_status(*state, BOB_OK, open_layer(in, 1, &in));
		stretch = in->stretch;
		assert_drained(in, &t.text[0], 10000, &t.text[1], 4000);
		assert_gap(in, at, t.begin[2] - at, "");
		assert_true(in_cross(in));
		assert_int_not_equal(in->stretch, stretch);
		assert_drained(in, &t.text[2], 10000, NULL, 0);
		assert_true(in_gap(in, NULL, NULL) == BOB_NO_OFFSET);
		assert_false(in_cross(in));
		in_close(in);
	}
	trio_free(&t);
}

static void
crossing_drops_what_is_unread(void **state)
{
	struct trio t = trio_new(*state);
	size_t at = t.begin[1] + t.border[1][4], n;
	struct in *in;
	const uint8_t *p;

	t.b.p[at] |= 6;
	in = open_zstd(*state, t.b.p, t.b.n, 1);
	assert_int_equal(in_peek(in, 20000, &p, &n), BOB_EOF);
	assert_int_equal(n, 14000);
	in_consume(in, 5000);
	assert_true(in_cross(in));
	assert_int_equal(in->pos, 14000);
	assert_drained(in, &t.text[2], 10000, NULL, 0);
	in_close(in);
	trio_free(&t);
}

static void
bytes_between_frames_are_passed_over(void **state)
{
	struct trio t = trio_new(*state);
	struct buf b = { 0 };
	struct in *in;

	put_bytes(&b, t.b.p, t.begin[1]);
	put_text(&b, "(((junk\x28\xb5\x2f(((");
	put_bytes(&b, t.b.p + t.begin[2], t.b.n - t.begin[2]);
	in = open_zstd(*state, b.p, b.n, 1);
	assert_drained(in, &t.text[0], 10000, NULL, 0);
	assert_gap(in, t.begin[1], 13, "no zstd");
	assert_true(in_cross(in));
	assert_drained(in, &t.text[2], 10000, NULL, 0);
	in_close(in);
	buf_free(&b);
	trio_free(&t);
}

static void
frame_that_a_block_has_swallowed_is_found(void **state)
{
	struct trio t = trio_new(*state);
	size_t at = t.begin[1] + t.border[1][4];
	struct in *in;
	int cut;

	/* A packed block of 20,000 bytes, or of more than there are. */
	for (cut = 0; cut < 2; cut++) {
		unsigned head = (cut ? 100000u : 20000u) << 3 | 4;

		t.b.p[at] = (uint8_t)head;
		t.b.p[at + 1] = (uint8_t)(head >> 8);
		t.b.p[at + 2] = (uint8_t)(head >> 16);
		in = open_zstd(*state, t.b.p, t.b.n, 1);
		assert_drained(in, &t.text[0], 10000, &t.text[1], 4000);
		assert_gap(in, at + 3, t.begin[2] - at - 3, "");
		assert_true(in_cross(in));
		assert_drained(in, &t.text[2], 10000, NULL, 0);
		in_close(in);
	}
	trio_free(&t);
}

static void
gap_without_a_frame_behind_it_reaches_to_the_end(void **state)
{
	struct trio t = trio_new(*state);
	size_t at = t.begin[2] + t.border[2][4];
	struct buf got = { 0 };
	struct in *in;

	t.b.p[at] |= 6;
	in = open_zstd(*state, t.b.p, t.b.n, 1);
	assert_int_equal(drain(in, 1, &got), BOB_EOF);
	assert_int_equal(got.n, 24000);
	assert_gap(in, at, t.b.n - at, "");
	assert_false(in_cross(in));
	in_close(in);
	/* And one that is just cut. */
	in = open_zstd(*state, t.b.p, at - 1, 1);
	got.n = 0;
	assert_int_equal(drain(in, 1, &got), BOB_EOF);
	assert_int_equal(got.n, 23000);
	at = t.begin[2] + t.border[2][3] + 3; /* behind a block's header */
	assert_gap(in, at, t.begin[2] + t.border[2][4] - 1 - at, "ends");
	assert_false(in_cross(in));
	in_close(in);
	buf_free(&got);
	trio_free(&t);
}

/* Magics by the thousand, each with a block that claims 128 KiB: reading all
 * of that for each of them would take forever. */
static void
bytes_are_not_read_over_and_over(void **state)
{
	static const uint8_t bad[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 0x58,
		0x04, 0x00, 0x10, 0xff };
	struct buf b = { 0 };
	unsigned n_crossed = 0;
	struct in *in;

	while (b.n < 1000000)
		put_bytes(&b, bad, sizeof(bad));
	in = open_zstd(*state, b.p, b.n, 1);
	do {
		struct buf got = { 0 };

		assert_status(*state, BOB_EOF, drain(in, 1, &got));
		buf_free(&got);
		n_crossed++;
	} while (in_cross(in));
	/* 128 KiB each, 4 MiB for free and 4 MB for the file. */
	assert_in_range(n_crossed, 32, 100);
	in_close(in);
	buf_free(&b);
}

/* --- packing -------------------------------------------------------------- */

/* As CPython's writer calls libzstd: whole buffers, then the end. */
static struct buf
reference(const struct buf *content, size_t step)
{
	size_t room = ZSTD_compressBound(content->n), at, left = 0;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer to = { .dst = malloc(room), .size = room };
	struct buf b = { 0 };

	assert_non_null(c);
	assert_non_null(to.dst);
	(void)ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 5);
	for (at = 0; at < content->n; at += step) {
		size_t n = content->n - at < step ? content->n - at : step;
		ZSTD_inBuffer from = { .src = content->p + at, .size = n };

		while (from.pos < from.size)
			left = ZSTD_compressStream2(c, &to, &from,
			    ZSTD_e_continue);
	}
	do {
		ZSTD_inBuffer none = { .src = "" };

		left = ZSTD_compressStream2(c, &to, &none, ZSTD_e_end);
	} while (left > 0);
	put_bytes(&b, to.dst, to.pos);
	free(to.dst);
	(void)ZSTD_freeCCtx(c);
	return b;
}

static void
stream_is_the_same_whoever_writes_it(void **state)
{
	static const size_t steps[] = { 13, 70000, 524288, LARGE };
	struct buf text = prose(LARGE, 1), want = reference(&text, 524288);
	struct zpack *z = zpack_new(*state, 5);
	const uint8_t *p;
	struct out *o;
	size_t i, at, n;

	assert_non_null(z);
	assert_status(*state, BOB_OK, out_open_memory(*state, &o));
	for (i = 0; i < COUNT_OF(steps); i++) {
		for (at = 0; at < text.n; at += n) {
			n = text.n - at < steps[i] ? text.n - at : steps[i];
			assert_int_equal(zpack_pending(z), at);
			assert_int_equal(zpack_write(z, o, text.p + at, n),
			    BOB_OK);
		}
		assert_int_equal(zpack_end(z, o), BOB_OK);
		assert_int_equal(zpack_pending(z), 0);
		p = out_memory_take(o, &n);
		assert_int_equal(n, want.n);
		assert_memory_equal(p, want.p, n);
	}
	out_discard(o);
	zpack_free(z);
	buf_free(&text);
	buf_free(&want);
}

static void
empty_frame_says_that_it_is_empty(void **state)
{
	static const uint8_t want[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0,
		0 };
	struct zpack *z = zpack_new(*state, 5);
	const uint8_t *p;
	struct out *o;
	size_t n;
	int i;

	assert_non_null(z);
	assert_status(*state, BOB_OK, out_open_memory(*state, &o));
	for (i = 0; i < 2; i++) {
		/* Nothing does not begin a frame. */
		assert_int_equal(zpack_write(z, o, "", 0), BOB_OK);
		assert_int_equal(zpack_flush(z, o), BOB_OK);
		assert_int_equal(out_total(o), i * 10);
		assert_int_equal(zpack_end(z, o), BOB_OK);
		p = out_memory_take(o, &n);
		assert_int_equal(n, sizeof(want));
		assert_memory_equal(p, want, sizeof(want));
		assert_int_equal(out_str(o, "-"), BOB_OK);
		(void)out_memory_take(o, &n);
	}
	out_discard(o);
	zpack_free(z);
}

static void
check_memory(struct bob_ctx *ctx, struct zpack *z, int hurries)
{
	struct buf text = prose(LARGE, 1);
	struct bob_target to = { .path = "/dev/null" };
	struct out *o;
	int i;

	assert_non_null(z);
	assert_status(ctx, BOB_OK, out_open(ctx, &to, &o));
	for (i = 0; i < 3; i++) {
		if (i == 1) /* the output has the size that it keeps */
			fault_arm(0);
		assert_int_equal(zpack_write(z, o, text.p, text.n), BOB_OK);
		assert_int_equal(zpack_flush(z, o), BOB_OK);
		assert_int_equal(zpack_end(z, o), BOB_OK);
		if (hurries)
			assert_int_equal(zpack_hurry(z, i % 2 == 0), BOB_OK);
	}
	assert_int_equal(fault_count(), 0);
	out_discard(o);
	zpack_free(z);
	buf_free(&text);
}

static void
packing_needs_no_more_memory_than_at_first(void **state)
{
	check_memory(*state, zpack_new(*state, 5), 0);
	check_memory(*state, zpack_new_thorough(*state, 5), 0);
	check_memory(*state, zpack_new_thorough(*state, 5), 1);
	zpack_free(NULL);
}

static size_t
packed_size(struct bob_ctx *ctx, struct zpack *z, const struct buf *text)
{
	struct bob_target to = { .path = "/dev/null" };
	uint64_t n;
	struct out *o;

	assert_status(ctx, BOB_OK, out_open(ctx, &to, &o));
	assert_int_equal(zpack_write(z, o, text->p, text->n), BOB_OK);
	assert_int_equal(zpack_end(z, o), BOB_OK);
	n = out_total(o);
	out_discard(o);
	return (size_t)n;
}

static void
who_hurries_packs_less_until_there_is_time(void **state)
{
	struct buf text = prose(LARGE, 1);
	struct zpack *z = zpack_new_thorough(*state, 5);
	size_t slow, fast;

	assert_non_null(z);
	slow = packed_size(*state, z, &text);
	assert_int_equal(zpack_hurry(z, 1), BOB_OK);
	fast = packed_size(*state, z, &text);
	assert_true(slow < fast);
	assert_int_equal(zpack_hurry(z, 0), BOB_OK);
	assert_int_equal(packed_size(*state, z, &text), slow);
	zpack_free(z);
	buf_free(&text);
}

static int
refuse(void *user, const void *p, size_t n)
{
	(void)user;
	(void)p;
	(void)n;
	return -1;
}

static void
failed_output_is_reported(void **state)
{
	struct buf raw = noise(LARGE);
	struct bob_target to = { .write = refuse };
	struct zpack *z = zpack_new(*state, 5);
	struct out *o;

	assert_non_null(z);
	assert_status(*state, BOB_OK, out_open(*state, &to, &o));
	assert_int_equal(zpack_write(z, o, raw.p, raw.n), BOB_FATAL);
	assert_int_equal(zpack_flush(z, o), BOB_FATAL);
	assert_int_equal(zpack_end(z, o), BOB_FATAL);
	out_discard(o);
	zpack_free(z);
	buf_free(&raw);
}

/* --- no memory ------------------------------------------------------------ */

static struct buf packed, unpacked;

static int
unpack_large(void *user)
{
	struct bob_ctx *ctx = user;
	const uint8_t *p;
	struct in *in;
	size_t n;
	int r = in_open_memory(ctx, packed.p, packed.n, "mem", &in);

	if (r == BOB_OK)
		r = open_layer(in, 1, &in);
	if (r == BOB_OK) {
		r = in_peek(in, LARGE - 100, &p, &n);
		if (r == BOB_OK)
			assert_memory_equal(p, unpacked.p, LARGE - 100);
		in_close(in);
	}
	assert_true(r == BOB_OK || ctx->error.code == BOB_E_NOMEM);
	return r;
}

static int
new_packer(void *user)
{
	struct bob_ctx *ctx = user;
	struct zpack *z = zpack_new(ctx, 3);

	assert_true(z != NULL || ctx->error.code == BOB_E_NOMEM);
	zpack_free(z);
	return z == NULL ? BOB_FATAL : BOB_OK;
}

static void
no_memory_is_reported(void **state)
{
	unpacked = prose(LARGE, 1);
	put_frame_of(&packed, unpacked.p, unpacked.n);
	fault_each(unpack_large, *state);
	buf_free(&packed);
	buf_free(&unpacked);
}

static void
no_memory_for_packing_is_reported(void **state)
{
	fault_each(new_packer, *state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ctx_setup, \
	ctx_teardown)

int
main(void)
{
	const struct CMUnitTest reading[] = {
		TEST(frames_give_their_content),
		TEST(frames_may_come_in_pieces),
		TEST(stored_bytes_are_those_below),
		TEST(window_is_bounded_however_far_a_frame_expands),
		TEST(windows_of_any_size_show_the_same_bytes),
		TEST(reader_may_leave_early),
		TEST(cut_anywhere_gives_all_whole_blocks),
		TEST(damaged_block_is_named_and_those_before_it_are_given),
		TEST(damage_does_not_take_what_waits_before_it),
		TEST(wrong_checksum_is_reported_behind_the_content),
		TEST(what_is_no_frame_is_an_error),
		TEST(nothing_is_no_frame),
		TEST(frame_of_a_huge_window_is_refused),
		TEST(frame_that_holds_less_than_it_says_is_an_error),
		TEST(failure_below_is_shown_behind_the_content),
		TEST(search_goes_on_behind_a_damaged_block),
		TEST(crossing_drops_what_is_unread),
		TEST(bytes_between_frames_are_passed_over),
		TEST(frame_that_a_block_has_swallowed_is_found),
		TEST(gap_without_a_frame_behind_it_reaches_to_the_end),
		TEST(bytes_are_not_read_over_and_over),
		TEST(no_memory_is_reported),
	};
	const struct CMUnitTest writing[] = {
		TEST(stream_is_the_same_whoever_writes_it),
		TEST(empty_frame_says_that_it_is_empty),
		TEST(packing_needs_no_more_memory_than_at_first),
		TEST(who_hurries_packs_less_until_there_is_time),
		TEST(failed_output_is_reported),
		TEST(no_memory_for_packing_is_reported),
	};

	return cmocka_run_group_tests_name("plain", reading, read_plainly,
	    NULL) + cmocka_run_group_tests_name("ahead", reading, read_ahead,
	    NULL) + cmocka_run_group_tests_name("writing", writing,
	    read_plainly, NULL);
}
