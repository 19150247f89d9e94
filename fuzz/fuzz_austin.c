/* Reading austin's text, at once and a byte at a time. */
#include "fuzz.h"

#include "textual.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	textual_must_trickle_alike("austin", p, n);
	return 0;
}
