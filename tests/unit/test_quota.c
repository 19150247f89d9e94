/*
 * Files that are made to take long: work is bounded by quotas, counted in bytes
 * and steps, and what is over them says so.
 */
#include "support.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/elf/elf.h"
#include "capture/native/modules/ehframe.h"
#include "capture/native/modules/perfmap.h"
#include "capture/native/modules/symbols.h"

/* --- programs ------------------------------------------------------------ */

#define N_TABLES 4000
#define N_SYMBOLS 64
#define N_NAMES ((size_t)1 << 20)

/* One table of symbols and one of names, named by many sections. */
struct program {
	Elf64_Ehdr head;
	Elf64_Shdr section[N_TABLES + 2];
	Elf64_Sym symbol[N_SYMBOLS];
	char names[N_NAMES];
};

static struct program *
make_program(uint64_t st_value_step)
{
	struct program *f = calloc(1, sizeof(*f));
	size_t i;

	assert_non_null(f);
	memcpy(f->head.e_ident, ELFMAG, SELFMAG);
	f->head.e_ident[EI_CLASS] = ELFCLASS64;
	f->head.e_ident[EI_DATA] = ELFDATA2LSB;
	f->head.e_shoff = offsetof(struct program, section);
	f->head.e_shentsize = sizeof(f->section[0]);
	f->head.e_shnum = N_TABLES + 2;
	f->section[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct program, names),
		.sh_size = N_NAMES };
	for (i = 2; i < N_TABLES + 2; i++)
		f->section[i] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
			.sh_offset = offsetof(struct program, symbol),
			.sh_size = sizeof(f->symbol), .sh_link = 1 };
	/* All names are one that has no end. */
	memset(f->names, 'z', N_NAMES);
	for (i = 0; i < N_SYMBOLS; i++)
		f->symbol[i] = (Elf64_Sym){ .st_name = 1, .st_shndx = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			.st_value = 0x1000 + i * st_value_step, .st_size = 4 };
	return f;
}

static void
tables_that_are_named_often_end_the_search(void **state)
{
	struct program *f = make_program(16);
	struct elf_symbol v = { .name = "zz" };
	struct quota q;
	struct elf e;

	quota_process(&q);
	assert_int_equal(elf_open_bytes(*state, &e, f, sizeof(*f), &q),
	    BOB_OK);
	assert_int_equal(elf_symbols(&e, &v, 1), 0);
	/* It was read as often as the quota allows, and then no more. */
	assert_true(e.quota.bytes < N_NAMES + sizeof(f->symbol));
	assert_true(q.bytes >= QUOTA_PROCESS_BYTES - QUOTA_FILE_BYTES);
	elf_done(&e);
	free(f);
}

static void
functions_are_kept_up_to_the_quota(void **state)
{
	struct program *f = make_program(16);
	struct symbols s = { .v = NULL };
	struct quota q;
	struct elf e;

	quota_process(&q);
	assert_int_equal(elf_open_bytes(*state, &e, f, sizeof(*f), &q),
	    BOB_OK);
	e.quota.kept = 3 * (sizeof(struct symbol) + SYMBOLS_MAX_NAME);
	assert_int_equal(symbols_add(*state, &s, &e), BOB_OK);
	assert_non_null(e.quota.over);
	assert_int_equal(s.n, 3);
	assert_int_equal(strlen(s.v[0].name), SYMBOLS_MAX_NAME);
	symbols_done(&s);
	elf_done(&e);
	free(f);
}

static void
steps_are_limited(void **state)
{
	struct program *f = make_program(16);
	struct elf_symbol v = { .name = "zz" };
	struct symbols s = { .v = NULL };
	struct elf e;

	f->head.e_shnum = 3;
	assert_int_equal(elf_open_bytes(*state, &e, f, sizeof(*f), NULL),
	    BOB_OK);
	/* Enough to read the only table and the names, and for ten symbols. */
	e.quota.steps = QUOTA_CALL * 2 + 10;
	assert_int_equal(elf_symbols(&e, &v, 1), 0);
	assert_non_null(e.quota.over);
	assert_non_null(strstr(e.quota.over, "steps"));
	elf_done(&e);

	assert_int_equal(elf_open_bytes(*state, &e, f, sizeof(*f), NULL),
	    BOB_OK);
	e.quota.steps = QUOTA_CALL * 2 + 10;
	assert_int_equal(symbols_add(*state, &s, &e), BOB_OK);
	assert_non_null(e.quota.over);
	assert_non_null(strstr(e.quota.over, "steps"));
	assert_true(s.n <= 10);
	symbols_done(&s);
	elf_done(&e);
	free(f);
}

