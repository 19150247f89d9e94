/*
 * The order of samples: `lanes` lists the tracks of a selection, `order` gives
 * the flame charts of some of them (chart.h). Neither knows the selection's
 * range of time.
 *
 *   lanes   first      the heaviest ones from this one on
 *   order   track      ids of tracks, at most ORDER_LANES
 *           begin, end microseconds on the trace's clock; all, if not given
 *           px         pixels that this span has
 */
#ifndef CLI_VIEW_ORDER_H
#define CLI_VIEW_ORDER_H

#include "answers.h"

/* Tracks in one answer. */
#define LANES_MOST 1000
#define ORDER_LANES 64

/* Boxes in one answer, likewise bands, and marks; and stacks. */
#define ORDER_PARTS 24000
#define ORDER_NODES 60000

/* Bytes of an annotation that are given. */
#define ORDER_TEXT 256

/* Fields: end_us, n_lanes, lanes. */
answer_fn answer_lanes;

/*
 * Fields: begin, end; lanes, each with track, samples, grain_us, and flat lists
 * of numbers, in which times count from `begin`:
 *
 *   boxes   depth, node, start, width, samples, n
 *   bands   start, width, then samples for each state
 *   marks   start, width, samples, annotation, n
 *
 * nodes (from 1: parent and key of each), keys (by number), annotations (from
 * 1: lists of keys and values by turns, first the one that a mark is called
 * by), states (names).
 */
answer_fn answer_order;

/* Writes the field `states`: their names. */
void order_put_states(struct json *j);

#endif
