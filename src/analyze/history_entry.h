/* The entries of a history: what history.c writes and history_read.c reads. */
#ifndef ANALYZE_HISTORY_ENTRY_H
#define ANALYZE_HISTORY_ENTRY_H

#include "core/varint.h"

enum history_tag {
	TAG_ROW = 1 << 0,   /* else that of the run before */
	TAG_COUNT = 1 << 1, /* else 1 */
	TAG_TAIL = 1 << 2,  /* else the run ends where the next one begins */
	TAG_BEGINS = 1 << 3 /* a request begins */
};

/* Tag, start, row, count and tail. */
#define ENTRY_MAX ((size_t)(1 + 3 * VARINT_MAX + 5))

#endif
