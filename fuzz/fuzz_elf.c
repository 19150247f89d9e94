/*
 * ELF files from hostile bytes. The first byte chooses who reads the rest:
 *
 *  - libelf and libdw, for native frames: symbols, build id, the index of
 *    functions, and the unwind rule at the start of each function,
 *  - bobbin's own reader of files, which looks for symbols and for words in
 *    sections,
 *  - the same for an image in memory.
 *
 * Nothing may crash or hang. Results must be what was asked for, and the work
 * must stay within the quota.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/elf/elf.h"
#include "capture/native/unwind/cfi.h"
#include "capture/native/modules/debugfile.h"
#include "capture/native/modules/module.h"
#include "work.h"

#define FUZZ_CHECK(condition)                                                \
	do {                                                                 \
		if (!(condition))                                            \
			abort();                                             \
	} while (0)

#define AT ((uint64_t)0x10000)
#define MAX_ASKED 64

/* Steps for each byte that there is or was read and each step of the quota. */
#define WORK_RATE 16
#define WORK_ONCE 100000

/* LeakSanitizer of gcc 12 crashes on thread-local memory of a library that is
 * loaded later. That of clang does not, and takes memory of the loader for a
 * leak without it. */
#ifndef __clang__
const char *__lsan_default_options(void);

const char *
__lsan_default_options(void)
{
	return "use_tls=0";
}
#endif

struct input {
	const uint8_t *p;
	size_t n;
};

static long
gather(struct mem *m, const struct mem_span *v, size_t n)
{
	const struct input *in = m->user;
	long got = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (v[i].at < AT || v[i].at - AT > in->n ||
		    v[i].n > in->n - (v[i].at - AT))
			return -1;
		memcpy(v[i].to, in->p + (v[i].at - AT), v[i].n);
		got += (long)v[i].n;
	}
	return got;
}

/*
 * Whatever the bytes say, work is bounded: nothing is spent that there is not,
 * and a file of n bytes with its tables named again and again cannot take more
 * than so many of it for each table and each header. Work of our own that the
 * quota does not know of is bounded by the bytes of the file.
 */
static void
check_spent(const struct quota *b, size_t n)
{
	const uint64_t tables = n / 64 + 16;

	FUZZ_CHECK(b->bytes <= QUOTA_PROCESS_BYTES &&
	    b->steps <= QUOTA_PROCESS_STEPS && b->kept <= QUOTA_PROCESS_KEPT);
	FUZZ_CHECK(QUOTA_PROCESS_BYTES - b->bytes <=
	    16 * tables * (n + 4096));
	FUZZ_CHECK(QUOTA_PROCESS_STEPS - b->steps <=
	    16 * tables * (n + QUOTA_CALL));
	FUZZ_CHECK(QUOTA_PROCESS_STEPS - b->steps <= QUOTA_FILE_STEPS &&
	    QUOTA_PROCESS_BYTES - b->bytes <= QUOTA_FILE_BYTES);
	work_check(n + QUOTA_PROCESS_STEPS - b->steps + QUOTA_PROCESS_BYTES -
	    b->bytes, WORK_RATE, WORK_ONCE);
}

static void
ask_rule(struct bob_ctx *ctx, struct arena *arena, const struct module *m,
    uint64_t at)
{
	const struct unwind_rule *rule;

	if (m->tables.cfi == NULL)
		return;
	FUZZ_CHECK(cfi_rule(ctx, arena, m->eu, m->tables.cfi, at, &rule) ==
	    BOB_OK);
	if (rule == NULL)
		return;
	FUZZ_CHECK(rule->ra < REGS_N && rule->n_saved <= REGS_N);
	FUZZ_CHECK(rule->n_cfa > 0 || rule->cfa_reg < REGS_N);
	FUZZ_CHECK(rule->n_cfa <= EXPR_MAX_OPS);
}

static void
ask_module(struct bob_ctx *ctx, struct module *m)
{
	struct arena arena = { 0 };
	uint64_t begin;
	size_t i;

	for (i = 0; i < m->symbols.n && i < MAX_ASKED; i++) {
		uint64_t at = m->symbols.v[i].at;
		const struct symbol *s = symbols_find(&m->symbols, at);

		FUZZ_CHECK(s == NULL || at - s->at < s->size);
		ask_rule(ctx, &arena, m, at);
	}
	for (i = 0; i < m->n_start && i < MAX_ASKED; i++) {
		FUZZ_CHECK(module_function(m, m->start[i], &begin) == 1);
		FUZZ_CHECK(begin == m->start[i]);
		ask_rule(ctx, &arena, m, begin);
		ask_rule(ctx, &arena, m, begin + 5);
	}
	(void)module_bias(m, AT, AT + 4096, 0);
	FUZZ_CHECK(strlen(m->build_id) < DEBUGFILE_ID);
	arena_free(&arena);
}

static void
read_module(struct bob_ctx *ctx, const uint8_t *p, size_t n)
{
	struct input in = { p, n };
	struct mem mem = { .gather = gather, .user = &in };
	struct module m = { .path = NULL };
	struct quota b;
	static struct elfutils eu; /* loading it takes longer than the rest */

	if (eu.handle == NULL && elfutils_open(ctx, &eu) < 0)
		return;
	quota_process(&b);
	FUZZ_CHECK(module_open_memory(ctx, &m, &eu, &mem, AT, n, &b) == BOB_OK);
	check_spent(&b, n);
	ask_module(ctx, &m);
	module_done(&m);
}

static void
read_own(struct bob_ctx *ctx, const uint8_t *p, size_t n, int is_image)
{
	struct elf_symbol v[] = { { .name = "main" }, { .name = "" },
		{ .name = "_PyRuntime" } };
	FILE *f = tmpfile();
	struct elf e, debug;
	struct quota b;
	char text[64];
	uint8_t byte;
	int r;

	if (f == NULL)
		return;
	FUZZ_CHECK(fwrite(p, 1, n, f) == n && fflush(f) == 0);
	quota_process(&b);
	r = is_image ? elf_open_image(ctx, &e, fileno(f), 0, &b)
	             : elf_open(ctx, &e, fileno(f), &b);
	if (r == BOB_OK) {
		FUZZ_CHECK(elf_symbols(&e, v, 3) <= 3);
		(void)elf_section(&e, ".text");
		if (elf_search(&e, ".rodata", "A", text, sizeof(text)))
			FUZZ_CHECK(strlen(text) < sizeof(text));
		(void)elf_bias(&e, AT, 0);
		(void)elf_read_at(&e, v[0].value, &byte, 1);
		if (debugfile_find(&e, "0123", "/nowhere/program", "/nowhere",
		        &debug))
			elf_done(&debug);
	}
	check_spent(&b, n);
	elf_done(&e);
	(void)fclose(f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct bob_ctx *ctx = bob_ctx_new();

	if (ctx == NULL || n == 0) {
		bob_ctx_free(ctx);
		return 0;
	}
	work_begin();
	if (p[0] % 3 == 0)
		read_module(ctx, p + 1, n - 1);
	else
		read_own(ctx, p + 1, n - 1, p[0] % 3 == 2);
	bob_ctx_free(ctx);
	return 0;
}
