/* Frames reduced to functions and places. */
#include "format/common/functions.h"

#include "support.h"

static struct bob_dict *dict;
static struct functions fns;

static int
setup(void **state)
{
	if (ctx_setup(state) != 0)
		return -1;
	dict = bob_dict_new(*state);
	return functions_init(&fns, *state, dict);
}

static int
teardown(void **state)
{
	functions_done(&fns);
	bob_dict_free(dict);
	return ctx_teardown(state);
}

static bob_fid
put(uint8_t lang, const char *name, const char *file, int64_t line)
{
	struct bob_frame f = { .lang = lang, .where = line };

	f.name = bob_str_put(dict, name, strlen(name));
	f.file = bob_str_put(dict, file, strlen(file));
	return bob_frame_put(dict, &f);
}

static void
assert_text(struct bob_bytes got, const char *want)
{
	assert_int_equal(got.n, strlen(want));
	assert_memory_equal(got.p, want, got.n);
}

static void
lines_make_places_not_functions(void **state)
{
	bob_fid a = put(BOB_LANG_PHP, "f", "a.php", 3);
	bob_fid b = put(BOB_LANG_PHP, "f", "a.php", 9);
	bob_fid c = put(BOB_LANG_PHP, "f", "b.php", 3);

	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_int_equal(fns.n_function, 3);
	assert_int_equal(fns.n_place, 4);
	assert_int_equal(fns.of_frame[a], fns.of_frame[b]);
	assert_int_not_equal(fns.of_frame[a], fns.of_frame[c]);
	assert_int_not_equal(fns.place_of[a], fns.place_of[b]);
	assert_int_equal(fns.place[fns.place_of[b]].line, 9);
	assert_int_equal(fns.place[fns.place_of[b]].function,
	    fns.of_frame[a]);
	assert_text(functions_name(&fns, fns.of_frame[c]), "f");
	assert_text(functions_file(&fns, fns.of_frame[c]), "b.php");
	assert_int_equal(fns.of_frame[0], 0);
}

static void
details_that_nobody_shows_do_not_count(void **state)
{
	struct bob_frame f = { .lang = BOB_LANG_PYTHON, .where = 5,
		.flags = BOB_FRAME_OPCODE | BOB_FRAME_COLUMNS, .opcode = 7,
		.col = 2 };
	bob_fid a, b, c;

	f.name = bob_str_put(dict, "g", 1);
	a = bob_frame_put(dict, &f);
	f.opcode = 8;
	f.col = 30;
	b = bob_frame_put(dict, &f);
	f.flags = BOB_FRAME_NO_LINE;
	c = bob_frame_put(dict, &f);
	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_int_equal(fns.n_function, 2);
	assert_int_equal(fns.place_of[a], fns.place_of[b]);
	assert_int_equal(fns.place[fns.place_of[c]].line, 0);
}

static void
php_names_are_whole_and_languages_apart(void **state)
{
	struct bob_frame f = { .lang = BOB_LANG_PHP };
	bob_fid a, b;

	assert_status(*state, BOB_OK,
	    bob_frame_set_php_name(dict, &f, "App\\K::run", 10));
	a = bob_frame_put(dict, &f);
	b = put(BOB_LANG_PYTHON, "App\\K::run", "", 0);
	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_text(functions_name(&fns, fns.of_frame[a]), "App\\K::run");
	assert_int_not_equal(fns.of_frame[a], fns.of_frame[b]);
	assert_int_equal(functions_lang(&fns, fns.of_frame[b]),
	    BOB_LANG_PYTHON);
}

static void
what_is_not_utf8_is_mended(void **state)
{
	bob_fid a = put(BOB_LANG_PHP, "x\xff", "\xc3", 1);
	bob_fid b = put(BOB_LANG_PHP, "x\xfe", "\xc3", 1);

	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_text(functions_name(&fns, fns.of_frame[a]), "x\xef\xbf\xbd");
	assert_text(functions_file(&fns, fns.of_frame[a]), "\xef\xbf\xbd");
	assert_int_equal(fns.of_frame[a], fns.of_frame[b]);
}

static void
stacks_that_differ_by_lines_become_one(void **state)
{
	bob_fid a = put(BOB_LANG_PHP, "f", "a.php", 3);
	bob_fid b = put(BOB_LANG_PHP, "f", "a.php", 9);
	bob_fid c = put(BOB_LANG_PHP, "g", "a.php", 1);
	bob_stack x = bob_stack_push(dict, bob_stack_push(dict, 0, a), c);
	bob_stack y = bob_stack_push(dict, bob_stack_push(dict, 0, b), c), z;

	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_status(*state, BOB_OK, functions_stacks(&fns, 0));
	assert_int_equal(fns.of_stack[0], 0);
	assert_int_equal(fns.of_stack[x], fns.of_stack[y]);
	z = fns.of_stack[x];
	assert_int_equal(fns.own->node[z].frame, fns.of_frame[c]);
	assert_int_equal(fns.own->node[fns.own->node[z].parent].frame,
	    fns.of_frame[a]);
	z = bob_stack_push(dict, x, c);
	assert_status(*state, BOB_OK, functions_stacks(&fns, 0));
	assert_int_equal(fns.own->node[fns.of_stack[z]].depth, 3);
}

static void
stacks_of_places_keep_lines(void **state)
{
	bob_fid a = put(BOB_LANG_PHP, "f", "a.php", 3);
	bob_fid b = put(BOB_LANG_PHP, "f", "a.php", 9);
	bob_stack x = bob_stack_push(dict, 0, a);
	bob_stack y = bob_stack_push(dict, 0, b);

	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_status(*state, BOB_OK, functions_stacks(&fns, 1));
	assert_int_not_equal(fns.of_stack[x], fns.of_stack[y]);
	assert_int_equal(fns.own->node[fns.of_stack[y]].frame,
	    fns.place_of[b]);
}

static void
new_frames_are_taken_in_later(void **state)
{
	bob_fid a = put(BOB_LANG_PHP, "f", "a.php", 3), b;
	uint32_t id;

	assert_status(*state, BOB_OK, functions_update(&fns));
	id = fns.of_frame[a];
	b = put(BOB_LANG_PHP, "h", "a.php", 3);
	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_status(*state, BOB_OK, functions_update(&fns));
	assert_int_equal(fns.of_frame[a], id);
	assert_int_equal(fns.n_function, 3);
	assert_text(functions_name(&fns, fns.of_frame[b]), "h");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(lines_make_places_not_functions),
		T(details_that_nobody_shows_do_not_count),
		T(php_names_are_whole_and_languages_apart),
		T(what_is_not_utf8_is_mended),
		T(stacks_that_differ_by_lines_become_one),
		T(stacks_of_places_keep_lines),
		T(new_frames_are_taken_in_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
