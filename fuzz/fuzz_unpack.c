/*
 * The gzip layer, in two ways. First, any bytes: the content does not depend on
 * how they arrive and how much is asked for at once. Second, the input as a
 * recipe for a mix of raw and packed segments: the content comes out again.
 */
#include "fuzz.h"
#include "bytes.h"
#include "digest.h"
#include "drain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "core/input.h"
#include "format/format.h"

static struct in *
open_unpack(struct bob_ctx *ctx, struct pieces *s, int tolerant)
{
	struct in *in;

	if (in_open_fn(ctx, pieces_read, s, "fuzz", &in) < 0 ||
	    in_open_unpack(in, format_begins_segment, tolerant, &in) < 0)
		exit(1);
	return in;
}

/* --- any bytes ----------------------------------------------------------- */

static void
check_any(const uint8_t *p, size_t n, int tolerant)
{
	static const size_t step[] = { SIZE_MAX, 1, 13 };
	static const size_t want[] = { 4096, 1, 700 };
	struct bytes got[3] = { { 0 } };
	int r[3], is_cut[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		struct pieces s = { .p = p, .n = n, .step = step[i] };
		struct bob_ctx *ctx = bob_ctx_new();
		struct in *in = open_unpack(ctx, &s, tolerant);

		r[i] = drain(in, &s, want[i], &got[i]);
		is_cut[i] = in_unpack_is_cut(in);
		PROMISE((r[i] < 0) == (bob_ctx_error(ctx)->status < 0) ||
		    r[i] == BOB_OK);
		in_close(in);
		bob_ctx_free(ctx);
	}
	for (i = 1; i < 3; i++) {
		PROMISE(r[i] == r[0]);
		PROMISE(is_cut[i] == is_cut[0] || r[0] == BOB_OK);
		PROMISE(got[i].n == got[0].n);
		PROMISE(got[0].n == 0 ||
		    memcmp(got[i].p, got[0].p, got[0].n) == 0);
	}
	for (i = 0; i < 3; i++)
		free(got[i].p);
}

/* --- a mix --------------------------------------------------------------- */

#define MAX_PARTS 64

struct part {
	int is_packed;
	size_t begin, end; /* in the content */
};

struct mix {
	struct bytes content, stored;
	struct part part[MAX_PARTS];
	size_t n_parts;
};

static void
pack(struct bytes *b, const uint8_t *p, size_t n)
{
	z_stream z = { 0 };
	uint8_t out[1024];
	int r;

	if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8,
	    Z_DEFAULT_STRATEGY) != Z_OK)
		exit(1);
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	do {
		z.next_out = out;
		z.avail_out = sizeof(out);
		r = deflate(&z, Z_FINISH);
		bytes_append(b, out, sizeof(out) - z.avail_out);
	} while (r == Z_OK);
	(void)deflateEnd(&z);
}

/* Each part takes a control byte, a length byte and content. */
static void
cook(struct mix *m, const uint8_t *p, size_t n)
{
	while (n >= 2 && m->n_parts < MAX_PARTS) {
		struct part *part = &m->part[m->n_parts++];
		size_t len = p[1] < n - 2 ? p[1] : n - 2;

		part->is_packed = p[0] & 1;
		part->begin = m->content.n;
		bytes_append(&m->content, "RELI", 4);
		bytes_append(&m->content, p + 2, len);
		part->end = m->content.n;
		if (part->is_packed)
			pack(&m->stored, m->content.p + part->begin, len + 4);
		else
			bytes_append(&m->stored, m->content.p + part->begin,
			    len + 4);
		p += len + 2;
		n -= len + 2;
	}
}

static void
check_part(const struct mix *m, const struct part *part, struct in *in,
    size_t want)
{
	size_t at = part->begin, n;
	const uint8_t *p;
	int r;

	while (at < part->end) {
		size_t ask = want < part->end - at ? want : part->end - at;

		do {
			r = in_peek(in, ask, &p, &n);
		} while (r == BOB_AGAIN);
		PROMISE(r == BOB_OK);
		PROMISE(memcmp(p, m->content.p + at, ask) == 0);
		in_consume(in, ask);
		at += ask;
	}
}

static void
check_mix(const uint8_t *p, size_t n)
{
	static const size_t step[] = { SIZE_MAX, 1, 100 };
	struct mix m = { 0 };
	size_t i, k, n_left;
	int r;

	cook(&m, p, n);
	for (i = 0; i < 3; i++) {
		struct pieces s = { .p = m.stored.p, .n = m.stored.n,
			.step = step[i] };
		struct bob_ctx *ctx = bob_ctx_new();
		struct in *in = open_unpack(ctx, &s, 0);

		for (k = 0; k < m.n_parts; k++) {
			/* Behind raw bytes, members must be asked for. */
			if (k > 0 && m.part[k].is_packed &&
			    !m.part[k - 1].is_packed)
				while ((r = in_unpack_here(in)) != 1)
					PROMISE(r == BOB_AGAIN && s.n > 0);
			check_part(&m, &m.part[k], in, i * 50 + 1);
		}
		while (in_peek(in, 1, &p, &n_left) == BOB_AGAIN)
			;
		PROMISE(n_left == 0);
		in_close(in);
		bob_ctx_free(ctx);
	}
	free(m.content.p);
	free(m.stored.p);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	check_any(p, n, 0);
	check_any(p, n, 1);
	check_mix(p, n);
	return 0;
}
