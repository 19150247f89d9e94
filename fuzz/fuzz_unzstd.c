/*
 * The zstd layer, in two ways. First, any bytes: content, gaps and end do not
 * depend on how they arrive and how much is asked for at once. Second, the
 * input as a recipe for frames: the content comes out again, even if frames are
 * cut or have junk between them.
 */
#include "fuzz.h"
#include "bytes.h"
#include "digest.h"
#include "drain.h"

#include <stdlib.h>
#include <string.h>

#include "core/input.h"
#include "core/zpack.h"

/* What one step of a recipe makes. */
#define MAX_STEP ((size_t)32 * 255)

/* What came out, and how it ended. */
struct outcome {
	struct bytes content;
	struct bytes gaps; /* uint64_t: content before it, place, length */
	int status, code;
	uint64_t offset;
};

static void
outcome_done(struct outcome *o)
{
	free(o->content.p);
	free(o->gaps.p);
}

static struct outcome
unpack(const uint8_t *p, size_t n, size_t step, size_t want, int tolerant)
{
	struct pieces s = { .p = p, .n = n, .step = step };
	struct bob_ctx *ctx = bob_ctx_new();
	struct outcome o = { .code = BOB_E_NONE };
	uint64_t gap[3], end = 0;
	const char *why;
	struct in *in;

	if (in_open_fn(ctx, pieces_read, &s, "fuzz", &in) < 0 ||
	    in_open_zstd(in, tolerant, &in) < 0)
		exit(1);
	do {
		o.status = drain(in, &s, want, &o.content);
		PROMISE(o.status != BOB_FATAL || !tolerant);
		if (!tolerant || o.status != BOB_EOF)
			break;
		gap[0] = o.content.n;
		gap[1] = in_gap(in, &gap[2], &why);
		if (gap[1] == BOB_NO_OFFSET)
			break;
		/* Gaps are in the file, one behind the other. */
		PROMISE(gap[1] >= end && gap[1] <= n && gap[2] <= n - gap[1]);
		end = gap[1] + gap[2];
		bytes_append(&o.gaps, gap, sizeof(gap));
	} while (in_cross(in));
	if (o.status == BOB_FATAL) {
		o.code = bob_ctx_error(ctx)->code;
		o.offset = bob_ctx_error(ctx)->offset;
		PROMISE(o.offset <= n);
	}
	in_close(in);
	bob_ctx_free(ctx);
	return o;
}

static void
must_be_alike(const struct bytes *a, const struct bytes *b)
{
	PROMISE(a->n == b->n);
	PROMISE(a->n == 0 || memcmp(a->p, b->p, a->n) == 0);
}

/* --- any bytes ----------------------------------------------------------- */

static void
check_any(const uint8_t *p, size_t n, int tolerant)
{
	struct outcome a = unpack(p, n, SIZE_MAX, 4096, tolerant);
	struct outcome b = unpack(p, n, 1, 1, tolerant);
	struct outcome c = unpack(p, n, 13, 700, tolerant);

	PROMISE(a.status == b.status && a.status == c.status);
	PROMISE(a.code == b.code && a.code == c.code);
	PROMISE(a.offset == b.offset && a.offset == c.offset);
	/* When there is more than enough, it ends anywhere. */
	if (a.status != BOB_OK) {
		must_be_alike(&a.content, &b.content);
		must_be_alike(&a.content, &c.content);
		must_be_alike(&a.gaps, &b.gaps);
		must_be_alike(&a.gaps, &c.gaps);
	}
	outcome_done(&a);
	outcome_done(&b);
	outcome_done(&c);
}

/* --- frames -------------------------------------------------------------- */

static const char junk[] = "between frames";

#define N_JUNK (sizeof(junk) - 1)

/* Frames as they are, and with junk behind each of them. */
struct frames {
	struct bytes content, stored, soiled;
	size_t begin; /* of the last frame, stored */
	size_t content_before; /* it */
	size_t n;
};

static void
end_frame(struct frames *f, struct zpack *z, struct out *o)
{
	const uint8_t *p;
	size_t n;

	if (zpack_end(z, o) < 0)
		exit(1);
	p = out_memory_take(o, &n);
	f->begin = f->stored.n;
	bytes_append(&f->stored, p, n);
	bytes_append(&f->soiled, p, n);
	bytes_append(&f->soiled, junk, N_JUNK);
	f->n++;
}

/* Each step takes a control byte, a length byte and content. */
static void
cook(struct frames *f, const uint8_t *p, size_t n)
{
	struct bob_ctx *ctx = bob_ctx_new();
	struct zpack *z = zpack_new(ctx, 1);
	struct out *o;

	if (z == NULL || out_open_memory(ctx, &o) < 0)
		exit(1);
	while (n >= 2 && f->content.n + MAX_STEP < DRAIN_MAX) {
		size_t len = p[1] < n - 2 ? p[1] : n - 2, i;

		for (i = 0; i <= p[0] >> 3; i++) {
			if (zpack_write(z, o, p + 2, len) < 0)
				exit(1);
			bytes_append(&f->content, p + 2, len);
		}
		if ((p[0] & 1) != 0 && zpack_flush(z, o) < 0)
			exit(1);
		if ((p[0] & 2) != 0) {
			end_frame(f, z, o);
			f->content_before = f->content.n;
		}
		p += len + 2;
		n -= len + 2;
	}
	end_frame(f, z, o);
	out_discard(o);
	zpack_free(z);
	bob_ctx_free(ctx);
}

static void
check_frames(const uint8_t *p, size_t n)
{
	struct frames f = { .n = 0 };
	struct outcome o;
	size_t cut;

	cook(&f, p, n);
	o = unpack(f.stored.p, f.stored.n, 100, 50, 0);
	PROMISE(o.status == BOB_EOF);
	must_be_alike(&o.content, &f.content);
	outcome_done(&o);
	o = unpack(f.soiled.p, f.soiled.n, SIZE_MAX, 4096, 1);
	PROMISE(o.status == BOB_EOF);
	must_be_alike(&o.content, &f.content);
	PROMISE(o.gaps.n == f.n * 3 * sizeof(uint64_t));
	outcome_done(&o);
	/* Cut inside the last frame. */
	cut = f.stored.n - 1 - n % (f.stored.n - f.begin - 1);
	o = unpack(f.stored.p, cut, 7, 50, 0);
	PROMISE(o.status == BOB_FATAL && o.code == BOB_E_TRUNCATED);
	PROMISE(o.offset == cut && o.content.n <= f.content.n);
	PROMISE(o.content.n >= f.content_before || f.n == 1);
	PROMISE(o.content.n == 0 ||
	    memcmp(o.content.p, f.content.p, o.content.n) == 0);
	outcome_done(&o);
	free(f.content.p);
	free(f.stored.p);
	free(f.soiled.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	check_any(p, n, 0);
	check_any(p, n, 1);
	check_frames(p, n);
	return 0;
}
