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

#ifdef __cplusplus
}
#endif
#endif
