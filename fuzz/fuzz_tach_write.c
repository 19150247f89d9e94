/*
 * Writing TACH. Samples of any TACH or .rbt input can be written and read again
 * without loss. A second writing with other options changes nothing.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "digest.h"

/* Of a .rbt: enough for a REPEAT record that is full many times. */
#define MAX_SAMPLES (1 << 17)

static int
patch(void *user, uint64_t at, const void *p, size_t n)
{
	struct bytes *f = user;

	PROMISE(at <= f->n && n <= f->n - at);
	memcpy(f->p + at, p, n);
	return 0;
}

/* Reads bytes of a format and writes what they hold as TACH. */
static void
rewrite(const char *from, const uint8_t *p, size_t n,
    const struct bob_option *options, size_t n_options, struct digest *ret,
    struct bytes *file)
{
	struct bob_target to = { .write = bytes_write, .patch = patch,
		.user = file };
	struct bob_write_opts o = { .size = sizeof(o), .format = "tach",
		.options = options, .n_options = n_options };
	struct digest_how how = { .format = from };
	struct bob_ctx *ctx = bob_ctx_new();

	if (ctx == NULL)
		exit(1);
	how.dict = o.dict = bob_dict_new(ctx);
	if (how.dict == NULL)
		exit(1);
	PROMISE(bob_create(ctx, &to, &o, &how.copy_to) == BOB_OK);
	digest_read(ret, p, n, &how);
	PROMISE(bob_finish(how.copy_to) == BOB_OK);
	bob_dict_free(how.dict);
	bob_ctx_free(ctx);
}

static void
write_twice(const char *from, const uint8_t *p, size_t n)
{
	static const struct bob_option first[] = { { "compression", "none" },
		{ "deep", NULL } };
	/* Packing, and looking for fewer bytes, take most of the time. */
	static const struct bob_option second[] = { { "deep", NULL },
		{ "byte-order", "big" }, { "compression", "none" },
		{ "small", NULL } };
	size_t n_second = n % 16 == 0 ? 2 : n % 16 == 1 ? 4 : 3;
	static const struct digest_how how = { .format = "tach" };
	struct bytes once = { 0 }, again = { 0 };
	struct digest a, b, c;

	rewrite(from, p, n, first, 2, &a, &once);
	rewrite("tach", once.p, once.n, second, n_second, &b, &again);
	digest_read(&c, again.p, again.n, &how);
	PROMISE(b.status == BOB_EOF && c.status == BOB_EOF);
	PROMISE(a.n_samples == b.n_samples);
	digest_must_weigh_alike(&b, &c);
	digest_done(&a);
	digest_done(&b);
	digest_done(&c);
	free(once.p);
	free(again.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	/* A few bytes of .rbt may stand for more samples than memory has
	 * bytes, and TACH has bytes for each. */
	struct digest_how how = { .want = BOB_WANT_NONE };
	struct digest sums;

	write_twice("tach", p, n);
	digest_read(&sums, p, n, &how);
	if (sums.n_samples > 0 && sums.n_samples <= MAX_SAMPLES)
		write_twice("rbt", p, n);
	digest_done(&sums);
	return 0;
}
