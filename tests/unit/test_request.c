/* Which request a sample belongs to, in a memory of our own. */
#include "support.h"

#include "capture/php/request.h"
#include "model/dict.h"
#include "../../fuzz/fakemem.h"

#define AT ((uint64_t)0x10000)
#define IMAGE 8192

enum { EG = 0, SG = 2048, STRINGS = 4096 };

struct rig {
	struct fakemem m;
	uint8_t b[IMAGE];
	struct process p;
	struct server server;
	struct request r;
};

static void
set_field(struct rig *rig, size_t field, size_t at, const char *s)
{
	memcpy(rig->b + STRINGS + at, s, strlen(s) + 1);
	fakemem_put(&rig->m, SG + field, AT + STRINGS + at, 8);
}

/* The process serves the i-th request. */
static void
serve(struct rig *rig, size_t i, const char *script)
{
	set_field(rig, SG_METHOD, 0, "GET");
	set_field(rig, SG_URI, 64, "/index.php");
	set_field(rig, SG_PATH_TRANSLATED, 256 + 64 * i, script);
	fakemem_put(&rig->m, SG + SG_REQUEST_TIME, i, 8);
}

static void
begin(struct rig *rig)
{
	struct php_globals at = { AT + EG, AT + SG, 0, 0 };

	memset(rig, 0, sizeof(*rig));
	fakemem_init(&rig->m, AT, rig->b, IMAGE);
	rig->p.ctx = bob_ctx_new();
	rig->p.dict = bob_dict_new(rig->p.ctx);
	assert_non_null(rig->p.dict);
	rig->p.mem = rig->m.mem;
	rig->p.flags = BOB_ATTACH_REQUEST;
	request_init(&rig->r, &rig->p, php_offsets_of(82), &at,
	    &rig->server);
}

static void
end(struct rig *rig)
{
	bob_dict_free(rig->p.dict);
	bob_ctx_free(rig->p.ctx);
}

/* The script of the sample's request, or "". */
static void
expect_script(struct rig *rig, const char *want)
{
	bob_annot id = request_annotate(&rig->r, NULL, 0);
	struct bob_bytes script = { "", 0 };
	const struct bob_pair *v;
	size_t n, i;

	assert_int_not_equal(id, BOB_NO_ID);
	v = bob_annot_get(rig->p.dict, id, &n);
	for (i = 0; id != 0 && i < n; i++) {
		struct bob_bytes key = bob_str_get(rig->p.dict, v[i].key);

		if (key.n == 14 && memcmp(key.p, "request.script", 14) == 0)
			script = bob_str_get(rig->p.dict, v[i].value);
	}
	assert_int_equal(script.n, strlen(want));
	assert_memory_equal(script.p, want, script.n);
}

static void
samples_of_a_request_have_it(void **state)
{
	struct rig rig;
	int i;

	(void)state;
	begin(&rig);
	serve(&rig, 1, "a.php");
	for (i = 0; i < 3; i++) {
		assert_int_equal(request_look(&rig.r), i == 0);
		expect_script(&rig, "a.php");
	}
	serve(&rig, 2, "b.php");
	assert_true(request_look(&rig.r));
	expect_script(&rig, "b.php");
	end(&rig);
}

static void
a_request_that_ends_while_a_stack_is_read_is_left_out(void **state)
{
	struct rig rig;
	int is_known;

	(void)state;
	for (is_known = 0; is_known < 2; is_known++) {
		begin(&rig);
		serve(&rig, 1, "a.php");
		assert_true(request_look(&rig.r));
		if (is_known) {
			expect_script(&rig, "a.php");
			assert_false(request_look(&rig.r));
		}
		serve(&rig, 2, "b.php");
		expect_script(&rig, "");
		assert_true(request_look(&rig.r));
		expect_script(&rig, "b.php");
		end(&rig);
	}
}

