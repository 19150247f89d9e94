/* The table of offsets, a row for each version of PHP; see offsets.h. */
#include "capture/php/layout/offsets.h"

#include <stddef.h>

#define BIT(n) ((uint32_t)1 << (n))

static const struct php_offsets table[] = {
	/*    EG             CG   ex      page
	 *    op_array                       generator, heap
	 *    flags; types */
	{ 70, 456, 480, 432, 0, 56, 96, 48,
	    60, 64, 120, 128, 72, 76, 80, 112, 64, 160, 272,
	    BIT(25), 0, BIT(20), BIT(21), 0, BIT(0),
	    15, 17, 0 },
	{ 71, 456, 480, 432, 0, 48, 80, 48,
	    56, 64, 120, 128, 72, 76, 80, 112, 64, 160, 272,
	    BIT(17), BIT(24), BIT(20), BIT(21), 0, BIT(0),
	    15, 17, 0 },
	{ 72, 456, 480, 432, 0, 48, 80, 48,
	    56, 64, 120, 128, 72, 76, 80, 112, 64, 160, 272,
	    BIT(17), BIT(24), BIT(20), BIT(21), BIT(6), BIT(0),
	    15, 17, 0 },
	{ 73, 456, 488, 432, 0, 48, 80, 48,
	    60, 64, 128, 136, 52, 56, 88, 80, 64, 160, 272,
	    BIT(17), BIT(24), BIT(20), BIT(21), BIT(6), BIT(0),
	    13, 14, 0 },
	{ 74, 456, 488, 432, 528, 48, 80, 32,
	    60, 64, 136, 144, 52, 56, 96, 80, 64, 160, 272,
	    BIT(17), BIT(24), BIT(20), BIT(18), BIT(21), BIT(4),
	    13, 14, 0 },
	{ 80, 456, 488, 432, 472, 48, 80, 32,
	    68, 72, 144, 152, 60, 64, 104, 88, 56, 152, 272,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23), BIT(4),
	    12, 13, 0 },
	{ 81, 456, 488, 432, 480, 48, 80, 32,
	    68, 72, 144, 152, 60, 64, 104, 88, 56, 152, 272,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23), BIT(4),
	    12, 13, 0 },
	{ 82, 456, 488, 432, 480, 48, 80, 32,
	    80, 88, 152, 160, 76, 56, 112, 96, 56, 152, 272,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23), BIT(4),
	    12, 13, 1 },
	{ 83, 456, 488, 432, 480, 48, 80, 32,
	    76, 80, 144, 152, 72, 64, 104, 88, 56, 152, 272,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23), BIT(4),
	    12, 13, 1 },
	{ 84, 456, 488, 432, 512, 48, 80, 32,
	    96, 104, 168, 176, 92, 72, 128, 112, 56, 152, 280,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23), BIT(4),
	    12, 13, 1 },
	{ 85, 480, 512, 456, 512, 48, 80, 32,
	    96, 104, 168, 176, 92, 72, 128, 112, 56, 152, 280,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23), BIT(4),
	    12, 13, 1 },
};

#define N_ROWS (sizeof(table) / sizeof(table[0]))

const struct php_offsets *
php_offsets_of(unsigned version)
{
	size_t i;

	for (i = 0; i < N_ROWS; i++)
		if (table[i].version == version)
			return &table[i];
	return NULL;
}

const struct php_offsets *
php_offsets_last(void)
{
	return &table[N_ROWS - 1];
}
