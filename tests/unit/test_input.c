/* Inputs: they give the same bytes whatever they read from. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/input.h"
#include "fault.h"
#include "format/format.h"

/* More than one window of any input. */
#define LARGE 700000

/* Reads by peeking `step` bytes at a time, patient with AGAIN; checks the
 * offsets. Returns the status of the end. */
static int
drain(struct in *in, size_t step, struct buf *out)
{
	uint64_t begin = in->pos;
	int idle = 0, r;

	for (;;) {
		const uint8_t *p;
		size_t n;

		assert_true(in->pos == begin + out->n);
		r = in_peek(in, step, &p, &n);
		/* A packed byte need not unpack to anything. */
		if (r == BOB_AGAIN && idle++ < 5000)
			continue;
		if (r != BOB_OK && n == 0)
			return r;
		assert_true(r != BOB_OK || n >= step);
		/* Not always all of it, so that windows move. */
		n = n > step ? step : n;
		put_bytes(out, p, n);
		in_consume(in, n);
		idle = 0;
	}
}

static void
check_drain(struct in *in, size_t step, const void *p, size_t n)
{
	struct buf got = { 0 };

	assert_status(in->ctx, BOB_EOF, drain(in, step, &got));
	assert_int_equal(got.n, n);
	assert_memory_equal(got.p, p, n);
	buf_free(&got);
	in_close(in);
}

static const size_t steps[] = { 1, 3, 4096, 262144, 262145, LARGE + 5 };

/* --- memory, files, ranges, functions ------------------------------------ */

static void
memory_gives_its_bytes(void **state)
{
	struct buf b = buf_noise(LARGE);
	size_t i;

	for (i = 2; i < COUNT_OF(steps); i++) {
		struct in *in;

		assert_status(*state, BOB_OK, in_open_memory(*state, b.p, b.n,
		    "mem", &in));
		check_drain(in, steps[i], b.p, b.n);
	}
	buf_free(&b);
}

static void
file_gives_its_bytes(void **state)
{
	struct buf b = buf_noise(LARGE);
	size_t i;

	for (i = 2; i < COUNT_OF(steps); i++) {
		struct in *in;

		assert_status(*state, BOB_OK, in_open_fd(*state, buf_file(&b),
		    1, 0, "file", &in));
		check_drain(in, steps[i], b.p, b.n);
	}
	buf_free(&b);
}

static void
file_is_read_from_where_it_stands(void **state)
{
	struct buf b = buf_noise(1000);
	struct in *in;
	int fd = buf_file(&b);

	assert_int_equal(lseek(fd, 400, SEEK_SET), 400);
	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 1, 0, "file",
	    &in));
	check_drain(in, 7, b.p + 400, 600);
	buf_free(&b);
}

static void
borrowed_descriptor_stays_open(void **state)
{
	struct buf b = buf_noise(10);
	struct in *in;
	int fd = buf_file(&b);

	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 0, 0, "file",
	    &in));
	in_close(in);
	assert_true(fcntl(fd, F_GETFD) >= 0);
	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 1, 0, "file",
	    &in));
	in_close(in);
	assert_true(fcntl(fd, F_GETFD) < 0);
	buf_free(&b);
}

static void
range_gives_its_bytes_at_the_offsets_of_the_file(void **state)
{
	struct buf b = buf_noise(LARGE);
	int fd = buf_file(&b);
	struct in *in;

	assert_status(*state, BOB_OK, in_open_range(*state, fd, 100, 600000,
	    "range", &in));
	assert_int_equal(in->pos, 100);
	check_drain(in, 4096, b.p + 100, 599900);
	assert_status(*state, BOB_OK, in_open_range(*state, fd, LARGE - 5,
	    LARGE + 500, "range", &in));
	check_drain(in, 4096, b.p + LARGE - 5, 5);
	assert_status(*state, BOB_OK, in_open_range(*state, fd, 9, 9, "range",
	    &in));
	check_drain(in, 1, b.p, 0);
	/* pread: the file's own place does not matter and does not move. */
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	assert_int_equal(close(fd), 0);
	buf_free(&b);
}

