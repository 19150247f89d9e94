/* What writing and reading the journal share; see journal.h. */
#ifndef FORMAT_TACH_JOURNAL_BLOCK_H
#define FORMAT_TACH_JOURNAL_BLOCK_H

#include <stddef.h>
#include <stdint.h>

enum journal_kind {
	JOURNAL_IS_HEAD = 1,
	JOURNAL_IS_STRINGS,
	JOURNAL_IS_FRAMES,
	JOURNAL_IS_META,
	JOURNAL_IS_BARRIER,
	JOURNAL_IS_END
};

/* Bytes: in front of a block's own, and of those that have a fixed length. */
#define JOURNAL_BLOCK 16
#define JOURNAL_HEAD 24
#define JOURNAL_MARK 16

/* The check of a whole block at this offset of the file. */
uint64_t journal_check(const uint8_t *block, uint64_t offset);

static inline uint64_t
journal_le(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n > 0)
		v = v << 8 | p[--n];
	return v;
}

#endif
