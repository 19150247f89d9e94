/* Parts of capturing that need no interpreter. */
#include "support.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/elf/elf.h"
#include "capture/native/modules/space.h"
#include "capture/php/layout/opcache.h"
#include "capture/php/layout/opcodes.h"
#include "capture/php/requests/request.h"
#include "capture/proc/maps.h"
#include "capture/proc/mem.h"
#include "capture/proc/pause.h"
#include "capture/proc/proc.h"

static const struct {
	const char *path, *route;
} routes[] = {
	{ "/", "/" },
	{ "", "" },
	{ "/shop/cart", "/shop/cart" },
	{ "/shop/17/cart", "/shop/{n}/cart" },
	{ "/shop/17", "/shop/{n}" },
	{ "/17/", "/{n}/" },
	{ "/v2/users", "/v2/users" },
	{ "/user/0b3c9a77-1f2e-4d5c-8b9a-aabbccddeeff", "/user/{id}" },
	{ "/blob/deadbeef", "/blob/deadbeef" },
	{ "/blob/deadbee1", "/blob/{id}" },
	{ "/t/Zm9vYmFyMTIzNDU2Nzg5MA", "/t/{id}" },
	{ "/top-10-things-to-see-in-2026", "/top-10-things-to-see-in-2026" },
	{ "/a-long-title-without-numbers", "/a-long-title-without-numbers" },
	{ "/range/1-2-3-4-5", "/range/1-2-3-4-5" },
	{ "//", "//" },
};

static void
paths_become_routes(void **state)
{
	char buf[64];
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT_OF(routes); i++) {
		n = request_route(routes[i].path, strlen(routes[i].path), buf,
		    sizeof(buf));
		assert_int_equal(n, strlen(routes[i].route));
		assert_memory_equal(buf, routes[i].route, n);
	}
}

static void
routes_are_cut_at_their_room(void **state)
{
	const char *path = "/abc/17/def/18";
	char buf[32], whole[32];
	size_t n, cap;

	(void)state;
	n = request_route(path, strlen(path), whole, sizeof(whole));
	for (cap = 0; cap <= n; cap++) {
		memset(buf, '#', sizeof(buf));
		assert_int_equal(request_route(path, strlen(path), buf, cap),
		    cap);
		assert_memory_equal(buf, whole, cap);
		assert_int_equal(buf[cap], '#');
	}
}

static void
opcodes_have_the_names_of_their_version(void **state)
{
	(void)state;
	assert_string_equal(php_opcode_name(70, 142), "ZEND_YIELD_FROM");
	assert_string_equal(php_opcode_name(82, 166), "ZEND_YIELD_FROM");
	assert_string_equal(php_opcode_name(70, 166), "ZEND_POW");
	assert_string_equal(php_opcode_name(85, 60), "ZEND_DO_FCALL");
	assert_string_equal(php_opcode_name(82, 255), "");
}

/* Something to look for, with a value that is in the file. */
const char capture_mark[] = "capture-mark:found";

static void
symbols_of_a_program_are_where_it_has_them(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct elf_symbol v[2] = { { .name = "capture_mark" },
		{ .name = "no_such_symbol" } };
	struct maps maps;
	struct elf elf;
	char buf[sizeof(capture_mark)] = "", key[32];
	int fd;

	(void)state;
	assert_int_equal(maps_read(ctx, &maps, getpid()), BOB_OK);
	assert_true(maps.n_file > 0);
	fd = proc_open_mapped(getpid(), &maps.file[0]);
	assert_true(fd >= 0);
	assert_int_equal(elf_open(ctx, &elf, fd, NULL), BOB_OK);
	assert_int_equal(elf_symbols(&elf, v, 2), 1);
	assert_true(v[0].is_found && !v[1].is_found);
	assert_int_equal(v[0].value + elf_bias(&elf, maps.file[0].start,
	        maps.file[0].first_offset), (uint64_t)(uintptr_t)capture_mark);
	assert_int_equal(elf_read_at(&elf, v[0].value, buf, sizeof(buf)), 0);
	assert_string_equal(buf, capture_mark);
	/* Put together here, so that it is in the file but once. */
	(void)snprintf(key, sizeof(key), "capture-%s:", "mark");
	assert_true(elf_search(&elf, ".rodata", key, buf, 6));
	assert_string_equal(buf, "found");
	elf_done(&elf);
	(void)close(fd);
	maps_done(&maps);
	bob_ctx_free(ctx);
}

/* Where the C library of this process begins. */
static uint64_t
libc_start(struct bob_ctx *ctx)
{
	uint64_t at = (uint64_t)(uintptr_t)getppid, start = 0;
	struct maps maps;
	size_t i;

	assert_int_equal(maps_read(ctx, &maps, getpid()), BOB_OK);
	for (i = 0; i < maps.n_file; i++)
		if (maps.file[i].start <= at && at < maps.file[i].end)
			start = maps.file[i].start;
	maps_done(&maps);
	return start;
}

