/* What a PHP tells about its variables, against the buffers that it is used
 * with: how many there are, and how long they are. */
#include "php_rig.h"

#include <stdlib.h>
#include <string.h>

#include "capture/php/requests/server.h"
#include "capture/php/variables/deps.h"
#include "capture/php/variables/table.h"
#include "capture/php/variables/vars.h"
#include "capture/php/variables/text.h"

#define END (BASE + 0x10000)           /* of the memory */
#define NAME_LIST (BASE + 0xb000)      /* of u's variables */
#define FREE (BASE + 0xd000)           /* nothing lies from here on */
#define OTHER_NAME (STRINGS + 0x400)   /* "v" */
#define NAME (STRINGS + 0x500)         /* "x" */

struct vars_rig {
	struct rig r;
	struct process p;
	struct vars vars;
	struct spec spec;
};

/* main calls u, which stands somewhere, and has n variables: the last is $x,
 * and the value of each is its number. */
static void
begin(struct vars_rig *g, uint32_t n)
{
	const struct php_offsets *o = php_offsets_of(82);
	struct php_globals at = { .eg = EG };
	uint64_t var = SLOT_A + o->ex_variables;
	uint32_t i;

	memset(g, 0, sizeof(*g));
	rig_begin(&g->r);
	lay_frame(&g->r.p, ROOT, MAIN, OPS, 0, 0);
	lay_frame(&g->r.p, SLOT_A, USER, USER_OPS + 2 * OP_SIZE, 0, ROOT);
	lay_roots(&g->r.p, SLOT_A, o->ex_variables + (uint64_t)n * ZVAL_SIZE);
	lay32(&g->r.p, USER + o->op_n_vars, n);
	lay64(&g->r.p, USER + o->op_vars, NAME_LIST);
	lay_string(&g->r.p, OTHER_NAME, "v");
	lay_string(&g->r.p, NAME, "x");
	for (i = 0; i < n; i++, var += ZVAL_SIZE) {
		lay64(&g->r.p, NAME_LIST + (uint64_t)i * 8,
		    i + 1 < n ? OTHER_NAME : NAME);
		lay64(&g->r.p, var, i);
		lay32(&g->r.p, var + ZVAL_TYPE, ZVAL_IS_LONG);
	}
	g->p.ctx = g->r.ctx;
	g->p.dict = g->r.dict;
	g->p.mem = g->r.p.fake.mem;
	assert_int_equal(spec_parse(g->r.ctx, "local::u()$x", &g->spec),
	    BOB_OK);
	assert_int_equal(vars_init(&g->vars, &g->p, o, &g->spec, 1, &at),
	    BOB_OK);
	assert_int_equal(copy_take(&g->r.copy), 0);
	assert_int_equal(walk_prove(&g->r.walk), WALK_OK);
}

static void
end(struct vars_rig *g)
{
	free(g->p.local);
	vars_done(&g->vars);
	rig_end(&g->r);
}

/* The text of $x; "" when it is not told. */
static struct bob_bytes
read_x(struct vars_rig *g)
{
	struct bob_bytes none = { "", 0 };

	assert_int_equal(vars_read(&g->vars, &g->r.walk), BOB_OK);
	return g->vars.n_pair > 0
	    ? bob_str_get(g->r.dict, g->vars.pair[0].value) : none;
}

/* $x, the only one, is a string of n bytes at that address. */
static struct bob_bytes
read_string(struct vars_rig *g, uint64_t at, uint64_t n)
{
	uint64_t var = SLOT_A + php_offsets_of(82)->ex_variables;

	begin(g, 1);
	lay64(&g->r.p, var, at);
	lay32(&g->r.p, var + ZVAL_TYPE, ZVAL_IS_STRING);
	lay32(&g->r.p, at + GC_TYPE, ZVAL_IS_STRING);
	if (END - at >= STR_VAL)
		lay64(&g->r.p, at + STR_LEN, n);
	return read_x(g);
}

/* --- tables -------------------------------------------------------------- */

/* A bucket with another key, whose next one is itself. */
static void
a_chain_that_goes_round_has_an_end(void **state)
{
	const struct table_key key = table_key_of("x", 1);
	static struct vars_rig g;
	struct deps deps;
	uint64_t at;

	(void)state;
	begin(&g, 1);
	lay32(&g.r.p, FREE + ARR_MASK, (uint32_t)-2);
	lay64(&g.r.p, FREE + ARR_DATA, FREE + 256);
	lay32(&g.r.p, FREE + ARR_USED, 1);
	deps_init(&deps, &g.p.mem);
	g.p.mem.n_calls = 0;
	assert_int_equal(ht_find(&deps, php_offsets_of(82), FREE, &key, &at),
	    TABLE_TORN);
	assert_in_range(g.p.mem.n_calls, 10, 200);
	end(&g);
}

