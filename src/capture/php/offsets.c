/* The table; see offsets.h. */
#include "capture/php/offsets.h"

#include <stddef.h>

#define BIT(n) ((uint32_t)1 << (n))

static const struct php_offsets table[] = {
	/*    EG        ex  page op_array           generator */
	{ 70, 456, 480, 56, 48, 60, 64, 120, 128, 64, 160,
	    BIT(25), 0, BIT(20), BIT(21), 0 },
	{ 71, 456, 480, 48, 48, 56, 64, 120, 128, 64, 160,
	    BIT(17), BIT(24), BIT(20), BIT(21), 0 },
	{ 72, 456, 480, 48, 48, 56, 64, 120, 128, 64, 160,
	    BIT(17), BIT(24), BIT(20), BIT(21), BIT(6) },
	{ 73, 456, 488, 48, 48, 60, 64, 128, 136, 64, 160,
	    BIT(17), BIT(24), BIT(20), BIT(21), BIT(6) },
	{ 74, 456, 488, 48, 32, 60, 64, 136, 144, 64, 160,
	    BIT(17), BIT(24), BIT(20), BIT(18), BIT(21) },
	{ 80, 456, 488, 48, 32, 68, 72, 144, 152, 56, 152,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23) },
	{ 81, 456, 488, 48, 32, 68, 72, 144, 152, 56, 152,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23) },
	{ 82, 456, 488, 48, 32, 80, 88, 152, 160, 56, 152,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23) },
	{ 83, 456, 488, 48, 32, 76, 80, 144, 152, 56, 152,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23) },
	{ 84, 456, 488, 48, 32, 96, 104, 168, 176, 56, 152,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23) },
	{ 85, 480, 512, 48, 32, 96, 104, 168, 176, 56, 152,
	    BIT(17), BIT(24), BIT(22), BIT(18), BIT(23) },
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