static void
symbols_of_an_image_are_where_it_has_them(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct elf_symbol v[2] = { { .name = "getppid" },
		{ .name = "no_such_symbol" } };
	struct elf elf;
	char buf[8] = "";
	uint8_t code[8];
	uint64_t start = libc_start(ctx);
	int fd = open("/proc/self/mem", O_RDONLY);

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(elf_open_image(ctx, &elf, fd, start, NULL), BOB_OK);
	assert_int_equal(elf_symbols(&elf, v, 2), 1);
	assert_int_equal(v[0].value + elf_bias(&elf, start, 0),
	    (uint64_t)(uintptr_t)getppid);
	assert_int_equal(elf_read_at(&elf, v[0].value, code, sizeof(code)), 0);
	assert_memory_equal(code,
	    (const void *)(uintptr_t)getppid, sizeof(code));
	assert_true(elf_search(&elf, ".rodata", "/etc/passw", buf, 2));
	assert_string_equal(buf, "d");
	elf_done(&elf);
	(void)close(fd);
	bob_ctx_free(ctx);
}

/* A copy of this program with some bytes changed, cut at n. */
static int
damaged(const uint8_t *image, size_t n, size_t at, uint8_t value)
{
	FILE *f = tmpfile();
	int fd;

	assert_non_null(f);
	assert_int_equal(fwrite(image, 1, n, f), n);
	(void)fflush(f);
	fd = dup(fileno(f));
	if (at < n)
		assert_int_equal(pwrite(fd, &value, 1, (off_t)at), 1);
	(void)fclose(f);
	return fd;
}

static void
damaged_programs_are_refused_or_read(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	uint8_t image[4096];
	size_t n, at;
	int fd = open("/proc/self/exe", O_RDONLY);

	(void)state;
	assert_int_equal(read(fd, image, sizeof(image)), sizeof(image));
	(void)close(fd);
	for (at = 0; at < 4 * sizeof(Elf64_Ehdr); at++) {
		struct elf_symbol v = { .name = "main" };
		struct elf elf;

		/* Cut, and with a byte of its header turned over. */
		n = at % 2 == 0 ? at : sizeof(image);
		fd = damaged(image, n, at / 2, (uint8_t)~image[at / 2]);
		if (elf_open(ctx, &elf, fd, NULL) == BOB_OK)
			(void)elf_symbols(&elf, &v, 1);
		elf_done(&elf);
		/* The file as if it was the memory of a process. */
		if (elf_open_image(ctx, &elf, fd, 0, NULL) == BOB_OK)
			(void)elf_symbols(&elf, &v, 1);
		elf_done(&elf);
		(void)close(fd);
	}
	bob_ctx_free(ctx);
}

static void
memory_is_read_up_to_what_is_there(void **state)
{
	static uint64_t word = 0x1122334455667788;
	struct mem m;
	uint64_t v = 0;
	char buf[64];

	(void)state;
	mem_init(&m, getpid());
	if (mem_read_u64(&m, (uint64_t)(uintptr_t)&word, &v) == -EPERM)
		skip();
	assert_int_equal(v, word);
	assert_int_equal(mem_read(&m, 0, buf, 8), -EFAULT);
	assert_int_equal(mem_read(&m, 4096, buf, 8), -EFAULT);
	assert_int_equal(mem_read(&m, UINT64_MAX - 4, buf, 8), -EFAULT);
	assert_int_equal(mem_read_some(&m, (uint64_t)(uintptr_t)&word, buf,
	    sizeof(word)), sizeof(word));
}

/* The first mapping is not of the first bytes, and begins within a page. */
static void
files_are_where_their_first_mapping_is(void **state)
{
	static const uint64_t pages[] = { 0x1000, 0x4000, 0x10000 };
	struct elf_load load[] = {
		{ .vaddr = 0x5e7c0, .offset = 0x1e7c0, .file_size = 0x2000 },
		{ .vaddr = 0x80000, .offset = 0x30000, .file_size = 0x2000 },
	};
	struct elf elf = { .load = load, .n_load = COUNT_OF(load) };
	const uint64_t bias = 0x7f0000000000;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT_OF(pages); i++) {
		uint64_t before = load[0].offset % pages[i];

		assert_int_equal(elf_bias(&elf, bias + load[0].vaddr - before,
		    load[0].offset - before), bias);
	}
	assert_int_equal(elf_bias(&elf, bias + 0x80000, 0x30000), bias);
	assert_int_equal(elf_bias(&elf, bias, 0x40000), bias - 0x40000);
}

