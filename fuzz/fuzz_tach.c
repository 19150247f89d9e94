/*
 * Strict reading of TACH, in four ways that must agree: all at once and a byte
 * at a time, with everything and with nothing but counts (which passes over
 * pairs without looking at times and status).
 */
#include "fuzz.h"
#include "digest.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct digest_how by_byte = { .format = "tach",
		.trickle = 1 };
	static const struct digest_how whole = { .format = "tach" };
	static const struct digest_how sums = { .format = "tach",
		.want = BOB_WANT_NONE };
	static const struct digest_how status = { .format = "tach",
		.want = BOB_WANT_STATUS };
	struct digest a, b, c, d;

	digest_read(&a, p, n, &whole);
	digest_read(&b, p, n, &by_byte);
	digest_read(&c, p, n, &sums);
	digest_read(&d, p, n, &status);
	PROMISE(a.status == BOB_EOF || a.status == BOB_FATAL);
	PROMISE(a.n_gaps == 0);
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
