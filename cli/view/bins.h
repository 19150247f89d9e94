/*
 * The time line by what is on top: for some tracks, the samples of each bin of
 * time, their states, and which key most of them have as innermost frame. It
 * does not know the selection's range of time.
 *
 *   bins   track  ids of tracks, at most BINS_TRACKS
 *          n      of bins of equal width, over the whole trace
 *          rows   track (default), runtime or route: what has a row of its own
 *
 * A stretch of equal samples that lasts for several bins is spread evenly over
 * them. Sums are exact.
 */
#ifndef CLI_VIEW_BINS_H
#define CLI_VIEW_BINS_H

#include "answers.h"

#define BINS_TRACKS 64
#define BINS_MOST 1024

/* Rows of routes in one answer; the others share a row without a name. */
#define BINS_ROUTES 40

/*
 * Fields: bin_us, states, rows, keys. A row has `track`, `name` (of a runtime
 * or route) and `bins`, a flat list of those that have samples:
 *
 *   bin, key, lead, then samples for each state
 *
 * key: that of the innermost frame of most samples that are not idle; lead: by
 * how many it leads, if it has more than half of them (chart_vote.h). So votes
 * of several answers can be added.
 */
answer_fn answer_bins;

#endif