static void
chain_gives_a_part_of_one_file_and_all_of_another(void **state)
{
	struct buf b = buf_noise(LARGE), rest = { .p = b.p + 400000,
		.n = LARGE - 400000 };
	struct in *in;

	assert_status(*state, BOB_OK, in_open_chain(*state, buf_file(&b),
	    400000, buf_file(&rest), "chain", &in));
	check_drain(in, 4096, b.p, b.n);
	assert_status(*state, BOB_OK, in_open_chain(*state, buf_file(&b),
	    0, buf_file(&rest), "chain", &in));
	check_drain(in, 4096, rest.p, rest.n);
	buf_free(&b);
}

static void
function_gives_its_bytes(void **state)
{
	static const size_t chunk[] = { 1, 2, 1000, LARGE };
	struct buf b = buf_noise(20000);
	size_t i, k;

	for (i = 0; i < COUNT_OF(chunk); i++)
		for (k = 0; k < COUNT_OF(steps); k++) {
			struct chunks c = { .p = b.p, .n = b.n,
				.step = chunk[i], .stutter = 1 };
			struct in *in;

			assert_status(*state, BOB_OK, in_open_fn(*state,
			    chunks_read, &c, "fn", &in));
			check_drain(in, steps[k], b.p, b.n);
		}
	buf_free(&b);
}

static long
count_calls(void *user, void *buf, size_t cap)
{
	(void)buf;
	(void)cap;
	++*(int *)user;
	return 0;
}

static void
end_is_asked_for_once(void **state)
{
	int calls = 0;
	const uint8_t *p;
	struct in *in;
	size_t n;

	assert_status(*state, BOB_OK, in_open_fn(*state, count_calls, &calls,
	    "fn", &in));
	assert_int_equal(in_peek(in, 1, &p, &n), BOB_EOF);
	assert_int_equal(in_peek(in, 1, &p, &n), BOB_EOF);
	assert_int_equal(n, 0);
	assert_int_equal(calls, 1);
	in_close(in);
}

static long
fail_with_eio(void *user, void *buf, size_t cap)
{
	(void)user;
	(void)buf;
	(void)cap;
	errno = EIO;
	return -1;
}

static void
failed_read_is_fatal_and_names_the_input(void **state)
{
	const struct bob_error *e = bob_ctx_error(*state);
	const uint8_t *p;
	struct in *in;
	size_t n;

	assert_status(*state, BOB_OK, in_open_fn(*state, fail_with_eio, NULL,
	    "trace.rbt", &in));
	assert_int_equal(in_peek(in, 1, &p, &n), BOB_FATAL);
	assert_int_equal(e->code, BOB_E_IO);
	assert_int_equal(e->sys, EIO);
	assert_non_null(strstr(e->text, "trace.rbt"));
	in_close(in);
	assert_status(*state, BOB_OK, in_open_fd(*state, -1, 0, 0, "closed",
	    &in));
	assert_int_equal(in_peek(in, 1, &p, &n), BOB_FATAL);
	assert_int_equal(e->sys, EBADF);
	in_close(in);
}

static long
claim_too_much(void *user, void *buf, size_t cap)
{
	(void)user;
	memset(buf, 'x', cap);
	return (long)(cap * 2);
}

static void
function_that_claims_too_much_is_not_believed(void **state)
{
	const uint8_t *p;
	struct in *in;
	size_t n;

	assert_status(*state, BOB_OK, in_open_fn(*state, claim_too_much, NULL,
	    "fn", &in));
	assert_status(*state, BOB_OK, in_peek(in, 1, &p, &n));
	assert_int_equal(p[n - 1], 'x');
	in_close(in);
}

/* --- what is not there yet ----------------------------------------------- */

static void
after_again_everything_unread_still_is(void **state)
{
	struct buf b = buf_noise(1000);
	struct chunks c = trickle(b.p, b.n);
	const uint8_t *p;
	struct in *in;
	size_t n, want;

	assert_status(*state, BOB_OK, in_open_fn(*state, chunks_read, &c, "fn",
	    &in));
	for (want = 1; want < 1000; want++) {
		assert_int_equal(in_peek(in, 1000, &p, &n), BOB_AGAIN);
		assert_int_equal(n, want);
		assert_memory_equal(p, b.p, n);
	}
	assert_status(*state, BOB_OK, in_peek(in, 1000, &p, &n));
	assert_memory_equal(p, b.p, 1000);
	in_close(in);
	buf_free(&b);
}

