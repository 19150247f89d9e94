/* Scans the code of a function once. */
#include "capture/python/code/opcodes.h"

#include <string.h>

#define N_CACHES 0x0f
#define IS_REPLACED 0x40
#define CAN_ENTER 0x80

#define ANYTHING (PY_UNIT_STARTS | PY_UNIT_CALLS | PY_UNIT_UNKNOWN)

void
py_ops_scan(unsigned minor, const uint8_t *code, size_t n, uint8_t *unit)
{
	const uint8_t *table;
	size_t i = 0, k;
	uint8_t op;

	memset(unit, ANYTHING, n);
	if (minor < PY_OPS_FIRST || minor > PY_OPS_LAST)
		return;
	table = py_ops_table[minor - PY_OPS_FIRST];
	while (i < n) {
		op = table[code[2 * i]];
		if ((op & IS_REPLACED) != 0)
			return;
		unit[i] = PY_UNIT_STARTS |
		    ((op & CAN_ENTER) != 0 ? PY_UNIT_CALLS : 0);
		for (k = op & N_CACHES; k > 0 && i + 1 < n; k--) {
			i++;
			unit[i] = (uint8_t)(unit[i - 1] & ~PY_UNIT_STARTS);
		}
		i++;
	}
}

size_t
py_ops_back(const uint8_t *unit, size_t at)
{
	size_t n = 0;

	while (n < at && (unit[at - n] & PY_UNIT_STARTS) == 0)
		n++;
	return n;
}
