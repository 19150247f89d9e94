/*
 * Strict reading of .rbt, in four ways that must agree: at once and a byte at a
 * time, each with the order of samples and without it (which takes other paths
 * through the reader).
 */
#include "fuzz.h"
#include "digest.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct digest_how how[DIGEST_WAYS] = {
		{ .want = 0 },
		{ .trickle = 1 },
		{ .want = BOB_WANT_NONE },
		{ .want = BOB_WANT_NONE, .trickle = 1 },
	};

	digest_must_agree(p, n, how);
	return 0;
}
