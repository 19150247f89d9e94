/*
 * Files of machine code, by the one that this test is: its build id, names,
 * rules, and the file with more names that belongs to it.
 */
#include "support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/native/unwind/cfi.h"
#include "capture/native/modules/debugfile.h"
#include "capture/native/modules/module.h"

#define SELF "/proc/self/exe"

/* LeakSanitizer of gcc 12 crashes on thread-local memory of a library that is
 * loaded later. */
const char *__lsan_default_options(void);

const char *
__lsan_default_options(void)
{
	return "use_tls=0";
}

struct rig {
	struct bob_ctx *ctx;
	struct elfutils eu;
	struct module m;
};

static int
setup(void **state)
{
	struct rig *g = calloc(1, sizeof(*g));

	*state = g;
	if (g == NULL)
		return -1;
	g->ctx = bob_ctx_new();
	g->m.path = strdup("/nowhere/program");
	return g->ctx == NULL || g->m.path == NULL ||
	    elfutils_open(g->ctx, &g->eu) < 0 ||
	    module_open_file(g->ctx, &g->m, &g->eu,
	        open(SELF, O_RDONLY | O_CLOEXEC), "/nowhere", NULL) < 0;
}

static int
teardown(void **state)
{
	struct rig *g = *state;

	module_done(&g->m);
	elfutils_close(&g->eu);
	bob_ctx_free(g->ctx);
	free(g);
	return 0;
}

static void
programs_have_names_builds_and_rules(void **state)
{
	struct rig *g = *state;
	const struct symbol *s = symbols_named(&g->m.symbols, "main");
	const struct unwind_rule *rule;
	struct arena arena = { 0 };
	uint64_t begin = 0;

	assert_string_equal(g->m.build_id, BUILD_ID);
	assert_non_null(s);
	assert_null(symbols_named(&g->m.symbols, "there is none"));
	assert_ptr_equal(symbols_find(&g->m.symbols, s->at + s->size - 1), s);
	assert_int_equal(module_function(&g->m, s->at + 1, &begin), 1);
	assert_int_equal(begin, s->at);
	assert_int_equal(cfi_rule(g->ctx, &arena, g->m.eu, g->m.tables.cfi,
	    s->at, &rule), BOB_OK);
	assert_non_null(rule);
	/* Nothing is saved yet where a function begins. */
	assert_int_equal(rule->cfa_reg, REGS_SP);
	assert_int_equal(cfi_rule(g->ctx, &arena, g->m.eu, g->m.tables.cfi, 1,
	    &rule), BOB_OK);
	assert_null(rule);
	arena_free(&arena);
}

/* This program as `folder`/usr/lib/debug/.build-id/XX/....debug. */
static void
store(const char *folder, const char *id, char *path, size_t cap)
{
	static const char *const part[] = { "/usr", "/lib", "/debug",
		"/.build-id", "/" };
	char buf[16384];
	size_t n = (size_t)snprintf(path, cap, "%s", folder), i;
	FILE *from, *to;

	for (i = 0; i < COUNT_OF(part); i++) {
		n += (size_t)snprintf(path + n, cap - n, "%s%.2s", part[i],
		    i + 1 == COUNT_OF(part) ? id : "");
		(void)mkdir(path, 0777);
	}
	(void)snprintf(path + n, cap - n, "/%s.debug", id + 2);
	from = fopen(SELF, "rb");
	to = fopen(path, "wb");
	assert_true(from != NULL && to != NULL);
	while ((n = fread(buf, 1, sizeof(buf), from)) > 0)
		assert_int_equal(fwrite(buf, 1, n, to), n);
	assert_int_equal(fclose(from), 0);
	assert_int_equal(fclose(to), 0);
}

static void
files_of_names_are_found_by_build(void **state)
{
	static const char other[] = "fedcba9876543210fedcba9876543210fedcba98";
	struct rig *g = *state;
	char folder[] = "/tmp/bobbin-module-XXXXXX", path[256], cmd[300];
	struct elf e, debug;
	int fd = open(SELF, O_RDONLY | O_CLOEXEC);

	assert_int_equal(elf_open(g->ctx, &e, fd, NULL), BOB_OK);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(debugfile_find(&e, BUILD_ID, g->m.path, folder,
	    &debug), 0);
	store(folder, BUILD_ID, path, sizeof(path));
	assert_int_equal(debugfile_find(&e, BUILD_ID, g->m.path, folder,
	    &debug), 1);
	assert_true(debug.owns_fd && debug.fd >= 0);
	elf_done(&debug);
	/* A file in the right place, but of another build. */
	store(folder, other, path, sizeof(path));
	assert_int_equal(debugfile_find(&e, other, g->m.path, folder, &debug),
	    0);
	elf_done(&e);
	(void)close(fd);
	(void)snprintf(cmd, sizeof(cmd), "rm -r %s", folder);
	assert_int_equal(system(cmd), 0);
}

static void
what_is_no_program_has_nothing(void **state)
{
	struct rig *g = *state;
	struct module m = { .path = NULL };
	uint64_t begin;

	assert_int_equal(module_open_file(g->ctx, &m, &g->eu,
	    open("/dev/null", O_RDONLY | O_CLOEXEC), "", NULL), BOB_OK);
	assert_true(m.is_open && !m.is_elf && m.tables.cfi == NULL);
	assert_int_equal(m.symbols.n, 0);
	assert_int_equal(module_function(&m, 0, &begin), 0);
	assert_int_equal(module_bias(&m, 0x5000, 0x6000, 0x1000),
	    0x4000);
	module_done(&m);
}

/* As some linkers write it: code is elsewhere in memory than in the file, and
 * begins within a page, which may be a large one. */
static void
code_is_found_whatever_the_size_of_pages(void **state)
{
	static const uint64_t pages[] = { 0x1000, 0x4000, 0x10000 };
	const uint64_t bias = 0x7f0000000000, n = 0x23456;
	struct elf_load part[2] = { { .flags = PF_R, .file_size = 0x1e7c0,
		.mem_size = 0x1e7c0 }, { .flags = PF_R | PF_X,
		.offset = 0x1e7c0, .vaddr = 0x2e7c0, .file_size = n,
		.mem_size = n } };
	struct module m = { .load = part, .n_load = 2 };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(pages); i++) {
		uint64_t before = part[1].offset % pages[i];
		uint64_t start = bias + part[1].vaddr - before;

		assert_int_equal(module_bias(&m, start, start + before + n,
		    part[1].offset - before), bias);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    programs_have_names_builds_and_rules, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    files_of_names_are_found_by_build, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    what_is_no_program_has_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    code_is_found_whatever_the_size_of_pages, setup,
		    teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
