/*
 * Times and sizes as text.
 *
 * Parsing: all options of the command and of the formats use this grammar: a
 * number with an optional fraction and an optional unit, such as 1.5s or 64MiB.
 *
 *     times   ns us ms s m h d; without a unit: seconds
 *     sizes   k M G T (also kB MB GB TB): powers of 1000
 *             Ki Mi Gi Ti (also KiB MiB GiB TiB): powers of 1024
 *             B, or without a unit: bytes
 *
 * Units of time are case-sensitive, units of size are not. The text may be
 * hostile: no text overflows or takes long.
 */
#ifndef BOBBIN_UNITS_H
#define BOBBIN_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include <bobbin/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parses all n bytes at p as a time. Returns 1 and sets *ret_ns to nanoseconds,
 * rounded down; 0 if they are no time, or it does not fit into 64 bits. */
BOB_API int bob_parse_time(const char *p, size_t n, uint64_t *ret_ns);

/* Parses all n bytes at p as a size. Returns 1 and sets *ret to bytes, rounded
 * down; 0 if they are no size, or it does not fit into 64 bits. */
BOB_API int bob_parse_size(const char *p, size_t n, uint64_t *ret);

/* Writes 1234567 as "1,234,567" to the n bytes at buf, and returns it. 27 bytes
 * are enough. */
BOB_API const char *bob_count_text(char *buf, size_t n, uint64_t count);

/* Writes microseconds as people read them ("12 us", "3.14 s", "2 h 03 m") to
 * the n bytes at buf, and returns it. 40 bytes are enough. */
BOB_API const char *bob_time_text(char *buf, size_t n, uint64_t us);

#ifdef __cplusplus
}
#endif
#endif
