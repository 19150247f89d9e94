/*
 * The pairs of a REPEAT record: a varint delta and a status byte each. They
 * are nearly all of a profile, and nearly all alike: deltas of one or of two
 * bytes. Where p is the start of a pair, and the bytes at every second place
 * from it are below 0x80, each two bytes are one pair, whatever their status
 * bytes hold; with a byte above 0x7f and one below, each three. So a block is
 * verified at once and is never guessed.
 *
 * The three functions do the same; pairs_plain shows what that is.
 */
#ifndef FORMAT_TACH_PAIRS_H
#define FORMAT_TACH_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#define PAIRS_ANY_STATUS (-1)

/*
 * Takes at most n pairs from *p that are whole before `end`, and moves *p
 * behind them. Stops before a pair with another status than `status`, before
 * one whose delta is malformed, and, unless dt is NULL, before a delta that
 * does not fit into 32 bits. Stores deltas in dt unless that is NULL. Returns
 * how many pairs were taken.
 */
size_t pairs_take(const uint8_t **p, const uint8_t *end, size_t n, int status,
    uint32_t *dt);

/* By 64-bit words, for machines of any kind. */
size_t pairs_words(const uint8_t **p, const uint8_t *end, size_t n, int status,
    uint32_t *dt);

/* One by one. */
size_t pairs_plain(const uint8_t **p, const uint8_t *end, size_t n, int status,
    uint32_t *dt);

#endif
