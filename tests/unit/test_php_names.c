/* Names of PHP's functions, in a memory that holds one of them. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "capture/php/frames/copy.h"
#include "capture/php/frames/names.h"
#include "../../fuzz/fakemem.h"

#define AT ((uint64_t)0x7f0000000000)

/* Where in it things are. */
enum { FUNCTION = 0x100, OPCODES = 0x200, FILE_NAME = 0x300 };

struct rig {
	uint8_t bytes[0x800];
	struct fakemem m;
	struct bob_ctx *ctx;
	struct bob_dict *dict;
	struct names names;
	const struct php_offsets *o;
	struct php_place place;
};

static void
write_string(struct rig *g, size_t at, const char *text)
{
	fakemem_put(&g->m, at + STR_LEN, strlen(text), 8);
	memcpy(g->bytes + at + STR_VAL, text, strlen(text) + 1);
}

static void
point(struct rig *g, size_t at, size_t to)
{
	fakemem_put(&g->m, at, AT + to, 8);
}

/* The code of a file that is included. */
static int
setup(void **state)
{
	struct rig *g = calloc(1, sizeof(*g));

	*state = g;
	if (g == NULL)
		return -1;
	g->ctx = bob_ctx_new();
	g->dict = g->ctx != NULL ? bob_dict_new(g->ctx) : NULL;
	if (g->dict == NULL)
		return -1;
	g->o = php_offsets_of(82);
	fakemem_init(&g->m, AT, g->bytes, sizeof(g->bytes));
	names_init(&g->names, g->ctx, g->dict, &g->m.mem, g->o, 0);
	g->bytes[FUNCTION + FN_TYPE] = FN_USER;
	point(g, FUNCTION + g->o->op_opcodes, OPCODES);
	point(g, FUNCTION + g->o->op_filename, FILE_NAME);
	fakemem_put(&g->m, FUNCTION + g->o->op_last, 2, 4);
	fakemem_put(&g->m, OPCODES + OP_LINE, 7, 4);
	write_string(g, FILE_NAME, "/srv/one.php");
	return 0;
}

static int
teardown(void **state)
{
	struct rig *g = *state;

	names_done(&g->names);
	bob_dict_free(g->dict);
	bob_ctx_free(g->ctx);
	free(g);
	return 0;
}

static int
find(struct rig *g)
{
	return names_top(&g->names, AT + FUNCTION, AT + OPCODES, &g->place);
}

static void
assert_place(const struct rig *g, const char *name, const char *file, int line)
{
	const struct bob_frame *f = bob_frame_get(g->dict, g->place.frame);
	struct bob_bytes n = bob_str_get(g->dict, f->name);
	struct bob_bytes p = bob_str_get(g->dict, f->file);

	assert_int_equal(n.n, strlen(name));
	assert_memory_equal(n.p, name, n.n);
	assert_int_equal(p.n, strlen(file));
	assert_memory_equal(p.p, file, p.n);
	assert_int_equal(f->where, line);
}

static void
a_file_is_told_by_its_path(void **state)
{
	struct rig *g = *state;

	assert_int_equal(find(g), NAMES_OK);
	assert_place(g, "<main>", "/srv/one.php", 7);
}

/* The next one lies at the same places while it is read. */
static void
include_next(struct fakemem *m, size_t i, size_t n)
{
	(void)i;
	(void)n;
	m->bytes[FILE_NAME + STR_VAL + 5]++;
}

static void
a_file_that_gives_way_to_another_is_not_told(void **state)
{
	struct rig *g = *state;

	g->m.before = include_next;
	assert_int_equal(find(g), NAMES_STRANGE);
	g->m.before = NULL;
	write_string(g, FILE_NAME, "/srv/two.php");
	assert_int_equal(find(g), NAMES_OK);
	assert_place(g, "<main>", "/srv/two.php", 7);
}

/* Of "/srv/one.php", as PHP has it. */
#define HASH ((uint64_t)0xab6e6c278473bd76)

/* Its last bytes are another's once it was freed. */
static void
a_path_that_was_freed_is_not_told(void **state)
{
	struct rig *g = *state;
	uint8_t *end = g->bytes + FILE_NAME + STR_VAL + strlen("/srv/one.php");

	fakemem_put(&g->m, FILE_NAME + STR_HASH, HASH, 8);
	end[-1] ^= 0xa0;
	assert_int_equal(find(g), NAMES_STRANGE);
	end[-1] ^= 0xa0;
	*end = 1;
	assert_int_equal(find(g), NAMES_STRANGE);
	*end = 0;
	assert_int_equal(find(g), NAMES_OK);
	assert_place(g, "<main>", "/srv/one.php", 7);
}

/* Memory of a path that was freed is another string's now: it has no hash yet,
 * and what it will hold is not all written. */
static void
a_string_that_is_being_made_is_not_told(void **state)
{
	struct rig *g = *state;
	uint8_t *text = g->bytes + FILE_NAME + STR_VAL;

	fakemem_put(&g->m, FILE_NAME + STR_HASH, 0, 8);
	text[4] = 0x85;
	assert_int_equal(find(g), NAMES_STRANGE);
	text[4] = '/';
	assert_int_equal(find(g), NAMES_OK);
}

/* What is read of a frame, of a function and of the state has these fields in
 * it, in every version. */
static void
offsets_lie_in_their_buffers(void **state)
{
	const struct php_offsets *o;
	unsigned v, n = 0;

	(void)state;
	for (v = 70; v < 100; v++) {
		o = php_offsets_of(v);
		if (o == NULL)
			continue;
		n++;
		assert_true(o->eg_current >= o->eg_vm_stack_top);
		assert_true(o->eg_current - o->eg_vm_stack_top + 8 <=
		    COPY_ROOTS);
		assert_true(EG_VM_STACK + 8 <= o->eg_current -
		    o->eg_vm_stack_top + 8);
		assert_true(o->ex_prev + 8 <= EX_SIZE);
		assert_true(o->op_line_start + 8 <= FN_SIZE);
		assert_true(o->op_last + 4 <= FN_SIZE);
		assert_true(o->op_opcodes + 8 <= FN_SIZE);
		assert_true(o->op_filename + 8 <= FN_SIZE);
		assert_true(o->op_n_temps + 4 <= FN_SIZE);
		assert_true(o->op_n_vars + 4 <= FN_SIZE);
	}
	assert_true(n >= 11);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_is_told_by_its_path,
		    setup, teardown),
		cmocka_unit_test_setup_teardown(
		    a_file_that_gives_way_to_another_is_not_told, setup,
		    teardown),
		cmocka_unit_test_setup_teardown(
		    a_path_that_was_freed_is_not_told, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    a_string_that_is_being_made_is_not_told, setup, teardown),
		cmocka_unit_test(offsets_lie_in_their_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
