/* The elfutils that is loaded at run time is that of the headers. Only this
 * program is linked with it. */
#include "support.h"

#include <dlfcn.h>

#include "capture/native/modules/elfutils.h"

/* So that it is linked. */
static __typeof__(dwarf_getcfi_elf) *const volatile one = dwarf_getcfi_elf;

static void
has_the_name_that_linkers_use(void **state)
{
	void *handle = dlopen(ELFUTILS_SONAME, RTLD_LAZY | RTLD_NOLOAD);

	(void)state;
	assert_non_null(one);
	assert_non_null(handle);
	(void)dlclose(handle);
}

static void
has_all_functions(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct elfutils e;

	(void)state;
	assert_non_null(ctx);
	assert_int_equal(elfutils_open(ctx, &e), BOB_OK);
#define CHECK(name) assert_non_null(e.name);
	ELFUTILS_EACH(CHECK)
#undef CHECK
	assert_int_equal(e.elf_version(EV_CURRENT), EV_CURRENT);
	elfutils_close(&e);
	assert_null(e.handle);
	elfutils_close(&e);
	bob_ctx_free(ctx);
}

static void
is_not_loaded_by_static_programs(void **state)
{
	ElfW(Phdr) v[3] = { { .p_type = PT_PHDR }, { .p_type = PT_INTERP },
		{ .p_type = PT_LOAD } };

	(void)state;
	assert_int_equal(elfutils_can_load(v, 3), 1);
	assert_int_equal(elfutils_can_load(v, 1), 0);
	assert_int_equal(elfutils_can_load(NULL, 0), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(has_the_name_that_linkers_use),
		cmocka_unit_test(has_all_functions),
		cmocka_unit_test(is_not_loaded_by_static_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