/* Each page is asked for, whatever their size. */
static void
memory_is_read_up_to_a_page_that_is_not_there(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *p = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = malloc(4 * page);
	struct mem m;

	(void)state;
	assert_true(p != MAP_FAILED && to != NULL);
	for (i = 0; i < 4 * page; i++)
		p[i] = (char)(i * 7 / 5);
	assert_int_equal(munmap(p + 3 * page, page), 0);
	mem_init(&m, getpid());
	if (mem_read(&m, (uintptr_t)p, to, 1) == -EPERM)
		skip();
	for (i = 1; i < 3 * page; i += 1021) {
		assert_int_equal(mem_read_some(&m, (uintptr_t)p + i, to,
		    4 * page - i), 3 * page - i);
		assert_memory_equal(to, p + i, 3 * page - i);
	}
	assert_int_equal(mem_read_some(&m, (uintptr_t)p + 3 * page, to, 9),
	    -EFAULT);
	free(to);
	assert_int_equal(munmap(p, 3 * page), 0);
}

/* --- memory that processes share ----------------------------------------- */

#define SHARED ((size_t)1 << 20)

static char *
share(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

/* Not there at first, then there, then with code. Once that is known nobody
 * looks again. */
static void
memory_of_opcache_is_found_when_it_comes(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct opcache o = { 0 };
	char *p, *small;

	(void)state;
	assert_non_null(ctx);
	opcache_look(&o, ctx, getpid(), 100);
	assert_true(o.start == o.end && !o.has_jit);
	small = share(SHARED / 4);
	p = share(SHARED);
	opcache_look(&o, ctx, getpid(), 100);
	assert_int_equal(o.start, (uintptr_t)p);
	assert_int_equal(o.end, (uintptr_t)p + SHARED);
	assert_false(o.has_jit);
	assert_int_equal(mprotect(p + SHARED / 2, SHARED / 2,
	    PROT_READ | PROT_EXEC), 0);
	opcache_look(&o, ctx, getpid(), 101);
	assert_false(o.has_jit);
	opcache_look(&o, ctx, getpid(), 100 + 1000000);
	assert_true(o.has_jit);
	assert_int_equal(o.end, (uintptr_t)p + SHARED);
	assert_int_equal(munmap(p, SHARED), 0);
	opcache_look(&o, ctx, getpid(), UINT64_MAX);
	assert_int_equal(o.start, (uintptr_t)p);
	assert_int_equal(munmap(small, SHARED / 4), 0);
	bob_ctx_free(ctx);
}

static int
is_code(struct space *s, const void *at)
{
	const struct space_area *a = space_find(s, (uintptr_t)at);

	assert_non_null(a);
	return a->is_code;
}

static void
shared_memory_is_code_while_it_is_written(void **state)
{
	struct bob_ctx *ctx = bob_ctx_new();
	char *p = share(SHARED);
	struct space s;

	(void)state;
	assert_non_null(ctx);
	space_init(&s, ctx, NULL, NULL, getpid());
	assert_int_equal(space_look(&s, 1, 0), 0);
	assert_true(is_code(&s, p));
	assert_true(is_code(&s, (void *)(uintptr_t)bob_ctx_new));
	assert_false(is_code(&s, &s));
	space_done(&s);
	assert_int_equal(munmap(p, SHARED), 0);
	bob_ctx_free(ctx);
}

static char
state_of(pid_t pid)
{
	struct proc_stat st;

	return proc_stat(pid, 0, &st) == 0 ? st.state : '?';
}

static void
a_paused_process_goes_on_and_gets_its_signals(void **state)
{
	struct pause p = { 0 };
	uint64_t tp = 0;
	pid_t pid = fork();
	int status, i, r;

	(void)state;
	if (pid == 0)
		for (;;)
			;
	for (i = 0; i < 20; i++) {
		r = pause_begin(&p, pid);
		if (r == -EPERM) {
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, &status, 0);
			skip();
		}
		assert_int_equal(r, 0);
		assert_int_equal(state_of(pid), 't');
		assert_int_equal(pause_thread_pointer(&p, &tp), 0);
		assert_true(tp != 0);
		if (i == 19)
			(void)kill(pid, SIGUSR1);
		(void)pause_end(&p);
		assert_true(state_of(pid) != 't');
	}
	/* The signal that came during the last stop has killed it. */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGUSR1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_become_routes),
		cmocka_unit_test(routes_are_cut_at_their_room),
		cmocka_unit_test(opcodes_have_the_names_of_their_version),
		cmocka_unit_test(symbols_of_a_program_are_where_it_has_them),
		cmocka_unit_test(symbols_of_an_image_are_where_it_has_them),
		cmocka_unit_test(damaged_programs_are_refused_or_read),
		cmocka_unit_test(files_are_where_their_first_mapping_is),
		cmocka_unit_test(memory_is_read_up_to_what_is_there),
		cmocka_unit_test(memory_is_read_up_to_a_page_that_is_not_there),
		cmocka_unit_test(memory_of_opcache_is_found_when_it_comes),
		cmocka_unit_test(shared_memory_is_code_while_it_is_written),
		cmocka_unit_test(
		    a_paused_process_goes_on_and_gets_its_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