/* Where a table ends in a name, that is none; names that differ behind what is
 * kept are alike. */
static void
names_are_cut_and_have_an_end(void **state)
{
	struct program *f = make_program(0);
	struct symbols s = { .v = NULL };
	struct elf e;

	f->head.e_shnum = 3;
	f->symbol[0].st_name = N_NAMES - 5;
	f->symbol[1].st_name = N_NAMES - SYMBOLS_MAX_NAME - 1;
	f->names[N_NAMES - SYMBOLS_MAX_NAME - 1] = 'a';
	f->names[10] = '\0';
	assert_int_equal(elf_open_bytes(*state, &e, f, sizeof(*f), NULL),
	    BOB_OK);
	assert_int_equal(symbols_add(*state, &s, &e), BOB_OK);
	assert_null(e.quota.over);
	assert_int_equal(s.n, N_SYMBOLS - 1);
	symbols_sort(&s);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].name[0], 'a');
	assert_int_equal(strlen(s.v[0].name), SYMBOLS_MAX_NAME);
	symbols_done(&s);
	elf_done(&e);
	free(f);
}

/* Many false hits of the first byte. */
static void
searches_end_with_the_quota(void **state)
{
	struct program *f = make_program(0);
	char buf[8];
	struct elf e;
	size_t i;

	f->head.e_shstrndx = 1;
	for (i = 2; i < N_TABLES + 2; i++)
		f->section[i].sh_offset = offsetof(struct program, names),
		f->section[i].sh_size = N_NAMES, f->section[i].sh_name = 1;
	memcpy(f->names + 1, ".rodata", 8);
	assert_int_equal(elf_open_bytes(*state, &e, f, sizeof(*f), NULL),
	    BOB_OK);
	assert_int_equal(elf_search(&e, ".rodata", "zy", buf, sizeof(buf)),
	    0);
	assert_non_null(e.quota.over);
	elf_done(&e);
	free(f);
}

/* --- maps ---------------------------------------------------------------- */

/* A map that grows a line at a time, with a look after each. */
static void
maps_that_grow_are_sorted_a_few_times(void **state)
{
	struct perfmap m;
	char line[32];
	size_t used;
	uint64_t i;

	perfmap_init(&m, *state);
	for (i = 0; i < 40000; i++) {
		uint64_t at = 0x1000 + (i * 7919 % 40000) * 16;
		int n = snprintf(line, sizeof(line), "%llx 10 f\n",
		    (unsigned long long)at);

		assert_int_equal(perfmap_take(&m, line, (size_t)n, &used),
		    BOB_OK);
		if (i % 97 == 0)
			assert_non_null(perfmap_find(&m, at + 3));
	}
	assert_int_equal(m.n, 40000);
	assert_true(m.n_part < 20 && m.n_moved < 20 * m.n);
	for (i = 0; i < 40000; i++)
		assert_int_equal(perfmap_find(&m, 0x1000 + i * 16 + 5)->at,
		    0x1000 + i * 16);
	perfmap_done(&m);
}

/* What is read in another thread is joined with what was there. */
static void
maps_that_are_joined_are_found(void **state)
{
	struct quota q = { .bytes = 1 << 20, .steps = 1 << 20,
		.kept = 1 << 20 }, copy;
	struct bob_ctx *other = bob_ctx_new();
	struct perfmap m, more;
	char line[32];
	size_t used, i;
	int n;

	assert_non_null(other);
	perfmap_init(&m, *state);
	m.quota = &q;
	for (i = 0; i < 300; i++) {
		copy = q;
		perfmap_init_more(&more, other, &m);
		more.quota = &copy;
		/* Each place is told twice, and the newer name wins. */
		n = snprintf(line, sizeof(line), "%zx 10 f%zu\n",
		    0x1000 + i % 150 * 16, i);
		assert_int_equal(perfmap_take(&more, line, (size_t)n, &used),
		    BOB_OK);
		assert_int_equal(perfmap_seal(&more), BOB_OK);
		q.kept = copy.kept;
		assert_int_equal(perfmap_join(&m, &more), BOB_OK);
		perfmap_done(&more);
	}
	bob_ctx_free(other);
	assert_int_equal(m.n, 300);
	assert_true(m.n_part < 12);
	for (i = 0; i < 150; i++) {
		const struct perfmap_entry *e = perfmap_find(&m,
		    0x1000 + i * 16 + 3);

		n = snprintf(line, sizeof(line), "f%zu", i + 150);
		assert_int_equal(e->n_name, n);
		assert_memory_equal(e->name, line, (size_t)n);
	}
	/* Another file takes the place of all of it. */
	perfmap_init_more(&more, *state, &m);
	more.is_anew = 1;
	assert_int_equal(perfmap_join(&m, &more), BOB_OK);
	perfmap_done(&more);
	assert_null(perfmap_find(&m, 0x1003));
	assert_int_equal(q.kept, 1 << 20);
	perfmap_done(&m);
}

