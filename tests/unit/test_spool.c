/* Spools: random access to any input, wherever its bytes come from. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <bobbin/limits.h>

#include "core/input.h"
#include "core/spool.h"
#include "fault.h"
#include "format/format.h"

/* Several windows, and more than a spool keeps in memory. */
#define LARGE 3000000

/* What a spool may keep. */
static void
allow(struct bob_ctx *ctx, uint64_t max_temp)
{
	struct bob_limits l = { .size = sizeof(l), .max_temp = max_temp };

	bob_ctx_set_limits(ctx, &l);
}

/* A filled spool over an input. */
static struct spool *
spool_of(struct in *in)
{
	struct spool *s;
	int r;

	assert_status(in->ctx, BOB_OK, spool_open(in, &s));
	while ((r = spool_fill(s)) == BOB_AGAIN)
		;
	assert_status(in->ctx, BOB_OK, r);
	assert_int_equal(spool_fill(s), BOB_OK);
	return s;
}

/* Bytes [from, to), by both ways of asking. */
static void
check_part(struct spool *s, const struct buf *b, size_t from, size_t to,
    struct bob_ctx *ctx)
{
	uint8_t *copy = malloc(to - from + 1);
	struct buf got = { 0 };
	const uint8_t *p;
	struct in *in;
	size_t n;
	int r;

	assert_non_null(copy);
	assert_status(ctx, BOB_OK, spool_read(s, from, copy, to - from));
	assert_memory_equal(copy, b->p + from, to - from);
	free(copy);
	assert_status(ctx, BOB_OK, spool_range(s, from, to, &in));
	for (;;) {
		assert_true(in->pos == from + got.n);
		r = in_peek(in, 5000, &p, &n);
		if (r != BOB_OK && n == 0)
			break;
		n = n < 5000 ? n : 5000;
		put_bytes(&got, p, n);
		in_consume(in, n);
	}
	assert_int_equal(r, BOB_EOF);
	assert_int_equal(got.n, to - from);
	if (got.n > 0)
		assert_memory_equal(got.p, b->p + from, got.n);
	in_close(in);
	buf_free(&got);
}

static void
check_parts(struct in *in, const struct buf *b)
{
	struct spool *s = spool_of(in);
	size_t n = b->n;

	assert_int_equal(spool_size(s), n);
	check_part(s, b, 0, n, in->ctx);
	check_part(s, b, n, n, in->ctx);
	check_part(s, b, 0, 0, in->ctx);
	check_part(s, b, n / 3, n / 2, in->ctx);
	check_part(s, b, n - n / 5, n, in->ctx);
	spool_close(s);
	in_close(in);
}

static void
memory_is_not_copied(void **state)
{
	struct buf b = buf_noise(5000);
	struct in *in, *part;
	struct spool *s;

	assert_status(*state, BOB_OK, in_open_memory(*state, b.p, b.n, "mem",
	    &in));
	s = spool_of(in);
	assert_status(*state, BOB_OK, spool_range(s, 1000, 2000, &part));
	assert_ptr_equal(part->p, b.p + 1000);
	assert_int_equal(part->n, 1000);
	in_close(part);
	spool_close(s);
	check_parts(in, &b);
	buf_free(&b);
}

static void
nothing_can_be_spooled(void **state)
{
	struct buf b = { 0 };
	struct chunks c = { 0 };
	struct in *in;

	assert_status(*state, BOB_OK, in_open_memory(*state, NULL, 0, "mem",
	    &in));
	check_parts(in, &b);
	assert_status(*state, BOB_OK, in_open_fn(*state, chunks_read, &c,
	    "fn", &in));
	check_parts(in, &b);
	assert_status(*state, BOB_OK, in_open_fd(*state, buf_file(&b), 1, 0,
	    "file", &in));
	check_parts(in, &b);
	spool_close(NULL);
}

static void
file_is_read_where_it_is(void **state)
{
	struct buf b = buf_noise(LARGE);
	int fd = buf_file(&b);
	struct in *in;
	struct spool *s;

	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 1, 0, "file",
	    &in));
	/* A limit is for what must be kept. */
	allow(*state, 10);
	assert_status(*state, BOB_OK, spool_open(in, &s));
	assert_status(*state, BOB_OK, spool_fill(s));
	assert_true(lseek(fd, 0, SEEK_CUR) < LARGE);
	spool_close(s);
	check_parts(in, &b);
	buf_free(&b);
}

static void
file_behind_the_gzip_layer_is_read_where_it_is(void **state)
{
	struct buf b = buf_noise(LARGE);
	int fd = buf_file(&b);
	struct in *in;
	struct spool *s;

	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 1, 0, "file",
	    &in));
	assert_status(*state, BOB_OK, in_open_unpack(in,
	    format_begins_segment, 0, &in));
	allow(*state, 10);
	assert_status(*state, BOB_OK, spool_open(in, &s));
	assert_status(*state, BOB_OK, spool_fill(s));
	assert_true(lseek(fd, 0, SEEK_CUR) < LARGE);
	spool_close(s);
	check_parts(in, &b);
	buf_free(&b);
}

