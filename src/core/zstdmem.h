/*
 * Decoders of libzstd whose window, the largest thing they keep, has large
 * pages where the system has them: filling two MiB for the first time costs a
 * fault per page, which is a third of the time of unpacking as much.
 */
#ifndef CORE_ZSTDMEM_H
#define CORE_ZSTDMEM_H

#include <zstd.h>

#include "core/budget.h"

/* For ZSTD_freeDCtx; NULL when memory is out. What it holds counts against the
 * budget, which must outlive it. */
ZSTD_DCtx *zstd_decoder_new(struct budget *budget);

#endif
