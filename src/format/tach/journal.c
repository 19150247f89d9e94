/* Writing the definitions journal; see the header. */
#include "format/tach/journal.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/varint.h"
#include "format/tach/journal_block.h"

/* A block of many entries is written when it has this many bytes. */
#define ENOUGH ((size_t)32 << 10)

static void
put_le(uint8_t *p, uint64_t v, size_t n)
{
	for (; n > 0; n--, v >>= 8)
		*p++ = (uint8_t)v;
}

uint64_t
journal_check(const uint8_t *block, uint64_t offset)
{
	uint32_t length = (uint32_t)journal_le(block + 4, 4);
	uint64_t head = XXH3_64bits_withSeed(block, 8, offset);

	return XXH3_64bits_withSeed(block + JOURNAL_BLOCK, length, head);
}

/* Room for a block with `max` bytes in it, in front of the magic if it is the
 * first. */
static uint8_t *
block_reserve(struct out *to, size_t max)
{
	uint8_t *p;

	if (out_total(to) == 0 && out_str(to, TACH_JOURNAL_MAGIC) < 0)
		return NULL;
	p = out_reserve(to, JOURNAL_BLOCK + max);
	return p == NULL ? NULL : p + JOURNAL_BLOCK;
}

/* The bytes from block_reserve() up to `end` are a block. */
static int
block_commit(struct out *to, enum journal_kind kind, uint8_t *bytes,
    uint8_t *end)
{
	uint8_t *block = bytes - JOURNAL_BLOCK;

	put_le(block, kind, 4);
	put_le(block + 4, (uint64_t)(end - bytes), 4);
	put_le(block + 8, journal_check(block, out_total(to)), 8);
	return out_commit(to, (size_t)(end - block));
}

int
journal_head(struct out *to, const struct journal_head *head)
{
	uint8_t *p = block_reserve(to, JOURNAL_HEAD);

	if (p == NULL)
		return BOB_FATAL;
	memset(p, 0, JOURNAL_HEAD);
	p[0] = (uint8_t)head->dialect;
	p[1] = head->is_big != 0;
	p[2] = (uint8_t)head->compression;
	put_le(p + 8, head->start_us, 8);
	put_le(p + 16, head->interval_us, 8);
	return block_commit(to, JOURNAL_IS_HEAD, p, p + JOURNAL_HEAD);
}

/* How many of n strings go into the next block, and their bytes. */
static uint32_t
take_strings(const struct bob_bytes *v, uint32_t n, size_t *ret)
{
	uint32_t i;

	*ret = 0;
	for (i = 0; i < n && (i == 0 || *ret < ENOUGH); i++)
		*ret += v[i].n + TACH_STRING_MAX;
	return i;
}

int
journal_strings(struct out *to, const struct bob_bytes *v, uint32_t n)
{
	uint32_t i, k;
	size_t max;
	uint8_t *p, *end;
	int r = BOB_OK;

	for (; n > 0 && r == BOB_OK; v += k, n -= k) {
		k = take_strings(v, n, &max);
		/* The length of a block has 32 bits. A longer name cannot be
		 * written, and the frames that follow would need it. */
		if (max > UINT32_MAX)
			return err_set(to->ctx, BOB_FATAL, BOB_E_LIMIT,
			    BOB_NO_OFFSET, "tach: a name of %zu bytes is too "
			    "long for the journal", v[0].n);
		p = end = block_reserve(to, max);
		if (p == NULL)
			return BOB_FATAL;
		for (i = 0; i < k; i++)
			end = tach_put_string(end, v[i]);
		r = block_commit(to, JOURNAL_IS_STRINGS, p, end);
	}
	return r;
}

int
journal_frames(struct out *to, const struct tach_frame *v, uint32_t n,
    int n_fields)
{
	uint32_t i, k;
	uint8_t *p, *end;
	int r = BOB_OK;

	for (; n > 0 && r == BOB_OK; v += k, n -= k) {
		k = n < ENOUGH / TACH_FRAME_MAX ? n : ENOUGH / TACH_FRAME_MAX;
		p = end = block_reserve(to, (size_t)k * TACH_FRAME_MAX);
		if (p == NULL)
			return BOB_FATAL;
		for (i = 0; i < k; i++)
			end = tach_put_frame(end, &v[i], n_fields);
		r = block_commit(to, JOURNAL_IS_FRAMES, p, end);
	}
	return r;
}

int
journal_meta(struct out *to, struct bob_bytes key, struct bob_bytes value)
{
	uint8_t *p, *end;

	p = block_reserve(to, TACH_STRING_MAX + key.n + value.n);
	if (p == NULL)
		return BOB_FATAL;
	end = tach_put_string(p, key);
	memcpy(end, value.p, value.n);
	return block_commit(to, JOURNAL_IS_META, p, end + value.n);
}

static int
put_mark(struct out *to, enum journal_kind kind,
    const struct journal_mark *mark)
{
	uint8_t *p = block_reserve(to, JOURNAL_MARK);

	if (p == NULL)
		return BOB_FATAL;
	put_le(p, mark->bytes, 8);
	put_le(p + 8, mark->samples, 8);
	return block_commit(to, kind, p, p + JOURNAL_MARK);
}

int
journal_barrier(struct out *to, const struct journal_mark *mark)
{
	return put_mark(to, JOURNAL_IS_BARRIER, mark);
}

int
journal_end(struct out *to, const struct journal_mark *mark)
{
	return put_mark(to, JOURNAL_IS_END, mark);
}
