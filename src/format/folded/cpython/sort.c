/*
 * Lines by weight and bytes: a radix sort, byte by byte from the least
 * important one. Bytes that all entries have in common, which are most, take
 * no step.
 */
#include "format/folded/cpython/sort.h"

#include <string.h>

/* Byte i of what entries are sorted by, from the least important one. */
static unsigned
byte_of(const struct tachyon_entry *e, unsigned i)
{
	uint64_t v = i < 8 ? e->place : ~e->weight;

	return v >> 8 * (i % 8) & 0xff;
}

struct tachyon_entry *
tachyon_sort(struct tachyon_entry *v, struct tachyon_entry *other, size_t n)
{
	struct tachyon_entry *swap;
	uint64_t place = 0, weight = 0;
	size_t begin[256], sum, count, k;
	unsigned i;

	for (k = 0; k < n; k++) {
		place |= v[k].place ^ v[0].place;
		weight |= v[k].weight ^ v[0].weight;
	}
	for (i = 0; i < 16; i++) {
		if (((i < 8 ? place : weight) >> 8 * (i % 8) & 0xff) == 0)
			continue;
		memset(begin, 0, sizeof(begin));
		for (k = 0; k < n; k++)
			begin[byte_of(&v[k], i)]++;
		for (sum = 0, k = 0; k < 256; k++) {
			count = begin[k];
			begin[k] = sum;
			sum += count;
		}
		for (k = 0; k < n; k++)
			other[begin[byte_of(&v[k], i)]++] = v[k];
		swap = v;
		v = other;
		other = swap;
	}
	return v;
}
