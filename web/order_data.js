/*
 * An answer to the question `order` (cli/view/order.h) as what is drawn: rows
 * of boxes by depth, merged boxes as columns, states and annotations. Times are
 * microseconds on the trace's clock.
 */

/** @typedef {import('./types.js').Key} Key */
/** @typedef {import('./types.js').OrderAnswer} OrderAnswer */

/**
 * @typedef {object} Box
 * @property {number} start
 * @property {number} end
 * @property {number} samples
 * @property {number} depth  from 1
 * @property {Key|undefined} key  of a merged box: the most frequent one
 * @property {Key[]} above  keys of the frames above it, of a merged box
 * @property {number} n  how many narrow boxes it stands for; 0: it is wide
 */

/** @typedef {{start: number, end: number, samples: number[]}} Band */

/**
 * @typedef {object} Mark
 * @property {number} start
 * @property {number} end
 * @property {number} samples
 * @property {string[]} pairs  keys and values by turns
 * @property {number} n  how many are merged; 0: none
 */

/**
 * @typedef {object} Chart
 * @property {number} track
 * @property {number} samples
 * @property {number} grain
 * @property {Box[][]} rows  wide boxes by depth, each row by time
 * @property {Box[]} merged  by time
 * @property {Band[]} bands
 * @property {Mark[]} marks
 */

/** @typedef {{begin: number, end: number, charts: Map<number, Chart>}} Charts */

const BOX = 6, MARK = 5;

/** @param {{start: number}} a @param {{start: number}} b */
const byStart = (a, b) => a.start - b.start;

/** The frames of a node, the outermost one first.
 * @param {OrderAnswer} a @param {number} node */
function framesOf(a, node) {
  const keys = [];
  for (let at = node; at > 0; at = a.nodes[2 * at - 2])
    keys.push(a.keys[a.nodes[2 * at - 1]]);
  return keys.reverse();
}

/** @param {OrderAnswer} a @param {OrderAnswer['lanes'][0]} lane
 * @param {Map<number, Key[]>} known frames of nodes */
function chartOf(a, lane, known) {
  /** @type {Chart} */
  const chart = { track: lane.track, samples: lane.samples,
    grain: lane.grain_us, rows: [], merged: [], bands: [], marks: [] };
  for (let i = 0; i < lane.boxes.length; i += BOX) {
    const [depth, node, start, width, samples, n] =
      lane.boxes.slice(i, i + BOX);
    let frames = known.get(node);
    if (!frames)
      known.set(node, frames = framesOf(a, node));
    const box = { start: a.begin + start, end: a.begin + start + width,
      samples, depth, n, key: frames[depth - 1],
      above: n > 0 ? frames.slice(depth) : [] };
    (n > 0 ? chart.merged : chart.rows[depth] ??= []).push(box);
  }
  for (const row of chart.rows)
    row?.sort(byStart);
  chart.merged.sort(byStart);
  const step = 2 + a.states.length;
  for (let i = 0; i < lane.bands.length; i += step)
    chart.bands.push({ start: a.begin + lane.bands[i],
      end: a.begin + lane.bands[i] + lane.bands[i + 1],
      samples: lane.bands.slice(i + 2, i + step) });
  for (let i = 0; i < lane.marks.length; i += MARK) {
    const [start, width, samples, annotation, n] =
      lane.marks.slice(i, i + MARK);
    chart.marks.push({ start: a.begin + start, samples, n,
      end: a.begin + start + width, pairs: a.annotations[annotation - 1] });
  }
  chart.marks.sort(byStart);
  return chart;
}

/** @param {OrderAnswer} a @returns {Charts} */
export function chartsOf(a) {
  /** @type {Map<number, Key[]>} */
  const known = new Map();
  return { begin: a.begin, end: a.end, charts: new Map(a.lanes.map(lane =>
    [lane.track, chartOf(a, lane, known)])) };
}

/**
 * The first of the parts, which are in the order of time, that ends after
 * `time`. Parts that overlap are rare: only where clocks run backwards.
 * @template {{end: number}} T
 * @param {T[]} parts @param {number} time
 */
export function firstAfter(parts, time) {
  let low = 0, high = parts.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (parts[mid].end > time)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

/**
 * The part at a time, if there is one; `slack` is how far beside it may be.
 * @template {{start: number, end: number}} T
 * @param {T[]|undefined} parts @param {number} time @param {number} slack
 * @returns {T|undefined}
 */
export function partAt(parts, time, slack) {
  const part = parts?.[firstAfter(parts, time - slack)];
  return part && part.start <= time + slack ? part : undefined;
}

/** What is at a depth at a time: a wide box, or the merged one that stands for
 * all above it.
 * @param {Chart} chart @param {number} depth @param {number} time
 * @param {number} slack */
export function boxAt(chart, depth, time, slack) {
  const wide = partAt(chart.rows[depth], time, 0);
  if (wide)
    return wide;
  const merged = partAt(chart.merged, time, slack);
  return merged && merged.depth <= depth &&
    depth <= merged.depth + merged.above.length ? merged : undefined;
}
