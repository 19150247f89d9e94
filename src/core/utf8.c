/* Validating and repairing UTF-8; see the header. */
#include "core/utf8.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

/* Returns the length of a sequence that begins with this byte, and sets the
 * range of its second byte (all others are 80..BF); 0 if it begins none. */
static unsigned
sequence_length(uint8_t b, uint8_t *low, uint8_t *high)
{
	*low = 0x80;
	*high = 0xbf;
	if (b < 0x80)
		return 1;
	if (b < 0xc2 || b > 0xf4)
		return 0;
	if (b < 0xe0)
		return 2;
	if (b == 0xe0)
		*low = 0xa0; /* shorter forms exist below */
	if (b == 0xed)
		*high = 0x9f; /* surrogates above */
	if (b == 0xf0)
		*low = 0x90;
	if (b == 0xf4)
		*high = 0x8f; /* beyond U+10FFFF */
	return b < 0xf0 ? 3 : 4;
}

size_t
utf8_take(const char *text, size_t n, int *is_whole)
{
	const uint8_t *p = (const uint8_t *)text;
	uint8_t low, high;
	unsigned len = sequence_length(p[0], &low, &high);
	size_t i;

	assert(n > 0);
	*is_whole = 0;
	if (len == 0)
		return 1;
	for (i = 1; i < len; i++) {
		if (i == n || p[i] < low || p[i] > high)
			return i;
		low = 0x80;
		high = 0xbf;
	}
	*is_whole = 1;
	return len;
}

size_t
utf8_valid(const char *text, size_t n)
{
	size_t i = 0, len;
	int is_whole;

	while (i < n) {
		uint64_t word;

		if (n - i >= sizeof(word)) {
			memcpy(&word, text + i, sizeof(word));
			if ((word & UINT64_C(0x8080808080808080)) == 0) {
				i += sizeof(word);
				continue;
			}
		}
		len = utf8_take(text + i, n - i, &is_whole);
		if (!is_whole)
			return i;
		i += len;
	}
	return n;
}

size_t
utf8_replace(char *to, const char *text, size_t n)
{
	size_t i = 0, out = 0;
	int is_whole;

	while (i < n) {
		size_t len = utf8_take(text + i, n - i, &is_whole);

		if (is_whole) {
			memcpy(to + out, text + i, len);
			out += len;
		} else {
			memcpy(to + out, "\xef\xbf\xbd", 3);
			out += 3;
		}
		i += len;
	}
	return out;
}
