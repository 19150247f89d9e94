/* Python's marshal format; see the header. */
#include "format/pstats/marshal.h"

/* The n low bytes of v, lowest first. */
static void
put_bytes(struct text *t, uint64_t v, unsigned n)
{
	unsigned i;

	for (i = 0; i < n; i++)
		text_byte(t, (char)(v >> 8 * i & 0xff));
}

void
marshal_dict(struct text *t)
{
	text_byte(t, '{');
}

void
marshal_dict_end(struct text *t)
{
	text_byte(t, '0');
}

void
marshal_tuple(struct text *t, uint32_t n)
{
	text_byte(t, '(');
	put_bytes(t, n, 4);
}

/* An int of any size is digits of 15 bits with their number and sign. */
static void
put_long(struct text *t, int64_t v)
{
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v, rest;
	int32_t n = 0;

	for (rest = u; rest > 0; rest >>= 15)
		n++;
	text_byte(t, 'l');
	put_bytes(t, (uint32_t)(v < 0 ? -n : n), 4);
	for (; u > 0; u >>= 15)
		put_bytes(t, u & 0x7fff, 2);
}

void
marshal_int(struct text *t, int64_t v)
{
	if (v < INT32_MIN || v > INT32_MAX) {
		put_long(t, v);
		return;
	}
	text_byte(t, 'i');
	put_bytes(t, (uint32_t)v, 4);
}

void
marshal_double(struct text *t, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	text_byte(t, 'g');
	put_bytes(t, bits, 8);
}

void
marshal_true(struct text *t)
{
	text_byte(t, 'T');
}

void
marshal_str(struct text *t, struct bob_bytes s)
{
	text_byte(t, 'u');
	put_bytes(t, (uint32_t)s.n, 4);
	text_bytes(t, s.p, s.n);
}
