/* Decodes the instruction that ends at an address; see callsite.h. */
#include "capture/native/unwind/callsite.h"

#include <stddef.h>

#include "capture/proc/mem.h"

/* Returns the length of `call *x` (ff /2) from its ModRM and SIB bytes; 0 if it
 * is not a call. */
static size_t
call_length(uint8_t modrm, uint8_t sib)
{
	unsigned mod = modrm >> 6, rm = modrm & 7;
	size_t n = 2;

	if ((modrm >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return n;
	if (rm == 4)
		n++;
	if (mod == 1)
		n++;
	if (mod == 2 || (mod == 0 && rm == 5) ||
	    (mod == 0 && rm == 4 && (sib & 7) == 5))
		n += 4;
	return n;
}

int
callsite_x86_64(const uint8_t b[CALLSITE_BYTES])
{
	size_t n;

	if (b[CALLSITE_BYTES - 5] == 0xe8)
		return 1; /* relative */
	for (n = 2; n <= 7; n++) {
		const uint8_t *p = b + CALLSITE_BYTES - n;

		if (p[0] == 0xff && call_length(p[1], n > 2 ? p[2] : 0) == n)
			return 1;
	}
	return 0;
}

/* BL; BLR; BLRAA and the like, which authenticate a pointer. */
int
callsite_aarch64(const uint8_t b[CALLSITE_BYTES])
{
	uint32_t word = mem_u32(b, 4);

	return (word & 0xfc000000) == 0x94000000 ||
	    (word & 0xfffffc1f) == 0xd63f0000 ||
	    (word & 0xfefff800) == 0xd63f0800;
}
