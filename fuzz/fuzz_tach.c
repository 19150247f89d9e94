/*
 * Strict reading of TACH, in four ways that must agree: at once, a byte at a
 * time, counts only (which skips pairs without reading times and status), and
 * with the status.
 */
#include "fuzz.h"
#include "digest.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct digest_how how[DIGEST_WAYS] = {
		{ .format = "tach" },
		{ .format = "tach", .trickle = 1 },
		{ .format = "tach", .want = BOB_WANT_NONE },
		{ .format = "tach", .want = BOB_WANT_STATUS },
	};

	digest_must_agree(p, n, how);
	return 0;
}
