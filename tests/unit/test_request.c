/* Which request a sample belongs to, in a memory of our own. */
#include "support.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/php/requests/request.h"
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

/* FrankenPHP fills it in while its script waits: strings one by one, and at
 * first with the time of the request before. */
static void
a_request_that_is_being_filled_in_is_one(void **state)
{
	struct rig rig;
	char a, b;
	size_t i;

	(void)state;
	begin(&rig);
	serve(&rig, 1, "a.php");
	a = id_of(&rig);
	for (i = 2; i < 20; i++, a = b) {
		/* Half of the times there is a look between the two. */
		memset(rig.b + SG, 0, SG_REQUEST_END);
		if (i % 2 == 0)
			assert_int_equal(id_of(&rig), 0);
		set_field(&rig, SG_METHOD, 1024 + 8 * i, "GET");
		b = id_of(&rig);
		assert_in_range(b, '1', '9');
		assert_int_not_equal(a, b);
		set_field(&rig, SG_URI, 64, "/index.php");
		assert_int_equal(id_of(&rig), b);
		/* sapi_activate, then $_SERVER */
		if (i % 3 == 0) {
			fakemem_put(&rig.m, SG + SG_REQUEST_TIME, 0, 8);
			assert_int_equal(id_of(&rig), b);
		}
		fakemem_put(&rig.m, SG + SG_REQUEST_TIME, i, 8);
		set_field(&rig, SG_COOKIE, 512, "a=b");
		assert_int_equal(id_of(&rig), b);
	}
	/* The time of this one is known: another one is another request. */
	fakemem_put(&rig.m, SG + SG_REQUEST_TIME, i, 8);
	assert_int_not_equal(id_of(&rig), a);
	end(&rig);
}

/* --- bounds -------------------------------------------------------------- */

/* Each part of a path may be the first that has no room. */
static void
a_route_stays_in_its_room(void **state)
{
	static const struct {
		const char *path, *route;
	} paths[] = {
		{ "/a/long-part/of/it/", "/a/long-part/of/it/" },
		{ "/1/22/333/x", "/{n}/{n}/{n}/x" },
		{ "////", "////" },
	};
	size_t i, cap, n;
	char *buf;

	(void)state;
	for (i = 0; i < COUNT_OF(paths); i++)
		for (cap = 1; cap <= strlen(paths[i].route) + 1; cap++) {
			buf = malloc(cap);
			assert_non_null(buf);
			n = request_route(paths[i].path,
			    strlen(paths[i].path), buf, cap);
			assert_int_equal(n, cap < strlen(paths[i].route)
			    ? cap : strlen(paths[i].route));
			assert_memory_equal(buf, paths[i].route, n);
			free(buf);
		}
}

/* All that a request can have, with strings that do not end. */
static void
a_request_may_have_everything(void **state)
{
	enum { HEAP = 6144 };
	struct php_globals at = { AT + EG, AT + SG, 0, AT + HEAP };
	struct rig rig;
	size_t n;

	(void)state;
	begin(&rig);
	rig.p.flags = BOB_ATTACH_REQUEST | BOB_ATTACH_QUERY |
	    BOB_ATTACH_COOKIE | BOB_ATTACH_MEMORY;
	request_init(&rig.r, &rig.p, php_offsets_of(82), &at, &rig.server);
	memset(rig.b + STRINGS, '/', 2048);
	set_field(&rig, SG_METHOD, 1500, "GET");
	fakemem_put(&rig.m, SG + SG_URI, AT + STRINGS, 8);
	fakemem_put(&rig.m, SG + SG_PATH_TRANSLATED, AT + STRINGS, 8);
	fakemem_put(&rig.m, SG + SG_QUERY, AT + STRINGS, 8);
	fakemem_put(&rig.m, SG + SG_COOKIE, AT + STRINGS, 8);
	fakemem_put(&rig.m, HEAP, AT + HEAP, 8);
	fakemem_put(&rig.m, HEAP + HEAP_SIZE, 1 << 20, 8);
	fakemem_put(&rig.m, HEAP + HEAP_PEAK, 2 << 20, 8);
	(void)request_look(&rig.r);
	(void)bob_annot_get(rig.p.dict, request_annotate(&rig.r, NULL, 0),
	    &n);
	assert_int_equal(n, REQUEST_MAX_PAIRS);
	end(&rig);
}

static void
an_address_may_have_any_length(void **state)
{
	static const uint32_t lengths[] = { 1, SERVER_WORDS * 8 - 1,
		SERVER_WORDS * 8, SERVER_WORDS * 8 + 1, 1024 };
	uint64_t word[SERVER_WORDS];
	struct rig rig;
	size_t i;

	(void)state;
	begin(&rig);
	rig.server.kind = SERVER_CLI;
	serve_again(&rig, 1);
	memset(rig.b + ADDRESS, 'a', 1024);
	for (i = 0; i < COUNT_OF(lengths); i++) {
		fakemem_put(&rig.m, CONTEXT + 24, lengths[i], 4);
		assert_int_equal(server_read(&rig.server, &rig.p.mem,
		    AT + CONTEXT, word), 1);
		assert_int_equal((uint8_t)word[0], 'a');
	}
	end(&rig);
}

/* This process itself has more shared memory than is looked through, and a
 * board in the last piece of one. */
static void
shared_memory_may_have_many_parts(void **state)
{
	enum { N = 100, BYTES = 1 << 16, BOARD = BYTES - 56 };
	static const char *const name = "fpm-fcgi";
	struct rig rig;
	uint8_t *part[N];
	uint64_t start = 1;
	uint32_t pid = (uint32_t)getpid(), is_used = 1;
	size_t i;

	(void)state;
	begin(&rig);
	for (i = 0; i < N; i++) {
		part[i] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(part[i], MAP_FAILED);
		memset(part[i], 0xff, BYTES);
	}
	rig.p.pid = (int)pid;
	mem_init(&rig.p.mem, (int)pid);
	server_init(&rig.server, (uint64_t)(uintptr_t)&name);
	server_look(&rig.server, &rig.p);
	assert_int_equal(rig.server.kind, SERVER_FPM);
	assert_int_equal(rig.server.counter, 0);
	for (i = 0; i < N; i++) {
		memset(part[i] + BOARD, 0, 56);
		memcpy(part[i] + BOARD + 16, &is_used, 4);
		memcpy(part[i] + BOARD + 24, &start, 8);
		memcpy(part[i] + BOARD + 32, &pid, 4);
	}
	rig.p.time_us = rig.server.t_look;
	server_look(&rig.server, &rig.p);
	assert_int_not_equal(rig.server.counter, 0);
	for (i = 0; i < N; i++)
		assert_int_equal(munmap(part[i], BYTES), 0);
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
		cmocka_unit_test(a_request_that_is_being_filled_in_is_one),
		cmocka_unit_test(a_route_stays_in_its_room),
		cmocka_unit_test(a_request_may_have_everything),
		cmocka_unit_test(an_address_may_have_any_length),
		cmocka_unit_test(shared_memory_may_have_many_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
