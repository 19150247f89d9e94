/*
 * A mutator that repeats a piece of the input up to 256 times, which random
 * changes seldom do. Quadratic or worse work is only visible in large inputs.
 */
#include "fuzz.h"

#include <string.h>

size_t
LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max, unsigned seed)
{
	size_t at, len, k, more = (size_t)1 << (seed >> 28) % 9;

	if (seed % 16 != 0 || n < 2 || n >= max)
		return LLVMFuzzerMutate(p, n, max);
	at = (seed >> 4) % n;
	len = 1 + (seed >> 16) % (n - at);
	if (more > (max - n) / len)
		more = (max - n) / len;
	memmove(p + at + (more + 1) * len, p + at + len, n - at - len);
	for (k = 1; k <= more; k++)
		memcpy(p + at + k * len, p + at, len);
	return n + more * len;
}
