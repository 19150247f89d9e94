/*
 * Strict reading of .rbt, in three ways that must agree: all at once, a byte
 * at a time, and without order (which has fast paths of its own).
 */
#include "fuzz.h"
#include "digest.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct digest_how by_byte = { .trickle = 1 };
	static const struct digest_how whole = { 0 };
	static const struct digest_how sums = { .want = BOB_WANT_NONE };
	struct digest a, b, c;

	digest_read(&a, p, n, &whole);
	digest_read(&b, p, n, &by_byte);
	digest_read(&c, p, n, &sums);
	PROMISE(a.status == BOB_EOF || a.status == BOB_FATAL);
	digest_must_end_alike(&a, &b);
	digest_must_be_ordered_alike(&a, &b);
	digest_must_end_alike(&a, &c);
	digest_must_weigh_alike(&a, &c);
	digest_done(&a);
	digest_done(&b);
	digest_done(&c);
	return 0;
}