/* A pipe that does not block; fd[1] is to be written to. */
static struct in *
open_pipe(struct bob_ctx *ctx, int follow, int fd[2])
{
	struct in *in;

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(fcntl(fd[0], F_SETFL, O_NONBLOCK), 0);
	assert_status(ctx, BOB_OK, in_open_fd(ctx, fd[0], 1, follow, "pipe",
	    &in));
	return in;
}

static void
followed_pipe_is_again_while_it_is_empty(void **state)
{
	int fd[2];
	struct in *in = open_pipe(*state, 1, fd);
	const uint8_t *p;
	size_t n;

	assert_int_equal(in_peek(in, 1, &p, &n), BOB_AGAIN);
	assert_int_equal(write(fd[1], "abc", 3), 3);
	assert_int_equal(in_peek(in, 4, &p, &n), BOB_AGAIN);
	assert_int_equal(n, 3);
	assert_int_equal(write(fd[1], "def", 3), 3);
	assert_status(*state, BOB_OK, in_peek(in, 4, &p, &n));
	assert_int_equal(n, 6);
	assert_memory_equal(p, "abcdef", 6);
	assert_int_equal(close(fd[1]), 0);
	in_consume(in, 6);
	assert_int_equal(in_peek(in, 1, &p, &n), BOB_EOF);
	in_close(in);
}

static void
closed_pipe_is_the_end(void **state)
{
	int fd[2];
	struct in *in = open_pipe(*state, 0, fd);
	const uint8_t *p;
	size_t n;

	assert_int_equal(write(fd[1], "abcdef", 6), 6);
	assert_status(*state, BOB_OK, in_peek(in, 4, &p, &n));
	in_consume(in, 2);
	assert_int_equal(close(fd[1]), 0);
	assert_int_equal(in_peek(in, 5, &p, &n), BOB_EOF);
	assert_int_equal(n, 4);
	assert_memory_equal(p, "cdef", 4);
	assert_int_equal(in->pos, 2);
	in_close(in);
}

static void
empty_pipe_is_waited_for(void **state)
{
	int fd[2], status;
	struct in *in = open_pipe(*state, 0, fd);
	const uint8_t *p;
	size_t n;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		ssize_t w = write(fd[1], "abc", 3);

		_exit(w != 3);
	}
	assert_status(*state, BOB_OK, in_peek(in, 3, &p, &n));
	assert_memory_equal(p, "abc", 3);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(close(fd[1]), 0);
	in_close(in);
}

static void
followed_file_never_ends(void **state)
{
	struct buf b = buf_noise(10);
	int fd = buf_file(&b);
	const uint8_t *p;
	struct in *in;
	size_t n;

	assert_status(*state, BOB_OK, in_open_fd(*state, fd, 1, 1, "file",
	    &in));
	assert_int_equal(in_peek(in, 11, &p, &n), BOB_AGAIN);
	assert_int_equal(n, 10);
	assert_int_equal(pwrite(fd, "x", 1, 10), 1);
	assert_status(*state, BOB_OK, in_peek(in, 11, &p, &n));
	assert_int_equal(p[10], 'x');
	assert_int_equal(in_peek(in, 12, &p, &n), BOB_AGAIN);
	in_close(in);
	buf_free(&b);
}

/* --- gzip ---------------------------------------------------------------- */

/* Unpacks b from memory, or in pieces of `chunk` bytes with AGAIN between. */
static struct in *
open_unpack(struct bob_ctx *ctx, const struct buf *b, struct chunks *c,
    size_t chunk, int tolerant)
{
	struct in *below, *in;

	*c = (struct chunks){ .p = b->p, .n = b->n, .step = chunk,
		.stutter = 1 };
	if (chunk == 0)
		assert_status(ctx, BOB_OK, in_open_memory(ctx, b->p, b->n,
		    "gz", &below));
	else
		assert_status(ctx, BOB_OK, in_open_fn(ctx, chunks_read, c,
		    "gz", &below));
	assert_status(ctx, BOB_OK, in_open_unpack(below,
	    format_begins_segment, tolerant, &in));
	return in;
}