/* The id of the sample's request, or 0. */
static char
id_of(struct rig *rig)
{
	bob_annot id;
	const struct bob_pair *v;
	size_t n, i;

	(void)request_look(&rig->r);
	id = request_annotate(&rig->r, NULL, 0);
	assert_int_not_equal(id, BOB_NO_ID);
	v = bob_annot_get(rig->p.dict, id, &n);
	for (i = 0; id != 0 && i < n; i++) {
		struct bob_bytes key = bob_str_get(rig->p.dict, v[i].key);

		if (key.n == 10 && memcmp(key.p, "request.id", 10) == 0)
			return bob_str_get(rig->p.dict, v[i].value).p[0];
	}
	return 0;
}

/* Where a server keeps what it changes with each request. */
enum { CONTEXT = 6144, ADDRESS = 6400, APACHE = 6656, COUNTER = 7168 };

/* The same page again: all strings are where they were, and nobody has asked
 * for the time. */
static void
serve_again(struct rig *rig, uint64_t n)
{
	serve(rig, 0, "a.php");
	fakemem_put(&rig->m, SG + SG_CONTEXT, AT + CONTEXT, 8);
	fakemem_put(&rig->m, COUNTER, n, 8);
	fakemem_put(&rig->m, CONTEXT + 8, AT + APACHE, 8);
	fakemem_put(&rig->m, CONTEXT + 16, AT + ADDRESS, 8);
	fakemem_put(&rig->m, CONTEXT + 24, 16, 8);
	fakemem_put(&rig->m, ADDRESS, n, 8);
	fakemem_put(&rig->m, APACHE + 88, UINT64_C(1700000000000000) + n, 8);
}

static void
requests_for_the_same_page_are_told_apart(void **state)
{
	static const enum server_kind kinds[] = { SERVER_FPM, SERVER_CLI,
		SERVER_APACHE };
	struct rig rig;
	size_t k, i;
	char id, last;

	(void)state;
	for (k = 0; k < 3; k++) {
		begin(&rig);
		rig.server.kind = kinds[k];
		if (kinds[k] == SERVER_FPM)
			rig.server.counter = AT + COUNTER;
		for (last = 0, i = 1; i < 25; i++, last = id) {
			serve_again(&rig, i);
			id = id_of(&rig);
			assert_in_range(id, '1', '9');
			assert_int_not_equal(id, last);
			assert_int_equal(id_of(&rig), id);
			/* A script asks for the time later. */
			fakemem_put(&rig.m, SG + SG_REQUEST_TIME, i, 8);
			assert_int_equal(id_of(&rig), id);
			/* Between the script and its destructors. */
			request_idle(&rig.r);
			assert_int_equal(id_of(&rig), id);
		}
		end(&rig);
	}
}

/* What is known without the help of a server. */
static void
of_other_servers_moments_and_times_tell_requests_apart(void **state)
{
	struct rig rig;
	char a, b;
	int i;

	(void)state;
	begin(&rig);
	serve(&rig, 0, "a.php");
	a = id_of(&rig);
	assert_int_equal(id_of(&rig), a);
	request_idle(&rig.r);
	b = id_of(&rig);
	assert_int_not_equal(a, b);
	fakemem_put(&rig.m, SG + SG_REQUEST_TIME, 1, 8);
	assert_int_equal(id_of(&rig), b);
	fakemem_put(&rig.m, SG + SG_REQUEST_TIME, 2, 8);
	assert_int_not_equal(id_of(&rig), b);
	/* However often nothing runs in between, the next one has the next
	 * number. */
	for (i = 0; i < 9; i++) {
		request_idle(&rig.r);
		(void)request_look(&rig.r);
	}
	assert_int_not_equal(id_of(&rig), b + 1);
	assert_int_equal(id_of(&rig), b + 2);
	/* New names of a new dictionary are no new request. */
	a = id_of(&rig);
	request_forget(&rig.r);
	assert_int_equal(id_of(&rig), a);
	end(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_of_a_request_have_it),
		cmocka_unit_test(
		    a_request_that_ends_while_a_stack_is_read_is_left_out),
		cmocka_unit_test(requests_for_the_same_page_are_told_apart),
		cmocka_unit_test(
		    of_other_servers_moments_and_times_tell_requests_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
