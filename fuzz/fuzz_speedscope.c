/* Reading speedscope's JSON, as fuzz_pprof.c. */
#include "fuzz.h"
#include "imports.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	imports_check("speedscope", p, n);
	return 0;
}