static void
packed_bytes_are_spooled_unpacked(void **state)
{
	struct buf b = buf_noise(LARGE), packed = { 0 };
	struct in *in;

	put_gzip(&packed, b.p, b.n);
	assert_status(*state, BOB_OK, in_open_fd(*state, buf_file(&packed),
	    1, 0, "file", &in));
	assert_status(*state, BOB_OK, in_open_unpack(in,
	    format_begins_segment, 0, &in));
	check_parts(in, &b);
	buf_free(&packed);
	buf_free(&b);
}

/* What was read of the file before is not in the stream. */
static void
file_that_was_begun_is_spooled_from_there(void **state)
{
	struct buf b = buf_noise(5000), rest = { 0 };
	int fd = buf_file(&b);
	struct in *in;

	put_bytes(&rest, b.p + 1234, b.n - 1234);
	assert_int_equal(lseek(fd, 1234, SEEK_SET), 1234);
	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 1, 0, "file",
	    &in));
	check_parts(in, &rest);
	buf_free(&rest);
	buf_free(&b);
}

/* fstat(2) says of these that they are empty. */
static void
file_of_unknown_size_is_spooled(void **state)
{
	int fd = open("/proc/self/maps", O_RDONLY);
	struct in *in;
	struct spool *s;

	if (fd < 0)
		skip();
	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 1, 0, "maps",
	    &in));
	s = spool_of(in);
	assert_true(spool_size(s) > 0);
	spool_close(s);
	in_close(in);
}

static void
pipe_is_kept_whatever_its_size(void **state)
{
	static const size_t sizes[] = { 1, 262144, 1 << 20, (1 << 20) + 1,
		LARGE };
	size_t i;

	for (i = 0; i < COUNT_OF(sizes); i++) {
		struct buf b = buf_noise(sizes[i]);
		struct chunks c = { .p = b.p, .n = b.n, .step = 70000,
			.stutter = 1 };
		struct in *in;

		assert_status(*state, BOB_OK, in_open_fn(*state, chunks_read,
		    &c, "fn", &in));
		check_parts(in, &b);
		buf_free(&b);
	}
}

static void
trickle_is_again_until_all_is_there(void **state)
{
	struct buf b = buf_noise(300);
	struct chunks c = trickle(b.p, b.n);
	struct in *in;
	struct spool *s;
	unsigned n_again = 0;
	int r;

	assert_status(*state, BOB_OK, in_open_fn(*state, chunks_read, &c,
	    "fn", &in));
	assert_status(*state, BOB_OK, spool_open(in, &s));
	while ((r = spool_fill(s)) == BOB_AGAIN)
		n_again++;
	assert_int_equal(r, BOB_OK);
	assert_true(n_again >= 299);
	check_part(s, &b, 0, 300, *state);
	spool_close(s);
	in_close(in);
	buf_free(&b);
}

/* A file that still grows has no end to look for tables at. */
static void
followed_file_is_never_whole(void **state)
{
	struct buf b = buf_noise(100);
	struct in *in;
	struct spool *s;

	assert_status(*state, BOB_OK, in_open_fd(*state, buf_file(&b), 1, 1,
	    "file", &in));
	assert_status(*state, BOB_OK, spool_open(in, &s));
	assert_int_equal(spool_fill(s), BOB_AGAIN);
	assert_int_equal(spool_fill(s), BOB_AGAIN);
	spool_close(s);
	in_close(in);
	buf_free(&b);
}

static void
limit_is_an_error_that_says_what_to_do(void **state)
{
	struct bob_ctx *ctx = *state;
	struct buf b = buf_noise(LARGE);
	uint64_t limit;

	for (limit = LARGE - 1; limit <= LARGE; limit++) {
		struct chunks c = { .p = b.p, .n = b.n, .step = 70000 };
		struct in *in;
		struct spool *s;

		assert_status(ctx, BOB_OK, in_open_fn(ctx, chunks_read, &c,
		    "fn", &in));
		allow(ctx, limit);
		assert_status(ctx, BOB_OK, spool_open(in, &s));
		assert_int_equal(spool_fill(s), limit < LARGE ? BOB_FATAL :
		    BOB_OK);
		spool_close(s);
		in_close(in);
	}
	assert_int_equal(ctx->error.code, BOB_E_BUDGET);
	assert_non_null(strstr(ctx->error.text, "2999999 bytes"));
	assert_non_null(strstr(ctx->error.text, "to a file and read that"));
	buf_free(&b);
}

static void
error_below_is_passed_on(void **state)
{
	struct bob_ctx *ctx = *state;
	int fd = open("/", O_RDONLY); /* read(2) fails: a folder */
	struct in *in;
	struct spool *s;

	assert_true(fd >= 0);
	assert_status(ctx, BOB_OK, in_open_fd(ctx, fd, 1, 0, "folder", &in));
	assert_status(ctx, BOB_OK, spool_open(in, &s));
	assert_int_equal(spool_fill(s), BOB_FATAL);
	assert_int_equal(ctx->error.sys, EISDIR);
	spool_close(s);
	in_close(in);
}

