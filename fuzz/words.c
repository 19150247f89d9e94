/* Hostile words, and writing them; see the header. */
#include "words.h"

#include <string.h>

/* Sizes of buffers, of structures and of what is counted in them. */
static const uint32_t sizes[] = { 16, 32, 64, 128, 192, 252, 256, 512, 1024,
	1280, 2048, 4096, 8192, 65536, 1u << 20, 1u << 24 };

static const int8_t around[] = { -8, -4, 0 };

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))
#define N_AROUND (sizeof(around) / sizeof(around[0]))

static const uint64_t alone[] = { 0, 1, 2, UINT64_MAX, UINT64_MAX - 7,
	INT64_MAX, (uint64_t)1 << 63, INT32_MAX, UINT32_MAX, 0xffff };

#define N_ALONE ((unsigned)(sizeof(alone) / sizeof(alone[0])))

static uint64_t
word_of(const struct words_image *m, size_t where, unsigned kind)
{
	uint64_t was;

	if (kind < N_ALONE)
		return alone[kind];
	kind -= N_ALONE;
	if (kind < N_SIZES * N_AROUND)
		return sizes[kind / N_AROUND] + (uint64_t)around[kind %
		    N_AROUND];
	memcpy(&was, m->bytes + where, sizeof(was));
	switch (kind - N_SIZES * N_AROUND) {
	case 0:
		return m->at + where; /* itself */
	case 1:
		return m->at;
	case 2:
		return m->at + m->n - 8;
	case 3:
		return was + 8;
	case 4:
		return was - 8;
	default:
		return 0 - was;
	}
}

int
words_is_due(uint8_t when, size_t n_reads)
{
	return (when & ~WORDS_IS_WORD) == (n_reads & ~WORDS_IS_WORD & 0xff);
}

void
words_change(const struct words_image *m, uint8_t when, size_t where,
    uint8_t what)
{
	size_t width = (size_t)8 >> (what >> 6) % 3;
	uint64_t v;

	where %= m->n;
	if ((when & WORDS_IS_WORD) == 0) {
		m->bytes[where] = what;
		return;
	}
	where -= where % 8;
	v = word_of(m, where, what & 63);
	memcpy(m->bytes + where + (width < 8 ? what >> 5 & 4 : 0), &v, width);
}
