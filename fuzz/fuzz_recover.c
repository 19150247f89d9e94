/*
 * Reading .rbt with recovery. It reaches the end of any input, gives all
 * samples that strict reading gives, reports gaps inside the input, and does
 * not depend on how the bytes arrive. Its samples can be written and read
 * again.
 */
#include "fuzz.h"
#include "bytes.h"
#include "digest.h"

#include <stdlib.h>
#include <string.h>

/* Reads tolerantly and writes what it gives to *f. */
static void
recover_to(struct bytes *f, const uint8_t *p, size_t n, struct digest *t)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_dict *d = ctx == NULL ? NULL : bob_dict_new(ctx);
	struct bob_target to = { .write = bytes_write, .user = f };
	struct bob_write_opts o = { .size = sizeof(o), .format = "rbt",
		.dict = d };
	struct digest_how how = { .flags = BOB_READ_RECOVER, .dict = d };

	if (d == NULL)
		exit(1);
	PROMISE(bob_create(ctx, &to, &o, &how.copy_to) == BOB_OK);
	digest_read(t, p, n, &how);
	PROMISE(bob_finish(how.copy_to) == BOB_OK);
	bob_dict_free(d);
	bob_ctx_free(ctx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const struct digest_how strictly = { 0 };
	static const struct digest_how by_byte = { .flags = BOB_READ_RECOVER,
		.trickle = 1 };
	struct digest strict, whole, slow, again;
	struct bytes f = { 0 };

	digest_read(&strict, p, n, &strictly);
	recover_to(&f, p, n, &whole);
	PROMISE(whole.status == BOB_EOF);
	PROMISE(whole.gaps_end <= whole.n_bytes);
	/* Recovery may doubt what strict reading believes, such as an unknown
	 * event with a segment inside; then there is nothing to compare. */
	if (whole.first_gap >= strict.n_bytes) {
		PROMISE(whole.n_samples >= strict.n_samples);
		PROMISE(whole.n_segments >= strict.n_segments);
	}
	digest_read(&slow, p, n, &by_byte);
	digest_must_end_alike(&whole, &slow);
	digest_must_be_ordered_alike(&whole, &slow);
	PROMISE(whole.n_lost == slow.n_lost);

	digest_read(&again, f.p, f.n, &strictly);
	PROMISE(again.status == BOB_EOF);
	PROMISE(!again.is_incomplete);
	/* A file has at least one segment, if an empty one. */
	if (whole.n_segments == 0)
		PROMISE(again.n_segments == 1 && again.n_samples == 0);
	else
		digest_must_be_ordered_alike(&whole, &again);
	digest_done(&strict);
	digest_done(&whole);
	digest_done(&slow);
	digest_done(&again);
	free(f.p);
	return 0;
}
