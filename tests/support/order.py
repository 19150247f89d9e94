"""The order of time, slowly: what --order time makes of the runs of a dump.

The samples of a track keep their order; of different tracks the earlier sample
goes first, and at the same time the track that began earlier, or came first.
"""
from support import listing

HALF = 1 << 63


def track_of(fields):
    return tuple(fields[listing.PID:listing.INTERP + 1])


def by_time(runs):
    """The runs of a dump in the order of their times, segment by segment."""
    out, segment = [], []
    for run in runs:
        if segment and run[1][listing.SEGMENT] != \
                segment[0][1][listing.SEGMENT]:
            out += segment_by_time(segment)
            segment = []
        segment.append(run)
    return out + segment_by_time(segment)


def segment_by_time(runs):
    at = 0
    while at < len(runs) and runs[at][1][listing.TIME] == '-':
        at += 1
    if at == len(runs):
        return runs
    origin = int(runs[at][1][listing.TIME])
    latest, first, places = {}, {}, []
    for i, (_, fields) in enumerate(runs[at:]):
        track = track_of(fields)
        latest.setdefault(track, -HALF)
        if fields[listing.TIME] != '-':
            # A clock may wrap: times are distances from one of them.
            time = int(fields[listing.TIME]) - origin
            latest[track] = max(latest[track],
                                (time + HALF) % (2 * HALF) - HALF)
        first.setdefault(track, (latest[track], i))
        places.append((latest[track], first[track], i))
    return runs[:at] + [runs[at + i] for _, _, i in sorted(places)]
