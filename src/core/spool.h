/*
 * Random access to an input, for formats whose tables stand behind their
 * samples. What is at hand already (memory, a regular file) is used where it
 * is; anything else is read to its end and kept, the first MiB in memory,
 * more in a temporary file without a name.
 *
 *     spool_open(in, &s);
 *     while ((r = spool_fill(s)) == BOB_AGAIN)
 *             ... come back later ...
 *     spool_read(s, spool_size(s) - 32, footer, 32);
 *     spool_range(s, 64, strings, &samples);
 *
 * A file is never mapped: one that shrinks meanwhile gives an error.
 */
#ifndef CORE_SPOOL_H
#define CORE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "core/input.h"

struct spool;

/* Over `in`, of which nothing was consumed yet and which is borrowed and must
 * outlive the spool. At most max_temp bytes of the context's limits are kept of
 * what is not at hand. BOB_OK or FAILED. */
int spool_open(struct in *in, struct spool **ret);

/* BOB_OK once all bytes are there, from then on always; AGAIN when the input
 * has no more yet; FATAL. */
int spool_fill(struct spool *s);

/* The functions below want a filled spool. */
uint64_t spool_size(const struct spool *s);

/*
 * A new input over bytes [from, to), independent of others and of `in`, whose
 * offsets are those of the spool. Must be closed before the spool. BOB_OK or
 * FATAL: TRUNCATED when the spool has less.
 */
int spool_range(struct spool *s, uint64_t from, uint64_t to, struct in **ret);

/* Exactly n bytes from offset `at`. BOB_OK or FATAL. */
int spool_read(struct spool *s, uint64_t at, void *p, size_t n);

/* NULL is allowed. */
void spool_close(struct spool *s);

#endif
