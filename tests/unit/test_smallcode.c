/* Small functions, as compilers write them for either machine. */
#include "support.h"

#include <elf.h>
#include <string.h>

#include "capture/php/layout/smallcode.h"

#define AT ((uint64_t)0x2bf2e4)

static enum smallcode
of_bytes(const char *bytes, size_t n, uint64_t *ret)
{
	uint8_t code[SMALLCODE_MAX];

	memset(code, 0x90, sizeof(code));
	memcpy(code, bytes, n);
	return smallcode_returns(EM_X86_64, code, AT, ret);
}

static void
functions_of_x86(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(of_bytes("\xb8\xff\xff\xff\xff\xc3", 6, &v),
	    SMALLCODE_NUMBER);
	assert_int_equal(v, 0xffffffff);
	assert_int_equal(of_bytes("\xf3\x0f\x1e\xfa\x48\xc7\xc0\xf8\xff\xff"
	    "\xff\xc3", 12, &v), SMALLCODE_NUMBER);
	assert_int_equal(v, (uint64_t)-8);
	assert_int_equal(of_bytes("\xf3\x0f\x1e\xfa\x48\x8b\x05\xf0\xff\xff"
	    "\xff\xc3", 12, &v), SMALLCODE_LOAD);
	assert_int_equal(v, AT + 4 + 7 - 16);
	assert_int_equal(of_bytes("\x55\xc3", 2, &v), SMALLCODE_OTHER);
}

static enum smallcode
of_words(const uint32_t *words, size_t n, uint64_t *ret)
{
	uint32_t code[SMALLCODE_MAX / 4] = { 0 };

	memcpy(code, words, n * 4);
	return smallcode_returns(EM_AARCH64, (const uint8_t *)code, AT, ret);
}

#define OF(ret, ...)                                                         \
	of_words((const uint32_t[]){ __VA_ARGS__ },                          \
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, (ret))

#define BTI 0xd503245f
#define RET 0xd65f03c0
#define ADRP 0xb00015c0 /* adrp x0, 0x2b9 pages on */
#define LDR 0xf9446000  /* ldr x0, [x0, #2240] */

static void
functions_of_aarch64(void **state)
{
	uint64_t v;

	(void)state;
	assert_int_equal(OF(&v, 0xd2800300, RET), SMALLCODE_NUMBER);
	assert_int_equal(v, 24);
	assert_int_equal(OF(&v, BTI, 0x928002e0, RET), SMALLCODE_NUMBER);
	assert_int_equal(v, (uint64_t)-24);
	/* movz x0, #1, lsl #16; movk x0, #24 */
	assert_int_equal(OF(&v, 0xd2a00020, 0xf2800300, RET),
	    SMALLCODE_NUMBER);
	assert_int_equal(v, 0x10018);
	/* mov x0, xzr; add x0, x0, #1, lsl #12; add x0, x0, #0x10 */
	assert_int_equal(OF(&v, 0xaa1f03e0, 0x91400400, 0x91004000, RET),
	    SMALLCODE_NUMBER);
	assert_int_equal(v, 0x1010);
	assert_int_equal(OF(&v, ADRP, LDR, RET), SMALLCODE_LOAD);
	assert_int_equal(v, 0x5788c0);
	assert_int_equal(OF(&v, BTI, ADRP, LDR, RET), SMALLCODE_LOAD);
	assert_int_equal(v, 0x5788c0);
	/* adrp x0, a page before */
	assert_int_equal(OF(&v, 0xf0ffffe0, LDR, RET), SMALLCODE_LOAD);
	assert_int_equal(v, 0x2be8c0);
}

static void
other_functions_of_aarch64(void **state)
{
	uint64_t v;

	(void)state;
	/* Nothing; from an argument; from what was loaded; another register;
	 * without an end. */
	assert_int_equal(OF(&v, RET), SMALLCODE_OTHER);
	assert_int_equal(OF(&v, LDR, RET), SMALLCODE_OTHER);
	assert_int_equal(OF(&v, ADRP, LDR, LDR, RET), SMALLCODE_OTHER);
	assert_int_equal(OF(&v, ADRP | 1, LDR, RET), SMALLCODE_OTHER);
	assert_int_equal(OF(&v, ADRP, ADRP, ADRP, ADRP, ADRP, ADRP, ADRP,
	    ADRP), SMALLCODE_OTHER);
	assert_int_equal(smallcode_returns(EM_386,
	    (const uint8_t[SMALLCODE_MAX]){ 0xb8 }, AT, &v), SMALLCODE_OTHER);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_x86),
		cmocka_unit_test(functions_of_aarch64),
		cmocka_unit_test(other_functions_of_aarch64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