/* However the bytes arrive, `packed` unpacks to these. */
static void
check_unpacks(struct bob_ctx *ctx, const struct buf *packed, int tolerant,
    const void *p, size_t n)
{
	static const size_t chunk[] = { 0, 1, 7, 100000 };
	static const size_t step[] = { 1, 10, 5000, 300000 };
	struct chunks c;
	size_t i, k;

	for (i = 0; i < COUNT_OF(chunk); i++)
		for (k = 0; k < COUNT_OF(step); k++)
			check_drain(open_unpack(ctx, packed, &c, chunk[i],
			    tolerant), step[k], p, n);
}

static void
raw_bytes_pass_untouched(void **state)
{
	struct buf b = buf_noise(5000);
	struct chunks c;
	struct in *in;
	const uint8_t *p;
	size_t n;

	b.p[0] = 'R';
	check_unpacks(*state, &b, 0, b.p, b.n);
	/* ... and uncopied. */
	in = open_unpack(*state, &b, &c, 0, 0);
	assert_status(*state, BOB_OK, in_peek(in, 100, &p, &n));
	assert_ptr_equal(p, b.p);
	in_close(in);
	buf_free(&b);
}

static void
no_bytes_are_no_bytes(void **state)
{
	struct buf b = { 0 };

	put_byte(&b, 0);
	b.n = 0;
	check_unpacks(*state, &b, 0, b.p, 0);
	buf_free(&b);
}

static void
beginning_of_a_gzip_header_is_raw(void **state)
{
	struct buf b = { 0 };

	for (put_bytes(&b, "\x1f\x8b\x08\0\0\0\0\0\0", 9); b.n > 0; b.n--)
		check_unpacks(*state, &b, 0, b.p, b.n);
	buf_free(&b);
}

static void
member_is_unpacked(void **state)
{
	struct buf b = buf_noise(20000), packed = { 0 };

	put_gzip(&packed, b.p, b.n);
	check_unpacks(*state, &packed, 0, b.p, b.n);
	buf_free(&b);
	buf_free(&packed);
}

static void
members_are_joined(void **state)
{
	struct buf b = buf_noise(20000), packed = { 0 };

	put_gzip(&packed, b.p, 1);
	put_gzip(&packed, b.p + 1, 9999);
	put_gzip(&packed, b.p, 0);
	put_gzip(&packed, b.p + 10000, 10000);
	check_unpacks(*state, &packed, 0, b.p, b.n);
	buf_free(&b);
	buf_free(&packed);
}

static void
raw_segment_behind_a_member_follows(void **state)
{
	struct buf raw = { 0 }, both = { 0 }, packed = { 0 };

	put_small_segment(&raw, 100, 5);
	put_bytes(&both, raw.p, raw.n);
	put_bytes(&both, raw.p, raw.n);
	put_gzip(&packed, raw.p, raw.n);
	put_bytes(&packed, raw.p, raw.n);
	/* Asking for one byte at a time never spans the border. */
	{
		struct chunks c;

		check_drain(open_unpack(*state, &packed, &c, 0, 0), 1, both.p,
		    both.n);
		check_drain(open_unpack(*state, &packed, &c, 1, 0), 1, both.p,
		    both.n);
	}
	buf_free(&raw);
	buf_free(&both);
	buf_free(&packed);
}

static void
unread_bytes_before_raw_ones_are_given_up_only_on_request(void **state)
{
	struct buf raw = { 0 }, packed = { 0 };
	struct chunks c;
	struct in *in;
	const uint8_t *p;
	size_t n;

	put_small_segment(&raw, 100, 5);
	put_gzip(&packed, "tail", 4);
	put_bytes(&packed, raw.p, raw.n);
	in = open_unpack(*state, &packed, &c, 0, 0);
	assert_int_equal(in_peek(in, 5, &p, &n), BOB_EOF);
	assert_int_equal(n, 4);
	assert_int_equal(in_cross(in), 1);
	assert_int_equal(in->pos, 4);
	assert_status(*state, BOB_OK, in_peek(in, raw.n, &p, &n));
	assert_memory_equal(p, raw.p, raw.n);
	assert_int_equal(in_cross(in), 0);
	in_close(in);
	buf_free(&raw);
	buf_free(&packed);
}

