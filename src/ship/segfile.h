/* A segment as a file that is passed on whole: its bytes and its name. */
#ifndef SHIP_SEGFILE_H
#define SHIP_SEGFILE_H

#include "core/error.h"
#include "core/sha256.h"

/* Room for a safe name, with its NUL. */
#define SEGFILE_NAME 256

/* Reads a file from its beginning, copies it to `to` (-1: nowhere), and sets
 * ret to its hash. Returns 0; -1 with errno, EINTR when *stop is set. */
int segfile_copy(int from, int to, const volatile int *stop,
    uint8_t ret[SHA256_BYTES]);

/* True if a hash is that of the segment with this number. */
int segfile_is(const uint8_t hash[SHA256_BYTES], uint64_t seg);

/* Records that a segment is not what was sealed. Returns FAILED. */
int segfile_changed(struct bob_ctx *ctx, const char *name);

/* Makes a name that comes from a trace safe as the name of a file. */
void segfile_name(char to[SEGFILE_NAME], const char *name);

#endif
