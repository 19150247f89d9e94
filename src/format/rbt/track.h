/*
 * Tracks that are more than a pid. .rbt has one number per sample to say who
 * was sampled, so what else is known of that number is METADATA:
 *
 *     bobbin.track.7003    pid=7000 tid=7003 interp=0 name=worker%203
 *
 * Each part is there when it is known, in this order. In the name, bytes up
 * to 0x20, 0x7f and % are %HH.
 */
#ifndef FORMAT_RBT_TRACK_H
#define FORMAT_RBT_TRACK_H

#include <bobbin/model.h>

#define RBT_META_TRACK "bobbin.track."

/* Numbers from here on are given to tracks that have no number, or share it
 * with another track. No kernel gives such ids, and they are positive for
 * readers with signed numbers. */
#define RBT_FREE_NUMBERS ((uint64_t)1 << 62)

/* Room for a key, and for a value without its name. */
#define RBT_TRACK_KEY (sizeof(RBT_META_TRACK) + 20)
#define RBT_TRACK_VALUE 96

/*
 * Returns 1 when this is metadata about a track, with its number, the track
 * without its name, and the name, still escaped (n is 0 when there is none).
 * Returns 0 when it is other metadata, or not well-formed.
 */
int rbt_track_parse(struct bob_bytes key, struct bob_bytes value,
    uint64_t *number, struct bob_track *ret, struct bob_bytes *name);

/* Undoes the escapes of a name in place. Returns the new length. */
size_t rbt_track_unescape(char *p, size_t n);

/* Writes the value for a track to a buffer of RBT_TRACK_VALUE bytes and three
 * for each byte of the name. Returns its length; 0 when nothing is known of the
 * track. */
size_t rbt_track_format(const struct bob_track *track, struct bob_bytes name,
    char *buf);

#endif
