/*
 * libzstd decoders whose window is in large pages, if the system has them. The
 * window is most of their memory. Filling two MiB for the first time costs a
 * page fault per page, a third of the time of unpacking as much.
 */
#ifndef CORE_ZSTDMEM_H
#define CORE_ZSTDMEM_H

#include <zstd.h>

#include "core/budget.h"

/* Returns a decoder, for ZSTD_freeDCtx; NULL without memory. Its memory counts
 * against the budget, which must outlive it. */
ZSTD_DCtx *zstd_decoder_new(struct budget *budget);

#endif
