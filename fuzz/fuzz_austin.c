/* Reading austin's text, at once and a byte at a time. */
#include "fuzz.h"

#include "digest.h"
#include "textual.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct textual_how list = { .from = "austin",
		.to = "dump" };
	static const struct textual_how by_byte = { .from = "austin",
		.to = "dump", .trickle = 1 };
	struct textual a, b;

	textual_convert(&a, p, n, &list);
	textual_convert(&b, p, n, &by_byte);
	textual_must_be_alike(&a, &b);
	textual_done(&a);
	textual_done(&b);
	return 0;
}
