/* Widths of characters: the locale is not asked, so that output is the same
 * everywhere. */
#include "width.h"

#include <stddef.h>

#include "width_table.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int
width_has(const struct width_range *v, size_t n, uint32_t cp)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (cp > v[mid].last)
			low = mid + 1;
		else if (cp < v[mid].first)
			high = mid;
		else
			return 1;
	}
	return 0;
}

unsigned
char_width(uint32_t cp)
{
	if (cp < width_zero[0].first)
		return 1;
	if (width_has(width_zero, COUNT(width_zero), cp))
		return 0;
	return width_has(width_two, COUNT(width_two), cp) ? 2 : 1;
}