/* --- names --------------------------------------------------------------- */

/* Around what is read at a time. */
static void
a_function_may_have_many_variables(void **state)
{
	static const uint32_t numbers[] = { 1, 31, 32, 33, 63, 64, 65, 200 };
	static struct vars_rig g;
	struct bob_bytes text;
	char want[32];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(numbers); i++) {
		begin(&g, numbers[i]);
		text = read_x(&g);
		(void)snprintf(want, sizeof(want), "(int) %u",
		    numbers[i] - 1);
		assert_int_equal(text.n, strlen(want));
		assert_memory_equal(text.p, want, text.n);
		end(&g);
	}
}

static long (*gather_memory)(struct mem *m, const struct mem_span *v,
    size_t n);

/* Behind the memory all is zero. */
static long
gather_with_zeros(struct mem *m, const struct mem_span *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (gather_memory(m, &v[i], 1) != (long)v[i].n)
			memset(v[i].to, 0, v[i].n);
	return (long)mem_total(v, n);
}

static void
a_function_may_say_that_it_has_a_million_variables(void **state)
{
	static struct vars_rig g;

	(void)state;
	begin(&g, 1);
	lay64(&g.r.p, NAME_LIST, OTHER_NAME);
	lay32(&g.r.p, USER + php_offsets_of(82)->op_n_vars, 1 << 20);
	gather_memory = g.p.mem.gather;
	g.p.mem.gather = gather_with_zeros;
	g.p.mem.n_calls = 0;
	assert_int_equal(read_x(&g).n, 0);
	assert_in_range(g.p.mem.n_calls, 2, 1000);
	end(&g);
}

static void
a_function_may_have_more_variables_than_are_told(void **state)
{
	static struct vars_rig g;

	(void)state;
	begin(&g, 900);
	assert_int_equal(vars_read_locals(&g.vars, &g.r.walk), BOB_OK);
	assert_in_range(g.p.n_local, 1, 256);
	end(&g);
}

static void
the_name_of_a_variable_may_have_any_length(void **state)
{
	static const uint64_t lengths[] = { 1, SPEC_MAX_BYTES - 1,
		SPEC_MAX_BYTES, SPEC_MAX_BYTES + 1, 8 * SPEC_MAX_BYTES,
		UINT64_MAX };
	static struct vars_rig g;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(lengths); i++) {
		begin(&g, 1);
		lay64(&g.r.p, NAME_LIST, FREE);
		lay64(&g.r.p, FREE + STR_LEN, lengths[i]);
		memset(g.r.p.m + (FREE + STR_VAL - BASE), 'n', 4096);
		assert_int_equal(vars_read_locals(&g.vars, &g.r.walk),
		    BOB_OK);
		assert_int_equal(g.p.n_local, 1);
		if (lengths[i] <= SPEC_MAX_BYTES)
			assert_int_equal(bob_str_get(g.r.dict,
			    g.p.local[0].name).n, lengths[i] + 1);
		else
			assert_int_equal(g.p.local[0].name, 0);
		end(&g);
	}
}

/* --- values -------------------------------------------------------------- */

static void
a_string_may_have_any_length(void **state)
{
	static const uint64_t lengths[] = { 0, 1, VARTEXT_MAX_BYTES - 1,
		VARTEXT_MAX_BYTES, VARTEXT_MAX_BYTES + 1, 5000, UINT64_MAX };
	static struct vars_rig g;
	struct bob_bytes text;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(lengths); i++) {
		text = read_string(&g, FREE, lengths[i]);
		assert_true(text.n >= 11);
		assert_memory_equal(text.p, "(string) \"", 10);
		end(&g);
	}
}

/* Nothing more is asked for than where its head is not there as a whole. */
static void
a_string_may_end_with_the_memory(void **state)
{
	static struct vars_rig g;
	uint64_t n_calls;

	(void)state;
	assert_int_equal(read_string(&g, END - 32, 8).n, 11 + 8 * 6);
	assert_int_equal(g.p.counts.unread, 0);
	end(&g);
	assert_int_equal(read_string(&g, END - 16, 8).n, 0);
	assert_int_equal(g.p.counts.unread, 1);
	n_calls = g.p.mem.n_calls;
	end(&g);
	assert_int_equal(read_string(&g, END - 32, 9).n, 0);
	assert_int_equal(g.p.counts.unread, 1);
	assert_int_equal(g.p.mem.n_calls, n_calls);
	end(&g);
}

