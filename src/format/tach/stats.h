/*
 * The optional block of statistics before the footer, and the configuration
 * word of the header.
 */
#ifndef FORMAT_TACH_STATS_H
#define FORMAT_TACH_STATS_H

#include <stdint.h>

#define TACH_STATS_SHORT 32
#define TACH_STATS_LONG 56
#define TACH_STATS_TAIL 16 /* signature, version and size, at its end */

enum tach_stats_flags {
	TACH_STATS_HAS_FAILED = 1 << 0,
	TACH_STATS_HAS_MISSED = 1 << 1
};

struct tach_stats {
	double duration_s, rate, failed, missed;
	uint32_t flags; /* enum tach_stats_flags */
};

/* The bytes of the block that ends with these TACH_STATS_TAIL bytes, and its
 * version; 0: there is none. */
uint32_t tach_stats_size(const uint8_t *tail, int is_swapped,
    uint32_t *version);

/* Reads a block of n >= TACH_STATS_SHORT bytes; 1, or 0 when it says what
 * cannot be. */
int tach_stats_get(const uint8_t *p, uint32_t n, int is_swapped,
    struct tach_stats *ret);

/* The configuration word: mode + 1 in three bits, then these. */
#define TACH_FEATURES_KNOWN 8u
#define TACH_FEATURES_SHIFT 4

/* The mode in it; NULL: not known. */
const char *tach_mode_name(uint32_t word);

/* And the features that were captured, with commas between them; buf holds
 * TACH_FEATURES_MAX bytes. 0: they are not known. */
#define TACH_FEATURES_MAX 48
int tach_put_features(char *buf, uint32_t word);

#endif
