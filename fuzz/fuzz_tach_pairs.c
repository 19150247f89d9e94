/*
 * Pairs of a REPEAT record: the fast decoders and the plain one must read the
 * same pairs and stop at the same byte.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "format/tach/pairs.h"

typedef size_t pairs_fn(const uint8_t **, const uint8_t *, size_t, int,
    uint32_t *);

/* All of the bytes, stop by stop; a pair that stops one is passed over. */
static void
compare(pairs_fn *fast, const uint8_t *p, size_t n, int status,
    uint32_t *a, uint32_t *b, size_t max)
{
	const uint8_t *end = p + n, *x, *y;

	while (p < end) {
		size_t left = (size_t)(end - p);
		size_t most = left < max ? left : max, k;

		x = y = p;
		memset(a, 0xaa, left * sizeof(*a));
		memset(b, 0xaa, left * sizeof(*b));
		k = pairs_plain(&x, end, most, status, a);
		PROMISE(fast(&y, end, most, status, b) == k);
		PROMISE(x == y);
		PROMISE(memcmp(a, b, k * sizeof(*a)) == 0);
		y = p;
		x = p;
		k = pairs_plain(&x, end, most, status, NULL);
		PROMISE(fast(&y, end, most, status, NULL) == k);
		PROMISE(x == y);
		p = x + 1;
		if (left > 4096)
			p += left / 8; /* or it would take for ever */
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	uint32_t *a = malloc((n + 1) * sizeof(*a));
	uint32_t *b = malloc((n + 1) * sizeof(*b));
	int status = n > 1 ? p[1] : 0;

	if (a == NULL || b == NULL)
		exit(1);
	compare(pairs_take, p, n, PAIRS_ANY_STATUS, a, b, n);
	compare(pairs_take, p, n, status, a, b, n);
	compare(pairs_take, p, n, status, a, b, 37);
	compare(pairs_words, p, n, PAIRS_ANY_STATUS, a, b, n);
	compare(pairs_words, p, n, status, a, b, n);
	compare(pairs_words, p, n, status, a, b, 37);
	free(a);
	free(b);
	return 0;
}
