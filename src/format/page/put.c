/* Packing a trace, and base64; see page.h. */
#include "core/pack.h"
#include "format/page/page.h"

/* Bytes that are read back at once. A multiple of 3, so that only the end needs
 * filling up. */
#define PIECE ((size_t)48 << 10)

/* Calls give(user, p, n) with all bytes of a temporary file. */
static int
each_piece(struct out *from, int (*give)(void *user, const uint8_t *p,
    size_t n), void *user)
{
	uint8_t buf[PIECE];
	uint64_t at = 0, n = out_total(from);
	size_t k;
	int r = out_barrier(from, 0);

	for (; r == BOB_OK && at < n; at += k) {
		k = n - at < PIECE ? (size_t)(n - at) : PIECE;
		r = out_read_back(from, at, buf, k);
		if (r == BOB_OK)
			r = give(user, buf, k);
	}
	return r;
}

static int
pack_piece(void *user, const uint8_t *p, size_t n)
{
	return pack_stream_put(user, p, n);
}

int
page_pack(struct out *trace, struct out **ret)
{
	struct pack_stream *s;
	struct out *to;
	int r;

	if (out_open_temp(trace->ctx, &to) < 0)
		return BOB_FATAL;
	s = pack_stream_new(trace->ctx, to);
	r = s == NULL ? BOB_FATAL : each_piece(trace, pack_piece, s);
	if (r == BOB_OK)
		r = pack_stream_end(s);
	pack_stream_free(s);
	if (r < 0)
		out_discard(to);
	else
		*ret = to;
	return r;
}

static size_t
base64(char *to, const uint8_t *p, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char *at = to;
	uint32_t v;

	for (; n > 0; p += 3, at += 4) {
		v = (uint32_t)p[0] << 16;
		v |= n > 1 ? (uint32_t)p[1] << 8 : 0;
		v |= n > 2 ? p[2] : 0;
		at[0] = digit[v >> 18];
		at[1] = digit[v >> 12 & 63];
		at[2] = n > 1 ? digit[v >> 6 & 63] : '=';
		at[3] = n > 2 ? digit[v & 63] : '=';
		n -= n < 3 ? n : 3;
	}
	return (size_t)(at - to);
}

static int
put_piece(void *user, const uint8_t *p, size_t n)
{
	struct text *t = user;
	char *to = text_room(t, (n + 2) / 3 * 4);

	if (to != NULL)
		t->n += base64(to, p, n);
	return t->r;
}

int
page_put_base64(struct text *t, struct out *packed)
{
	return each_piece(packed, put_piece, t);
}