static void
missing_folder_for_temporary_files_is_an_error(void **state)
{
	struct bob_ctx *ctx = *state;
	struct buf b = buf_noise(LARGE);
	struct chunks c = { .p = b.p, .n = b.n, .step = 70000 };
	struct in *in;
	struct spool *s;

	assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
	assert_status(ctx, BOB_OK, in_open_fn(ctx, chunks_read, &c, "fn",
	    &in));
	assert_status(ctx, BOB_OK, spool_open(in, &s));
	assert_int_equal(spool_fill(s), BOB_FATAL);
	assert_int_equal(ctx->error.sys, ENOENT);
	assert_non_null(strstr(ctx->error.text, "/no/such/folder"));
	spool_close(s);
	in_close(in);
	assert_int_equal(unsetenv("TMPDIR"), 0);
	buf_free(&b);
}

static void
file_that_shrinks_is_an_error(void **state)
{
	struct bob_ctx *ctx = *state;
	struct buf b = buf_noise(LARGE);
	int fd = buf_file(&b);
	uint8_t byte[2];
	const uint8_t *p;
	struct in *in, *part;
	struct spool *s;
	size_t n;

	assert_status(ctx, BOB_OK, in_open_fd(ctx, fd, 1, 0, "file", &in));
	s = spool_of(in);
	assert_status(ctx, BOB_OK, spool_range(s, 0, LARGE, &part));
	assert_int_equal(ftruncate(fd, 1000), 0);
	assert_int_equal(spool_read(s, 998, byte, 2), BOB_OK);
	assert_int_equal(spool_read(s, 999, byte, 2), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_TRUNCATED);
	assert_int_equal(ctx->error.offset, 1000);
	assert_int_equal(in_peek(part, 1000, &p, &n), BOB_OK);
	assert_int_equal(in_peek(part, 1001, &p, &n), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_TRUNCATED);
	assert_int_equal(ctx->error.offset, 1000);
	assert_int_equal(n, 1000);
	in_close(part);
	spool_close(s);
	in_close(in);
	buf_free(&b);
}

static void
bytes_behind_the_end_are_an_error(void **state)
{
	struct bob_ctx *ctx = *state;
	struct buf b = buf_noise(100);
	struct in *in, *part = NULL;
	struct spool *s;
	uint8_t byte[8];

	assert_status(ctx, BOB_OK, in_open_memory(ctx, b.p, b.n, "mem", &in));
	s = spool_of(in);
	assert_int_equal(spool_read(s, 93, byte, 8), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_TRUNCATED);
	assert_int_equal(spool_read(s, UINT64_MAX, byte, 8), BOB_FATAL);
	assert_int_equal(spool_range(s, 0, 101, &part), BOB_FATAL);
	assert_int_equal(ctx->error.code, BOB_E_TRUNCATED);
	assert_int_equal(spool_range(s, 60, 50, &part), BOB_FATAL);
	assert_null(part);
	spool_close(s);
	in_close(in);
	buf_free(&b);
}

/* The bytes must be there before the first failure is armed. */
static struct buf ready;

static int
spool_ready(void *user)
{
	struct chunks c = { .p = ready.p, .n = ready.n, .step = 70000 };
	struct bob_ctx *ctx = user;
	struct in *in, *part = NULL;
	struct spool *s = NULL;
	int r = in_open_fn(ctx, chunks_read, &c, "fn", &in);

	if (r == BOB_OK) {
		r = spool_open(in, &s);
		if (r == BOB_OK)
			r = spool_fill(s);
		if (r == BOB_OK)
			r = spool_range(s, 5, 10, &part);
		in_close(part);
		spool_close(s);
		in_close(in);
	}
	assert_true(r == BOB_OK || ctx->error.code == BOB_E_NOMEM);
	return r;
}

static void
no_memory_is_reported(void **state)
{
	ready = buf_noise(1 << 20);
	fault_each(spool_ready, *state);
	buf_free(&ready);
	ready = buf_noise(LARGE);
	fault_each(spool_ready, *state);
	buf_free(&ready);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ctx_setup, \
	ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory_is_not_copied),
		TEST(nothing_can_be_spooled),
		TEST(file_is_read_where_it_is),
		TEST(file_behind_the_gzip_layer_is_read_where_it_is),
		TEST(packed_bytes_are_spooled_unpacked),
		TEST(file_that_was_begun_is_spooled_from_there),
		TEST(file_of_unknown_size_is_spooled),
		TEST(pipe_is_kept_whatever_its_size),
		TEST(trickle_is_again_until_all_is_there),
		TEST(followed_file_is_never_whole),
		TEST(limit_is_an_error_that_says_what_to_do),
		TEST(error_below_is_passed_on),
		TEST(missing_folder_for_temporary_files_is_an_error),
		TEST(file_that_shrinks_is_an_error),
		TEST(bytes_behind_the_end_are_an_error),
		TEST(no_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
