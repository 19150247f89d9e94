/* Reading everything that an input layer gives. */
#ifndef FUZZ_DRAIN_H
#define FUZZ_DRAIN_H

#include "bytes.h"
#include "core/input.h"

/* More than a window holds. A bomb need not be followed to its end. */
#define DRAIN_MAX ((size_t)300 << 10)

/*
 * Appends the content of `in`, `want` bytes at a time, to *to, up to the end or
 * a gap; s is what `in` reads from. Returns how it ended; BOB_OK if there was
 * more than DRAIN_MAX. Ends the program if the input breaks a promise:
 * positions are those of the content, and AGAIN comes only while bytes arrive.
 */
int drain(struct in *in, const struct pieces *s, size_t want,
    struct bytes *to);

#endif
