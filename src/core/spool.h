/*
 * Random access to an input, for formats whose tables come after their samples.
 * Memory and regular files are used in place. Anything else is read to its end
 * and kept: up to 1 MiB in memory, more in a temporary file without a name.
 *
 *     while ((r = spool_take(in, &s)) == BOB_AGAIN)
 *             ... come back later ...
 *     spool_read(s, spool_size(s) - 32, footer, 32);
 *     spool_range(s, 64, strings, &samples);
 *
 * A file is never mapped. If it shrinks meanwhile, that is an error.
 */
#ifndef CORE_SPOOL_H
#define CORE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "core/input.h"

struct spool;

/* Opens a spool over `in`, which must outlive it and of which nothing was
 * consumed. It keeps at most max_temp bytes (bob_ctx_set_limits). Returns
 * BOB_OK and sets *ret, or FAILED. */
int spool_open(struct in *in, struct spool **ret);

/* Reads until all bytes are there. Returns BOB_OK, from then on always; AGAIN
 * if the input has no more yet; FATAL. */
int spool_fill(struct spool *s);

/* Opens a spool as *s, if that is NULL, and fills it. Returns as spool_fill. */
int spool_take(struct in *in, struct spool **s);

/* The functions below need a filled spool. */
uint64_t spool_size(const struct spool *s);

/* Returns how many bytes of the input were read, as they are stored, when the
 * caller is at `at`: all, if the input had to be kept. */
uint64_t spool_bytes_in(const struct spool *s, uint64_t at);

/*
 * Opens an input over bytes [from, to), independent of other ranges and of
 * `in`. Offsets are those of the spool. Close it before the spool. Returns
 * BOB_OK and sets *ret, or FATAL: TRUNCATED if the spool is shorter.
 */
int spool_range(struct spool *s, uint64_t from, uint64_t to, struct in **ret);

/* Reads exactly n bytes from offset `at`. Returns BOB_OK, or FATAL as above. */
int spool_read(struct spool *s, uint64_t at, void *p, size_t n);

/* NULL is allowed. */
void spool_close(struct spool *s);

#endif
