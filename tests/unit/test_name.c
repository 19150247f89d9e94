/* Names of PHP functions: split and joined again. */
#include "support.h"

#include "fault.h"
#include "model/dict.h"

static const struct {
	const char *whole, *ns, *scope, *name;
} php_names[] = {
	{ "", "", "", "" },
	{ "strlen", "", "", "strlen" },
	{ "<main>", "", "", "<main>" },
	{ "PDO::query", "", "PDO", "query" },
	{ "App\\run", "App", "", "run" },
	{ "App\\Http\\Kernel::handle", "App\\Http", "Kernel", "handle" },
	{ "App\\{closure}", "App", "", "{closure}" },
	{ "A::b::c", "", "A::b", "c" },
	{ "A\\B::C\\D::e", "A\\B::C", "D", "e" },
	/* A separator with nothing on one side stays in the name. */
	{ "::foo", "", "", "::foo" },
	{ "\\foo", "", "", "\\foo" },
	{ "A\\::m", "", "", "A\\::m" },
	{ "foo::", "", "foo", "" },
	{ "foo\\", "foo", "", "" },
	{ "::", "", "", "::" },
	{ "\\", "", "", "\\" },
	{ ":", "", "", ":" },
	{ "a:b", "", "", "a:b" },
	/* A backslash behind the last :: belongs to the method. */
	{ "A::x\\y", "", "A", "x\\y" },
	{ "N\\A::x\\y", "N", "A", "x\\y" },
	{ "class@anonymous\\x::m", "class@anonymous", "x", "m" },
};

static void
check_part(struct bob_dict *d, bob_str id, const char *want)
{
	struct bob_bytes got = bob_str_get(d, id);

	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
}

static void
names_are_taken_apart_at_the_last_separators(void **state)
{
	struct own_dict *f = *state;
	size_t i;

	for (i = 0; i < COUNT_OF(php_names); i++) {
		struct bob_frame frame = { .lang = BOB_LANG_PHP };

		assert_status(f->ctx, BOB_OK, bob_frame_set_php_name(f->d,
		    &frame, php_names[i].whole, strlen(php_names[i].whole)));
		check_part(f->d, frame.ns, php_names[i].ns);
		check_part(f->d, frame.scope, php_names[i].scope);
		check_part(f->d, frame.name, php_names[i].name);
	}
}

static void
check_whole(struct own_dict *f, const char *p, size_t n)
{
	struct bob_frame frame = { .lang = BOB_LANG_PHP };
	char buf[64];
	bob_fid id;

	assert_true(n <= sizeof(buf));
	assert_status(f->ctx, BOB_OK, bob_frame_set_php_name(f->d, &frame, p,
	    n));
	id = bob_frame_put(f->d, &frame);
	assert_int_equal(bob_frame_name(f->d, id, buf, sizeof(buf)), n);
	assert_memory_equal(buf, p, n);
}

static void
names_come_back_whole(void **state)
{
	size_t i;

	for (i = 0; i < COUNT_OF(php_names); i++)
		check_whole(*state, php_names[i].whole,
		    strlen(php_names[i].whole));
}

/* Readers have no buffer before the first name that has bytes. */
static void
a_name_of_no_bytes_may_be_null(void **state)
{
	struct own_dict *f = *state;
	struct bob_frame frame = { .lang = BOB_LANG_PHP };

	assert_status(f->ctx, BOB_OK, bob_frame_set_php_name(f->d, &frame,
	    NULL, 0));
	assert_int_equal(frame.ns, 0);
	assert_int_equal(frame.scope, 0);
	assert_int_equal(frame.name, 0);
}

/* All names of up to seven letters from an alphabet that is all trouble. */
static void
every_short_name_comes_back_whole(void **state)
{
	static const char letters[] = { ':', '\\', 'a', '\0' };
	char name[7];
	unsigned code, n, i;

	for (n = 1; n <= sizeof(name); n++)
		for (code = 0; code < 1u << (2 * n); code++) {
			for (i = 0; i < n; i++)
				name[i] = letters[code >> (2 * i) & 3];
			check_whole(*state, name, n);
		}
}

static void
parts_that_a_file_gave_are_joined_as_they_are(void **state)
{
	struct own_dict *f = *state;
	struct bob_frame frame = { .lang = BOB_LANG_PHP };
	char buf[64];
	bob_fid id;

	frame.ns = bob_str_put(f->d, "N", 1);
	frame.scope = bob_str_put(f->d, "C", 1);
	id = bob_frame_put(f->d, &frame);
	assert_int_equal(bob_frame_name(f->d, id, buf, sizeof(buf)), 5);
	assert_memory_equal(buf, "N\\C::", 5);
}

static void
small_buffer_gets_the_beginning_and_the_whole_length(void **state)
{
	static const char whole[] = "App\\Http\\Kernel::handle";
	struct own_dict *f = *state;
	struct bob_frame frame = { .lang = BOB_LANG_PHP };
	char buf[sizeof(whole) + 1];
	size_t cap;
	bob_fid id;

	assert_status(f->ctx, BOB_OK, bob_frame_set_php_name(f->d, &frame,
	    whole, sizeof(whole) - 1));
	id = bob_frame_put(f->d, &frame);
	for (cap = 0; cap < sizeof(whole); cap++) {
		memset(buf, '#', sizeof(buf));
		assert_int_equal(bob_frame_name(f->d, id, buf, cap),
		    sizeof(whole) - 1);
		assert_memory_equal(buf, whole, cap);
		assert_int_equal(buf[cap], '#');
	}
	assert_int_equal(bob_frame_name(f->d, id, NULL, 0), sizeof(whole) - 1);
}

static int
set_name(void *user)
{
	static const char name[] = "Some\\Space\\Thing::does";
	struct bob_dict *d = bob_dict_new(user);
	struct bob_frame frame = { .lang = BOB_LANG_PHP };
	int r = BOB_FATAL;

	if (d != NULL)
		r = bob_frame_set_php_name(d, &frame, name, sizeof(name) - 1);
	bob_dict_free(d);
	return r;
}

static void
every_allocation_may_fail(void **state)
{
	struct own_dict *f = *state;

	fault_each(set_name, f->ctx);
}

#define WITH_DICT(f)                                                         \
	cmocka_unit_test_setup_teardown(f, own_dict_setup, own_dict_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DICT(names_are_taken_apart_at_the_last_separators),
		WITH_DICT(names_come_back_whole),
		WITH_DICT(a_name_of_no_bytes_may_be_null),
		WITH_DICT(every_short_name_comes_back_whole),
		WITH_DICT(parts_that_a_file_gave_are_joined_as_they_are),
		WITH_DICT(small_buffer_gets_the_beginning_and_the_whole_length),
		WITH_DICT(every_allocation_may_fail),
	};

	return cmocka_run_group_tests_name("name", tests, NULL, NULL);
}