/* --- what they depend on, and tables -------------------------------------- */

static void
a_proof_has_an_end(void **state)
{
	static struct rig r;
	struct deps p;
	uint64_t word = 0;
	int i;

	(void)state;
	rig_begin(&r);
	deps_init(&p, &r.p.fake.mem);
	for (i = 0; i < 2 * DEPS_MAX; i++)
		assert_int_equal(deps_note(&p, FREE, &word, sizeof(word)),
		    i < DEPS_MAX ? 0 : -1);
	assert_int_equal(p.n, DEPS_MAX);
	assert_true(deps_unchanged(&p, NULL, 0));
	rig_end(&r);
}

/* A table with one key, at `at`, of a value that points somewhere; what it
 * consists of lies in the 128 bytes before. */
static void
lay_table(struct process_memory *p, uint64_t at, const char *key, uint64_t to,
    uint32_t type)
{
	uint64_t name = lay_string(p, at - 48, key);
	uint64_t bucket = at - 96;

	lay32(p, at + GC_TYPE, ZVAL_IS_ARRAY);
	lay32(p, at + ARR_MASK, (uint32_t)-2);
	lay64(p, at + ARR_DATA, bucket);
	lay32(p, at + ARR_USED, 1);
	lay64(p, bucket, to);
	lay32(p, bucket + ZVAL_TYPE, type);
	lay32(p, bucket + ZVAL_NEXT, UINT32_MAX);
	lay64(p, bucket + BUCKET_HASH, table_key_of(key, strlen(key)).h);
	lay64(p, bucket + BUCKET_KEY, name);
}

static void
what_a_server_was_asked_for_may_have_any_length(void **state)
{
	static const uint64_t lengths[] = { 1, 63, 64, 65, 4096 };
	static struct rig r;
	const size_t cap = 64;
	char *buf;
	size_t i;

	(void)state;
	rig_begin(&r);
	lay_table(&r.p, EG + EG_SYMBOL_TABLE, "_SERVER", FREE + 128,
	    ZVAL_IS_ARRAY);
	lay_table(&r.p, FREE + 128, "REQUEST_URI", FREE + 256,
	    ZVAL_IS_STRING);
	for (i = 0; i < COUNT_OF(lengths); i++) {
		lay64(&r.p, FREE + 256 + STR_LEN, lengths[i]);
		buf = malloc(cap);
		assert_non_null(buf);
		assert_int_equal(ht_server(&r.p.fake.mem, php_offsets_of(82),
		    EG, "REQUEST_URI", buf, cap),
		    lengths[i] < cap ? lengths[i] : cap);
		free(buf);
	}
	rig_end(&r);
}

/* A client of the server that is built in. */
static void
the_address_of_a_client_may_have_any_length(void **state)
{
	static const uint32_t lengths[] = { 1, 8, 23, 24, 25, 4096,
		UINT32_MAX };
	const struct server server = { .kind = SERVER_CLI };
	uint64_t word[SERVER_WORDS];
	static struct rig r;
	uint8_t want[sizeof(word)];
	size_t i, n;

	(void)state;
	rig_begin(&r);
	memset(r.p.m + (FREE + 256 - BASE), 'a', 8192);
	lay64(&r.p, FREE + 16, FREE + 256);
	for (i = 0; i < COUNT_OF(lengths); i++) {
		lay32(&r.p, FREE + 24, lengths[i]);
		assert_int_equal(server_read(&server, &r.p.fake.mem, FREE,
		    word), 1);
		n = lengths[i] < sizeof(want) ? lengths[i] : sizeof(want);
		memset(want, 0, sizeof(want));
		memset(want, 'a', n);
		assert_memory_equal(word, want, sizeof(want));
	}
	rig_end(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_that_goes_round_has_an_end),
		cmocka_unit_test(a_function_may_have_many_variables),
		cmocka_unit_test(
		    a_function_may_say_that_it_has_a_million_variables),
		cmocka_unit_test(
		    a_function_may_have_more_variables_than_are_told),
		cmocka_unit_test(the_name_of_a_variable_may_have_any_length),
		cmocka_unit_test(a_string_may_have_any_length),
		cmocka_unit_test(a_string_may_end_with_the_memory),
		cmocka_unit_test(a_proof_has_an_end),
		cmocka_unit_test(
		    what_a_server_was_asked_for_may_have_any_length),
		cmocka_unit_test(the_address_of_a_client_may_have_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
