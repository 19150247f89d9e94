/*
 * Samples over time by what is on top, for rows of threads, processes, runtimes
 * or routes. The engine is asked for some threads at a time, so that it can
 * answer other questions in between; what is known is added up here.
 */
import { colorOf, color, moduleOf } from './canvas.js';
import { ask } from './source.js';
import { nameOfTrack } from './tracks.js';

/** @typedef {import('./types.js').Key} Key */
/** @typedef {import('./types.js').Lane} Lane */
/** @typedef {import('./types.js').BinsAnswer} BinsAnswer */

/** What has a row of its own, and what that is called. */
export const GROUPINGS = /** @type {const} */ ([['', 'by thread'],
  ['process', 'by process'], ['runtime', 'by runtime'], ['route', 'by route']]);

/** Bins, threads that are asked for at all, and together; samples after which a
 * question has enough. */
const BINS = 512, MOST = 256, TOGETHER = 64, ENOUGH = 500000;
const FIRST_STATE = 3;
/* Numbers of states that are drawn on their own, as in enum chart_state. */
const IDLE = 0, OWN = [[1, '--gc'], [2, '--waits'], [IDLE, '--idle']];

/** @typedef {{states: number[], key: number, lead: number}} Cell */

/**
 * @typedef {object} Row
 * @property {string} label
 * @property {number|null} pid  of a thread or process
 * @property {number|null} tid
 * @property {number} samples
 * @property {(Cell|undefined)[]} cells  by bin
 */

/** @typedef {{rows: Map<string, Row>, keys: Record<string, Key>,
 *   isWhole: boolean}} Known  isWhole: all threads are in it */

/** Adds a vote to one: the lead of a majority, if there is any.
 * @param {Cell} cell @param {number} key @param {number} lead */
function vote(cell, key, lead) {
  if (cell.key === key)
    cell.lead += lead;
  else if (cell.key !== 0 && cell.lead >= lead)
    cell.lead -= lead;
  else {
    cell.key = key;
    cell.lead = lead - cell.lead;
  }
}

/** @param {Row} row @param {number[]} bins @param {number} nStates */
function addBins(row, bins, nStates) {
  for (let i = 0; i < bins.length; i += FIRST_STATE + nStates) {
    const cell = row.cells[bins[i]] ??=
      { states: new Array(nStates).fill(0), key: 0, lead: 0 };
    vote(cell, bins[i + 1], bins[i + 2]);
    for (let k = 0; k < nStates; k++) {
      cell.states[k] += bins[i + FIRST_STATE + k];
      row.samples += bins[i + FIRST_STATE + k];
    }
  }
}

/** @param {string} grouping @param {Lane|undefined} lane
 * @param {string} name @returns {Omit<Row, 'samples'|'cells'>} */
function whose(grouping, lane, name) {
  if (grouping === 'process')
    return { label: lane?.pid === null ? 'unknown process' :
      `process ${lane?.pid}${lane?.process ? ` · ${lane.process}` : ''}`,
    pid: lane?.pid ?? null, tid: null };
  if (grouping === '')
    return { label: lane ? nameOfTrack(lane) : '?', pid: lane?.pid ?? null,
      tid: lane?.tid ?? null };
  return { label: name || 'others', pid: null, tid: null };
}

/** @param {Known} known @param {BinsAnswer} answer
 * @param {string} grouping @param {Lane[]} lanes */
function add(known, answer, grouping, lanes) {
  Object.assign(known.keys, answer.keys);
  for (const { track, name, bins } of answer.rows) {
    const lane = lanes.find(l => l.track === track);
    const of = whose(grouping, lane, name);
    const id = grouping === '' ? String(track) : of.label;
    let row = known.rows.get(id);
    if (!row)
      known.rows.set(id, row = { ...of, samples: 0, cells: [] });
    addBins(row, bins, answer.states.length);
  }
}

/** Threads that are asked for together. @param {Lane[]} lanes */
function lotsOf(lanes) {
  /** @type {Lane[][]} */
  const lots = [];
  let samples = ENOUGH;
  for (const lane of lanes.slice(0, MOST)) {
    if (samples >= ENOUGH || lots[lots.length - 1].length === TOGETHER) {
      lots.push([]);
      samples = 0;
    }
    lots[lots.length - 1].push(lane);
    samples += lane.samples;
  }
  return lots;
}

