/*
 * Reading pprof: at once and a byte at a time give the same, and tolerant
 * reading has at least what strict reading has.
 */
#include "fuzz.h"
#include "imports.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	imports_check("pprof", p, n);
	return 0;
}
