/*
 * Reading folded stacks, at once and a byte at a time. What bobbin writes must
 * be read as the same stacks, so that writing it again changes nothing.
 */
#include "fuzz.h"

#include "digest.h"
#include "textual.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct textual_how list = { .from = "folded",
		.to = "dump" };
	static const struct textual_how by_byte = { .from = "folded",
		.to = "dump", .trickle = 1 };
	static const struct textual_how fold = { .from = "folded",
		.to = "folded" };
	struct textual a, b, once, twice;

	textual_convert(&a, p, n, &list);
	textual_convert(&b, p, n, &by_byte);
	textual_must_be_alike(&a, &b);
	textual_convert(&once, p, n, &fold);
	PROMISE(once.status == a.status);
	textual_convert(&twice, once.p, once.n, &fold);
	PROMISE(twice.status == BOB_EOF);
	once.status = twice.status;
	textual_must_be_alike(&once, &twice);
	textual_done(&a);
	textual_done(&b);
	textual_done(&once);
	textual_done(&twice);
	return 0;
}
