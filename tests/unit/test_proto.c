/* Protocol buffers, byte by byte as their description has them. */
#include "core/proto.h"

#include "support.h"

static void
assert_bytes(struct bob_ctx *ctx, struct proto *p, const char *want, size_t n)
{
	struct out *out;
	const uint8_t *got;
	size_t len;

	assert_status(ctx, BOB_OK, out_open_memory(ctx, &out));
	assert_status(ctx, BOB_OK, proto_commit(p, out));
	got = out_memory_take(out, &len);
	assert_int_equal(len, n);
	assert_memory_equal(got, want, n);
	out_discard(out);
}

static void
fields_are_written_one_after_the_other(void **state)
{
	struct proto p;

	proto_init(&p, *state);
	proto_u64(&p, 1, 150);
	proto_u64(&p, 1, 0);
	proto_u64_if(&p, 1, 0);
	proto_u64_if(&p, 16, 1);
	proto_bytes(&p, 2, "testing", 7);
	proto_bytes(&p, 2, NULL, 0);
	assert_bytes(*state, &p, "\x08\x96\x01\x08\x00\x80\x01\x01"
	    "\x12\x07testing\x12\x00", 8 + 9 + 2);
	proto_done(&p);
}

static void
messages_know_their_length(void **state)
{
	char want[2 + 3 + 3 + 200] = "\x1a\xce\x01\x22\xcb\x01\x0a\xc8\x01";
	char text[200];
	struct proto p;
	size_t outer, inner;

	proto_init(&p, *state);
	outer = proto_begin(&p, 3);
	proto_end(&p, outer);
	assert_bytes(*state, &p, "\x1a\x00", 2);
	outer = proto_begin(&p, 3);
	inner = proto_begin(&p, 4);
	memset(text, 'x', sizeof(text));
	proto_bytes(&p, 1, text, sizeof(text));
	proto_end(&p, inner);
	proto_end(&p, outer);
	memset(want + 9, 'x', sizeof(want) - 9);
	assert_int_equal(p.n, 209);
	assert_memory_equal(p.p, want, sizeof(want));
	p.n = 0;
	outer = proto_begin(&p, 2);
	proto_packed(&p, 3);
	proto_packed(&p, 270);
	proto_end(&p, outer);
	assert_bytes(*state, &p, "\x12\x03\x03\x8e\x02", 5);
	proto_done(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    fields_are_written_one_after_the_other, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(messages_know_their_length,
		    ctx_setup, ctx_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
