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

/* Numbers of tracks that have none of their own, or share it with another,
 * begin here: no kernel gives such ids, and they are positive to readers with
 * signed numbers. */
#define RBT_FREE_NUMBERS ((uint64_t)1 << 62)

/* Room for a key, and for a value without its name. */
#define RBT_TRACK_KEY (sizeof(RBT_META_TRACK) + 20)
#define RBT_TRACK_VALUE 96

/*
 * Metadata about a track: 1, with its number, the track without its name, and
 * the name as it stands there (escaped; n is 0 when there is none). 0 when
 * this is other metadata, or not quite ours.
 */
int rbt_track_parse(struct bob_bytes key, struct bob_bytes value,
    uint64_t *number, struct bob_track *ret, struct bob_bytes *name);

/* Undoes a name's escapes in place: the new length. */
size_t rbt_track_unescape(char *p, size_t n);

/* The value for a track, at a buffer of RBT_TRACK_VALUE and three bytes for
 * each of the name's. Returns its length: 0 when nothing is known of it. */
size_t rbt_track_format(const struct bob_track *track, struct bob_bytes name,
    char *buf);

#endif
