/* Decodes calls, and the stubs that they lead to; see target.h. */
#include "capture/native/unwind/target.h"

#include "capture/native/unwind/stub.h"

/* Bytes of `call *x(%rip)`; `call x` has one less. */
#define CALL_BYTES 6

/* Returns the address that a 32-bit displacement refers to: it counts from the
 * end of the instruction. */
static uint64_t
relative(const uint8_t *x, uint64_t behind)
{
	return behind + (uint64_t)(int64_t)(int32_t)mem_u32(x, 0);
}

int
target_x86_64(struct mem *mem, uint64_t ret, uint64_t *to)
{
	uint8_t b[CALL_BYTES], code[STUB_BYTES];
	size_t jump;

	if (mem_read(mem, ret - sizeof(b), b, sizeof(b)) < 0)
		return 0;
	if (b[0] == 0xff && b[1] == 0x15)
		return mem_read_u64(mem, relative(b + 2, ret), to) == 0;
	if (b[1] != 0xe8)
		return 0;
	*to = relative(b + 2, ret);
	jump = mem_read(mem, *to, code, sizeof(code)) == 0
	    ? stub_x86_64(code, sizeof(code)) : 0;
	return jump == 0 || mem_read_u64(mem, relative(code + jump - 4,
	    *to + jump), to) == 0;
}

/* Returns the low n bits of a word as a signed number, times 4. */
static uint64_t
times_4(uint32_t word, int n)
{
	return (uint64_t)((int64_t)((uint64_t)word << (64 - n)) >> (62 - n));
}

/* Returns 1 and sets *ret to the address of the word that a stub reads: adrp
 * x16, page; ldr x17, [x16, #n]. Else 0. */
static int
word_of_stub(const uint8_t *code, size_t n, uint64_t at, uint64_t *ret)
{
	uint64_t page = 0;
	size_t i;

	for (i = 0; i + 4 <= n; i += 4) {
		uint32_t w = mem_u32(code, i);

		if ((w & 0x9f00001f) == 0x90000010)
			page = ((at + i) & ~(uint64_t)4095) +
			    ((times_4(w >> 5, 19) | (w >> 29 & 3)) << 12);
		if ((w & 0xffc003ff) == 0xf9400211 && page != 0) {
			*ret = page + (w >> 10 & 0xfff) * 8;
			return 1;
		}
	}
	return 0;
}

int
target_aarch64(struct mem *mem, uint64_t ret, uint64_t *to)
{
	uint8_t b[4], code[STUB_BYTES];
	uint64_t word;
	size_t jump;

	if (mem_read(mem, ret - sizeof(b), b, sizeof(b)) < 0 ||
	    (mem_u32(b, 0) & 0xfc000000) != 0x94000000)
		return 0;
	*to = ret - 4 + times_4(mem_u32(b, 0), 26);
	jump = mem_read(mem, *to, code, sizeof(code)) == 0
	    ? stub_aarch64(code, sizeof(code)) : 0;
	return jump == 0 || (word_of_stub(code, jump, *to, &word) &&
	    mem_read_u64(mem, word, to) == 0);
}
