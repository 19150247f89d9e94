/* Reading formats of other tools in several ways; see the header. */
#include "imports.h"

#include "digest.h"

/* Only the first bytes are tried: detecting the format must be safe. */
static void
find_format(const uint8_t *p, size_t n)
{
	struct bob_read_opts o = { .size = sizeof(o) };
	struct bob_ctx *ctx = bob_ctx_new();
	struct bob_reader *rd;

	PROMISE(ctx != NULL);
	if (bob_open_memory(ctx, p, n, "fuzz", &o, &rd) == BOB_OK)
		bob_close(rd);
	bob_ctx_free(ctx);
}

static void
check_pace(const struct digest *whole, const uint8_t *p, size_t n,
    struct digest_how how)
{
	struct digest slow;

	how.trickle = 1;
	digest_read(&slow, p, n, &how);
	digest_must_end_alike(whole, &slow);
	digest_must_be_ordered_alike(whole, &slow);
	PROMISE(whole->n_lost == slow.n_lost);
	PROMISE(whole->n_gaps == slow.n_gaps);
	digest_done(&slow);
}

void
imports_check(const char *format, const uint8_t *p, size_t n)
{
	const struct digest_how strictly = { .format = format };
	const struct digest_how tolerant = { .format = format,
		.flags = BOB_READ_RECOVER, .has_loose_gaps = 1 };
	struct digest strict, loose;

	find_format(p, n);
	digest_read(&strict, p, n, &strictly);
	check_pace(&strict, p, n, strictly);
	digest_read(&loose, p, n, &tolerant);
	check_pace(&loose, p, n, tolerant);
	PROMISE(loose.n_samples >= strict.n_samples);
	/* Who reads strictly may have ignored bytes behind a gzip member. */
	if (strict.status == BOB_EOF && strict.n_warnings == 0) {
		PROMISE(loose.status == BOB_EOF && loose.n_gaps == 0);
		digest_must_be_ordered_alike(&strict, &loose);
	}
	digest_done(&strict);
	digest_done(&loose);
}
