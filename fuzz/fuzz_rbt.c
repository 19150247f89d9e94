/*
 * Strict reading of .rbt, in four ways that must agree: all at once and a
 * byte at a time, with order and without (which has paths of its own).
 */
#include "fuzz.h"
#include "digest.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct digest_how by_byte = { .trickle = 1 };
	static const struct digest_how whole = { 0 };
	static const struct digest_how sums = { .want = BOB_WANT_NONE };
	static const struct digest_how slow_sums = { .want = BOB_WANT_NONE,
		.trickle = 1 };
	struct digest a, b, c, d;

	digest_read(&a, p, n, &whole);
	digest_read(&b, p, n, &by_byte);
	digest_read(&c, p, n, &sums);
	digest_read(&d, p, n, &slow_sums);
	PROMISE(a.status == BOB_EOF || a.status == BOB_FATAL);
	digest_must_end_alike(&a, &b);
	digest_must_be_ordered_alike(&a, &b);
	digest_must_end_alike(&a, &c);
	digest_must_weigh_alike(&a, &c);
	digest_must_end_alike(&a, &d);
	digest_must_weigh_alike(&a, &d);
	digest_done(&a);
	digest_done(&b);
	digest_done(&c);
	digest_done(&d);
	return 0;
}
