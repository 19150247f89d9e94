/* Sealing a segment in a folder; see bobbin/store.h. */
#ifndef STORE_SEAL_H
#define STORE_SEAL_H

#include "core/error.h"
#include "store/index.h"
#include "store/place.h"

/* Reads the index of a segment. Returns 1 and sets *ret, which index_done
 * frees, if it is valid and names this size; else 0. */
int seal_find(struct bob_ctx *ctx, const struct place *at, uint64_t size,
    struct index *ret);

/* Makes the index of an opened segment in memory. Returns BOB_OK or FAILED. */
int seal_learn(struct bob_ctx *ctx, int fd, const char *name,
    struct index *ret);

/* bob_store_seal. */
int seal_segment(struct bob_ctx *ctx, const struct place *at, uint32_t flags);

/* Hashes a file from its beginning, and sets *ret_size to the bytes that were
 * read. Returns BOB_OK or FAILED. */
int seal_hash(struct bob_ctx *ctx, int fd, const char *name,
    uint8_t ret[BOB_SHA256_BYTES], uint64_t *ret_size);

#endif
