/* Decoders of small functions, one for each machine; see smallcode.h. All are
 * built on every machine, so that tests cover them. */
#include "capture/php/layout/smallcode.h"

#include <elf.h>
#include <string.h>

#include "capture/proc/mem.h"

static enum smallcode
decode_x86(const uint8_t *code, uint64_t at, uint64_t *ret)
{
	size_t i = memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0;
	int32_t v;

	/* endbr64 is passed over. */
	if (code[i] == 0xb8) {
		*ret = mem_u32(code, i + 1);
		return SMALLCODE_NUMBER; /* mov $n, %eax */
	}
	memcpy(&v, code + i + 3, sizeof(v));
	if (memcmp(code + i, "\x48\xc7\xc0", 3) == 0) {
		*ret = (uint64_t)(int64_t)v;
		return SMALLCODE_NUMBER; /* mov $n, %rax */
	}
	if (memcmp(code + i, "\x48\x8b\x05", 3) == 0) {
		*ret = at + i + 7 + (uint64_t)(int64_t)v;
		return SMALLCODE_LOAD; /* mov n(%rip), %rax */
	}
	return SMALLCODE_OTHER;
}

/* Returns the page that an adrp at this address refers to. */
static uint64_t
page_of(uint32_t word, uint64_t at)
{
	uint64_t n = (uint64_t)(word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);

	n = (n ^ (uint64_t)1 << 20) - ((uint64_t)1 << 20);
	return (at & ~(uint64_t)0xfff) + (n << 12);
}

/* Executes one instruction that changes x0 only. Returns 1; 0 if it is any
 * other. */
static int
step_arm(uint32_t word, uint64_t at, uint64_t *x0)
{
	unsigned shift = (word >> 21 & 3) * 16;
	uint64_t n = (uint64_t)(word >> 5 & 0xffff) << shift;

	if (word == 0xaa1f03e0) /* mov x0, xzr */
		*x0 = 0;
	else if ((word & 0xff80001f) == 0xd2800000) /* movz x0, #n */
		*x0 = n;
	else if ((word & 0xff80001f) == 0x92800000) /* movn x0, #n */
		*x0 = ~n;
	else if ((word & 0xff80001f) == 0xf2800000) /* movk x0, #n */
		*x0 = (*x0 & ~((uint64_t)0xffff << shift)) | n;
	else if ((word & 0x9f00001f) == 0x90000000) /* adrp x0, n */
		*x0 = page_of(word, at);
	else if ((word & 0xff8003ff) == 0x91000000) /* add x0, x0, #n */
		*x0 += (uint64_t)(word >> 10 & 0xfff)
		    << (word >> 22 & 1 ? 12 : 0);
	else
		return 0;
	return 1;
}

static enum smallcode
decode_arm(const uint8_t *code, uint64_t at, uint64_t *ret)
{
	enum smallcode kind = SMALLCODE_OTHER;
	uint64_t x0 = 0;
	size_t i;

	for (i = 0; i < SMALLCODE_MAX; i += 4) {
		uint32_t word = mem_u32(code, i);

		if (word == 0xd65f03c0) /* ret */
			break;
		if ((word & 0xfffff01f) == 0xd503201f)
			continue; /* hints: bti, paciasp, nop */
		if (kind == SMALLCODE_LOAD)
			return SMALLCODE_OTHER;
		if (kind == SMALLCODE_NUMBER &&
		    (word & 0xffc003ff) == 0xf9400000) {
			x0 += (uint64_t)(word >> 10 & 0xfff) * 8;
			kind = SMALLCODE_LOAD; /* ldr x0, [x0, #n] */
		} else if (step_arm(word, at + i, &x0)) {
			kind = SMALLCODE_NUMBER;
		} else {
			return SMALLCODE_OTHER;
		}
	}
	*ret = x0;
	return i < SMALLCODE_MAX ? kind : SMALLCODE_OTHER;
}

enum smallcode
smallcode_returns(unsigned machine, const uint8_t code[SMALLCODE_MAX],
    uint64_t at, uint64_t *ret)
{
	switch (machine) {
	case EM_X86_64:
		return decode_x86(code, at, ret);
	case EM_AARCH64:
		return decode_arm(code, at, ret);
	default:
		return SMALLCODE_OTHER;
	}
}