static void
junk_behind_the_last_member_is_a_warning(void **state)
{
	struct diags d;
	struct bob_ctx *ctx = ctx_with(&d);
	struct buf packed = { 0 };

	(void)state;
	put_gzip(&packed, "content", 7);
	put_text(&packed, "junk that is no trace");
	check_unpacks(ctx, &packed, 0, "content", 7);
	assert_true(d.n_warnings > 0);
	assert_non_null(strstr(d.last.text, "byte"));
	buf_free(&packed);
	bob_ctx_free(ctx);
}

static void
tolerant_reading_passes_junk_on(void **state)
{
	struct buf packed = { 0 };
	struct chunks c;

	put_gzip(&packed, "content", 7);
	put_text(&packed, "junk that is no trace");
	check_drain(open_unpack(*state, &packed, &c, 0, 1), 1,
	    "contentjunk that is no trace", 28);
	check_drain(open_unpack(*state, &packed, &c, 1, 1), 1,
	    "contentjunk that is no trace", 28);
	buf_free(&packed);
}

static void
cut_member_gives_what_can_be_unpacked(void **state)
{
	struct buf b = { 0 }, packed = { 0 }, got = { 0 };
	struct chunks c;
	size_t i, last = 0;

	for (i = 0; i < 3000; i++)
		put_byte(&b, "abcdefgh"[i * i % 7]);
	put_gzip(&packed, b.p, b.n);
	for (i = 10; i <= packed.n; i++) {
		struct buf cut = { .p = packed.p, .n = i };
		struct in *in = open_unpack(*state, &cut, &c, i % 3, 0);

		got.n = 0;
		assert_int_equal(drain(in, 10, &got), BOB_EOF);
		assert_true(got.n >= last && got.n <= b.n);
		assert_memory_equal(got.p, b.p, got.n);
		assert_int_equal(in_unpack_is_cut(in), i < packed.n);
		last = got.n;
		in_close(in);
	}
	assert_int_equal(last, b.n);
	buf_free(&b);
	buf_free(&got);
	buf_free(&packed);
}

static void
damaged_member_is_fatal_with_its_place(void **state)
{
	struct buf b = buf_noise(5000), packed = { 0 };
	const struct bob_error *e = bob_ctx_error(*state);
	struct buf got = { 0 };
	struct chunks c;
	struct in *in;

	put_gzip(&packed, b.p, b.n);
	packed.p[packed.n - 6] ^= 0xff; /* its checksum */
	in = open_unpack(*state, &packed, &c, 0, 0);
	assert_int_equal(drain(in, 100, &got), BOB_FATAL);
	assert_int_equal(e->code, BOB_E_CORRUPT);
	assert_true(e->offset > packed.n - 8 && e->offset <= packed.n);
	in_close(in);
	buf_free(&b);
	buf_free(&got);
	buf_free(&packed);
}

static void
tolerant_reading_goes_on_behind_damage(void **state)
{
	struct diags d;
	struct bob_ctx *ctx = ctx_with(&d);
	struct buf packed = { 0 }, got = { 0 };
	struct chunks c;
	struct in *in;

	(void)state;
	put_gzip(&packed, "content", 7);
	packed.p[packed.n - 6] ^= 0xff;
	put_text(&packed, "and the rest");
	in = open_unpack(ctx, &packed, &c, 0, 1);
	assert_int_equal(drain(in, 1, &got), BOB_EOF);
	assert_true(got.n >= 19);
	assert_memory_equal(got.p, "content", 7);
	assert_memory_equal(got.p + got.n - 12, "and the rest", 12);
	assert_int_equal(d.n_warnings, 1);
	in_close(in);
	buf_free(&got);
	buf_free(&packed);
	bob_ctx_free(ctx);
}

