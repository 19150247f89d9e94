/*
 * Reading TACH with recovery. It gives all samples that strict reading gives,
 * exactly these if nothing is damaged, and does not depend on how the bytes
 * arrive.
 */
#include "fuzz.h"
#include "digest.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct digest_how strictly = { .format = "tach" };
	static const struct digest_how tolerant = { .format = "tach",
		.flags = BOB_READ_RECOVER, .has_loose_gaps = 1 };
	static const struct digest_how by_byte = { .format = "tach",
		.flags = BOB_READ_RECOVER, .has_loose_gaps = 1, .trickle = 1 };
	struct digest strict, whole, slow;

	digest_read(&strict, p, n, &strictly);
	digest_read(&whole, p, n, &tolerant);
	PROMISE(whole.status == BOB_EOF || whole.status == BOB_FATAL);
	PROMISE(whole.n_samples >= strict.n_samples);
	if (strict.status == BOB_EOF) {
		PROMISE(whole.status == BOB_EOF);
		if (whole.n_gaps == 0)
			digest_must_be_ordered_alike(&strict, &whole);
	}
	digest_read(&slow, p, n, &by_byte);
	digest_must_end_alike(&whole, &slow);
	digest_must_be_ordered_alike(&whole, &slow);
	PROMISE(whole.n_lost == slow.n_lost);
	PROMISE(whole.n_gaps == slow.n_gaps);
	digest_done(&strict);
	digest_done(&whole);
	digest_done(&slow);
	return 0;
}
