/*
 * Moments as people write them.
 *
 *     now            -15m  -1h30m  -2d         so long ago
 *     14:02          14:02:03.5                today, in the local zone
 *     yesterday      today 9:30                the day begins at 0:00
 *     2026-11-19     2026-11-19 14:02          also with a T between
 *     2026-11-19T14:02:03Z  +01:00, -0330, UTC  RFC 3339, in that zone
 *     @1790000000.5                            seconds since 1970
 */
#ifndef BOBBIN_WHEN_H
#define BOBBIN_WHEN_H

#include <stdint.h>

#include <bobbin/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Parses a moment; now_us is the present, in microseconds since 1970. Returns 1
 * and sets *ret, in microseconds since 1970; 0 if it is none. The local zone is
 * that of mktime(3). */
BOB_API int bob_when(const char *text, uint64_t now_us, uint64_t *ret);

/*
 * Parses a range of moments: FROM..TO, where either may be left out. A TO that
 * is only a time of the day, as in 'yesterday 14:02..14:05', is one of the day
 * and zone of FROM. Returns 1 and sets [*ret_from, *ret_to), whose ends are 0
 * and UINT64_MAX if they were left out; 0 if it is no range, or TO is not after
 * FROM.
 */
BOB_API int bob_when_range(const char *text, uint64_t now_us,
    uint64_t *ret_from, uint64_t *ret_to);

#ifdef __cplusplus
}
#endif
#endif