static void
bomb_costs_no_memory(void **state)
{
	size_t n = (size_t)64 << 20, left = n;
	char *zeros = calloc(1, n);
	struct buf packed = { 0 };
	struct chunks c;
	struct in *in;
	const uint8_t *p;
	size_t got;

	assert_non_null(zeros);
	put_gzip(&packed, zeros, n);
	free(zeros);
	in = open_unpack(*state, &packed, &c, 0, 0);
	while (in_peek(in, 1, &p, &got) == BOB_OK) {
		assert_true(got <= (size_t)1 << 20);
		left -= got;
		in_consume(in, got);
	}
	assert_int_equal(left, 0);
	in_close(in);
	buf_free(&packed);
}

/* --- members behind raw bytes -------------------------------------------- */

/* Raw bytes, a packed segment, and where it begins. */
static size_t
raw_then_packed(struct buf *b, struct buf *segment)
{
	size_t at;

	put_small_segment(segment, 100, 5);
	put_bytes(b, segment->p, segment->n);
	at = b->n;
	put_gzip(b, segment->p, segment->n);
	return at;
}

static void
member_behind_raw_bytes_is_found_when_asked_for(void **state)
{
	struct buf b = { 0 }, segment = { 0 };
	size_t at = raw_then_packed(&b, &segment), n;
	struct chunks c;
	struct in *in = open_unpack(*state, &b, &c, 0, 0);
	const uint8_t *p;

	assert_status(*state, BOB_OK, in_peek(in, at, &p, &n));
	assert_int_equal(in_unpack_here(in), 0);
	in_consume(in, at - 1);
	assert_int_equal(in_unpack_here(in), 0);
	in_consume(in, 1);
	assert_int_equal(in_unpack_here(in), 1);
	assert_int_equal(in->pos, at);
	assert_status(*state, BOB_OK, in_peek(in, segment.n, &p, &n));
	assert_memory_equal(p, segment.p, segment.n);
	in_consume(in, segment.n);
	assert_int_equal(in_peek(in, 1, &p, &n), BOB_EOF);
	in_close(in);
	buf_free(&b);
	buf_free(&segment);
}

static void
member_that_is_no_segment_stays_raw(void **state)
{
	struct buf b = { 0 };
	struct chunks c;
	struct in *in;
	const uint8_t *p;
	size_t n;

	put_text(&b, "R");
	put_gzip(&b, "no segment at all", 17);
	in = open_unpack(*state, &b, &c, 0, 0);
	assert_status(*state, BOB_OK, in_peek(in, 1, &p, &n));
	in_consume(in, 1);
	assert_int_equal(in_unpack_here(in), 0);
	assert_status(*state, BOB_OK, in_peek(in, b.n - 1, &p, &n));
	assert_memory_equal(p, b.p + 1, n);
	in_close(in);
	buf_free(&b);
}

static void
member_that_arrives_slowly_is_found_in_the_end(void **state)
{
	struct buf b = { 0 }, segment = { 0 }, got = { 0 };
	size_t at = raw_then_packed(&b, &segment), n;
	struct chunks c;
	struct in *in = open_unpack(*state, &b, &c, 1, 0);
	const uint8_t *p;
	int r;

	while (in_peek(in, at, &p, &n) == BOB_AGAIN)
		;
	in_consume(in, at);
	while ((r = in_unpack_here(in)) == BOB_AGAIN)
		;
	assert_int_equal(r, 1);
	assert_int_equal(drain(in, 1, &got), BOB_EOF);
	assert_int_equal(got.n, segment.n);
	assert_memory_equal(got.p, segment.p, segment.n);
	in_close(in);
	buf_free(&b);
	buf_free(&got);
	buf_free(&segment);
}

static void
inside_a_member_nothing_is_unpacked_again(void **state)
{
	struct buf inner = { 0 }, segment = { 0 }, packed = { 0 };
	struct chunks c;
	struct in *in;
	const uint8_t *p;
	size_t n;

	put_small_segment(&segment, 100, 5);
	put_gzip(&inner, segment.p, segment.n);
	put_gzip(&packed, inner.p, inner.n);
	in = open_unpack(*state, &packed, &c, 0, 0);
	assert_status(*state, BOB_OK, in_peek(in, inner.n, &p, &n));
	assert_int_equal(in_unpack_here(in), 0);
	assert_memory_equal(in->p, inner.p, inner.n);
	in_close(in);
	buf_free(&inner);
	buf_free(&packed);
	buf_free(&segment);
}

