/* Decodes linker stubs; see stub.h. */
#include "capture/native/unwind/stub.h"

#include <string.h>

#include "capture/proc/mem.h"

/* endbr64 (optional); bnd (optional); jmp *x(%rip) */
size_t
stub_x86_64(const uint8_t *code, size_t n)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;

	if (n >= sizeof(endbr64) &&
	    memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (n > at && code[at] == 0xf2)
		at++;
	return n - at >= 6 && code[at] == 0xff && code[at + 1] == 0x25
	    ? at + 6 : 0;
}

/* True for instructions of a stub before its branch. They change only x16 and
 * x17, which are reserved for linkers: bti c; autia1716; nop; adrp x16; ldr
 * x17, [x16, #n]; add x16, x16, #n. */
static int
is_stub_part(uint32_t word)
{
	return word == 0xd503245f || word == 0xd503219f ||
	    word == 0xd503201f || (word & 0x9f00001f) == 0x90000010 ||
	    (word & 0xffc003ff) == 0xf9400211 ||
	    (word & 0xff8003ff) == 0x91000210;
}

/* Any number of them, then br x17 or br x16. */
size_t
stub_aarch64(const uint8_t *code, size_t n)
{
	size_t at;

	for (at = 0; at + 4 <= n; at += 4) {
		uint32_t word = mem_u32(code, at);

		if (word == 0xd61f0220 || word == 0xd61f0200)
			return at + 4;
		if (!is_stub_part(word))
			return 0;
	}
	return 0;
}