static void
maps_are_kept_up_to_the_quota(void **state)
{
	struct quota q = { .bytes = 1000, .steps = 1000, .kept = 90 };
	struct perfmap m;
	size_t used;

	perfmap_init(&m, *state);
	m.quota = &q;
	assert_int_equal(perfmap_take(&m, "1 1 a\n2 1 b\n3 1 c\n", 18,
	    &used), BOB_OK);
	assert_int_equal(used, 18);
	assert_int_equal(m.n, 2);
	assert_true(q.kept < 33);
	perfmap_done(&m);
	assert_int_equal(q.kept, 90);
}

/* --- tables for unwinding ------------------------------------------------- */

/* A common entry and one of a function with these instructions. */
static size_t
make_frames(uint8_t *p, const uint8_t *ops, uint32_t n)
{
	static const uint8_t common[] = { 12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1,
		0x78, 16, 0, 0, 0 };
	const uint32_t size = 4 + 16 + n, id = sizeof(common) + 4;

	memcpy(p, common, sizeof(common));
	p += sizeof(common);
	memcpy(p, &size, 4);
	memcpy(p + 4, &id, 4);
	memset(p + 8, 0, 16);
	memcpy(p + 24, ops, n);
	return sizeof(common) + 4 + size;
}

/* What libdw would make large arrays of. */
static void
tables_that_ask_for_too_much_are_refused(void **state)
{
	static const struct {
		uint8_t ops[20];
		uint32_t n;
		int is_good;
	} v[] = {
		{ { 0x0c, 7, 8, 0x90, 1, 0x41, 0x0e, 16, 0x0a, 0x0b }, 10, 1 },
		{ { 0x05, 0xff, 1, 1 }, 4, 1 },
		/* register 268435455 */
		{ { 0x05, 0xff, 0xff, 0xff, 0x7f, 1 }, 6, 0 },
		{ { 0x09, 1, 0x80, 2 }, 4, 0 },
		{ { 0x0f, 3, 1, 1, 1, 0x0c, 7, 8 }, 8, 1 },
		{ { 0x0f, 100, 1 }, 3, 0 },
		{ { 0x3f }, 1, 0 },
		{ { 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
		      10, 10 }, 17, 0 },
		{ { 10, 11, 10, 11, 10, 11, 10, 11, 10, 11, 10, 11, 10, 11, 10,
		      11, 10, 11, 10 }, 19, 1 },
	};
	uint8_t p[128], before[128];
	struct quota q;
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT_OF(v); i++) {
		quota_process(&q);
		n = make_frames(p, v[i].ops, v[i].n);
		memcpy(before, p, n);
		assert_int_equal(ehframe_check(p, n, &q), n);
		assert_int_equal(memcmp(p, before, n) == 0, v[i].is_good);
		if (!v[i].is_good)
			assert_int_equal(p[24], 0x3f);
		/* Cut, the entry is none. */
		assert_int_equal(ehframe_check(p, n - 1, &q), 16);
		q.steps = 2;
		assert_int_equal(ehframe_check(p, n, &q), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    tables_that_are_named_often_end_the_search, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    functions_are_kept_up_to_the_quota, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(steps_are_limited, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(names_are_cut_and_have_an_end,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(searches_end_with_the_quota,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(
		    maps_that_grow_are_sorted_a_few_times, ctx_setup,
		    ctx_teardown),
		cmocka_unit_test_setup_teardown(maps_that_are_joined_are_found,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test_setup_teardown(maps_are_kept_up_to_the_quota,
		    ctx_setup, ctx_teardown),
		cmocka_unit_test(tables_that_ask_for_too_much_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