static void
stored_bytes_are_those_taken_from_outside(void **state)
{
	struct buf b = buf_noise(100000), packed = { 0 };
	struct chunks c;
	struct in *in;
	struct buf got = { 0 };

	put_gzip(&packed, b.p, b.n);
	in = open_unpack(*state, &packed, &c, 1000, 0);
	assert_int_equal(in_stored(in), 0);
	assert_int_equal(drain(in, 10, &got), BOB_EOF);
	assert_int_equal(in_stored(in), packed.n);
	assert_int_equal(in->pos, b.n);
	in_close(in);
	buf_free(&b);
	buf_free(&got);
	buf_free(&packed);
}

/* --- out of memory ------------------------------------------------------- */

struct read_args {
	struct bob_ctx *ctx;
	const struct buf *b;
};

static int
read_all(void *user)
{
	struct read_args *args = user;
	struct chunks c = { .p = args->b->p, .n = args->b->n, .step = 50 };
	const uint8_t *p;
	struct in *below, *in;
	size_t n;
	int r;

	r = in_open_fn(args->ctx, chunks_read, &c, "fn", &below);
	if (r < 0)
		return r;
	r = in_open_unpack(below, format_begins_segment, 0, &in);
	if (r < 0)
		return r;
	while ((r = in_peek(in, 300000, &p, &n)) == BOB_OK ||
	    (r == BOB_EOF && n > 0))
		in_consume(in, n);
	if (r < 0)
		assert_int_equal(bob_ctx_error(args->ctx)->code, BOB_E_NOMEM);
	in_close(in);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	struct buf b = buf_noise(1000), packed = { 0 };
	struct read_args args = { *state, &packed };

	put_gzip(&packed, b.p, b.n);
	put_gzip(&packed, b.p, b.n);
	fault_each(read_all, &args);
	buf_free(&b);
	buf_free(&packed);
}

#define WITH_CTX(f) cmocka_unit_test_setup_teardown(f, ctx_setup, ctx_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_CTX(memory_gives_its_bytes),
		WITH_CTX(file_gives_its_bytes),
		WITH_CTX(file_is_read_from_where_it_stands),
		WITH_CTX(borrowed_descriptor_stays_open),
		WITH_CTX(range_gives_its_bytes_at_the_offsets_of_the_file),
		WITH_CTX(chain_gives_a_part_of_one_file_and_all_of_another),
		WITH_CTX(function_gives_its_bytes),
		WITH_CTX(end_is_asked_for_once),
		WITH_CTX(failed_read_is_fatal_and_names_the_input),
		WITH_CTX(function_that_claims_too_much_is_not_believed),
		WITH_CTX(after_again_everything_unread_still_is),
		WITH_CTX(followed_pipe_is_again_while_it_is_empty),
		WITH_CTX(closed_pipe_is_the_end),
		WITH_CTX(empty_pipe_is_waited_for),
		WITH_CTX(followed_file_never_ends),
		WITH_CTX(raw_bytes_pass_untouched),
		WITH_CTX(no_bytes_are_no_bytes),
		WITH_CTX(beginning_of_a_gzip_header_is_raw),
		WITH_CTX(member_is_unpacked),
		WITH_CTX(members_are_joined),
		WITH_CTX(raw_segment_behind_a_member_follows),
		WITH_CTX(
		    unread_bytes_before_raw_ones_are_given_up_only_on_request),
		cmocka_unit_test(junk_behind_the_last_member_is_a_warning),
		WITH_CTX(tolerant_reading_passes_junk_on),
		WITH_CTX(cut_member_gives_what_can_be_unpacked),
		WITH_CTX(damaged_member_is_fatal_with_its_place),
		cmocka_unit_test(tolerant_reading_goes_on_behind_damage),
		WITH_CTX(bomb_costs_no_memory),
		WITH_CTX(member_behind_raw_bytes_is_found_when_asked_for),
		WITH_CTX(member_that_is_no_segment_stays_raw),
		WITH_CTX(member_that_arrives_slowly_is_found_in_the_end),
		WITH_CTX(inside_a_member_nothing_is_unpacked_again),
		WITH_CTX(stored_bytes_are_those_taken_from_outside),
		WITH_CTX(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