/**
 * Asks for all rows, and shows what is known after each answer.
 * @param {string} grouping @param {Record<string, string|number>} params
 * @param {(known: Known) => boolean} show  false: nobody wants to know more
 */
export async function readRows(grouping, params, show) {
  const all = { ...params, idle: '1' };
  /** @type {import('./types.js').Lanes} */
  const { lanes, n_lanes: n } = await ask('lanes', all);
  /** @type {Known} */
  const known = { rows: new Map(), keys: {}, isWhole: false };
  const lots = lotsOf(lanes);
  for (const [i, lot] of lots.entries()) {
    const answer = await ask('bins', { ...all, n: BINS,
      rows: grouping === 'process' || grouping === '' ? 'track' : grouping,
      track: lot.map(l => l.track).join() });
    add(known, answer, grouping, lot);
    known.isWhole = i + 1 === lots.length && n <= MOST;
    if (!show(known))
      return;
  }
}

/** The sum of rows. @param {Iterable<Row>} rows @returns {Row} */
export function sumOf(rows) {
  /** @type {Row} */
  const sum = { label: '', pid: null, tid: null, samples: 0, cells: [] };
  for (const row of rows)
    row.cells.forEach((cell, i) => {
      if (cell)
        addBins(sum, [i, cell.key, cell.lead, ...cell.states],
          cell.states.length);
    });
  return sum;
}

/** Some cells as one. @param {(Cell|undefined)[]} cells
 * @returns {Cell|undefined} */
function joined(cells) {
  /** @type {Row} */
  const row = { label: '', pid: null, tid: null, samples: 0, cells: [] };
  for (const cell of cells)
    if (cell)
      addBins(row, [0, cell.key, cell.lead, ...cell.states],
        cell.states.length);
  return row.cells[0];
}

/**
 * Draws a row: a column for each bin, coloured by what most of its samples have
 * on top; above it garbage collection, waiting for the GIL, and idle.
 * @param {CanvasRenderingContext2D} pen @param {Row} row
 * @param {Record<string, Key>} keys
 * @param {{width: number, height: number, hasIdle: boolean, least: number}} o
 *   least: samples that a column has on average
 */
export function drawRow(pen, row, keys, { width, height, hasIdle, least }) {
  const isDark = document.documentElement.classList.contains('dark');
  const per = Math.max(1, Math.ceil(BINS / Math.max(1, Math.min(width,
    row.samples / least))));
  const cells = Array.from({ length: Math.ceil(BINS / per) }, (_, i) =>
    joined(row.cells.slice(i * per, (i + 1) * per)));
  /** @param {Cell|undefined} cell */
  const sizeOf = cell => cell ? cell.states.reduce((a, b) => a + b, 0) -
    (hasIdle ? 0 : cell.states[IDLE]) : 0;
  const most = cells.reduce((a, c) => Math.max(a, sizeOf(c)), 0) || 1;
  const scale = (height - 6) / most;
  cells.forEach((cell, i) => {
    if (!cell || sizeOf(cell) === 0)
      return;
    const x = Math.round(i * per * width / BINS);
    const w = Math.round(Math.min(BINS, (i + 1) * per) * width / BINS) - x;
    let y = height - 2;
    /** @param {number} n @param {string} fill */
    const put = (n, fill) => {
      const h = n > 0 ? Math.max(1, n * scale) : 0;
      pen.fillStyle = fill;
      pen.fillRect(x, y - h, w, h);
      y -= h;
    };
    const key = keys[cell.key];
    put(sizeOf(cell) - OWN.reduce((sum, [k]) => sum + (k !== IDLE || hasIdle ?
      cell.states[Number(k)] : 0), 0),
    key ? colorOf(moduleOf(key), isDark) : color('--area'));
    for (const [k, name] of OWN)
      if (k !== IDLE || hasIdle)
        put(cell.states[Number(k)], color(String(name)));
  });
}
