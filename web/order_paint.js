/*
 * Draws the flame chart of one track. Merged boxes are drawn once for each
 * answer, as a picture with a pixel for each column and depth; each frame
 * stretches it. Wide boxes, and what they are called, are drawn anew.
 */
import { color, colorOf, moduleOf } from './canvas.js';
import { safe } from './format.js';
import { firstAfter } from './order_data.js';

/** @typedef {import('./order_data.js').Chart} Chart */
/** @typedef {import('./types.js').Key} Key */

/** Heights of the rows above the boxes. */
export const MARKS = 17;
export const BANDS = 7;
const MIN_TEXT = 22, MAX_TEXT = 400;
const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace';

/** Colours of states, in the order of enum chart_state. */
export const STATES = ['--idle', '--gc', '--waits', '--on-cpu', '--off-cpu',
  '--line'];

/** Numbers of states. */
export const IDLE = 0;
export const UNKNOWN = 5;

/** @typedef {{label: string, fill: string, bits: number}} Look */

/** @typedef {{picture: HTMLCanvasElement, from: number, to: number}} Merged */

/**
 * Where a lane is drawn.
 * @typedef {object} Place
 * @property {number} left    pixels
 * @property {number} width
 * @property {number} a       what time is at `left`
 * @property {number} b       what time is at the right end
 * @property {number} y       of the first row
 * @property {number} row     height of a row
 * @property {number} top     what is above or below is out of sight
 * @property {number} bottom
 */

/** "#rrggbb" as a pixel of a picture. @param {string} hex */
function bitsOf(hex) {
  const n = parseInt(hex.slice(1), 16);
  return (0xff000000 | (n & 0xff) << 16 | n & 0xff00 | n >> 16) >>> 0;
}

/** What is drawn of all boxes of one key; of one theme and one search. */
export class Looks {
  constructor() {
    /** @type {Map<Key|undefined, Look>} */
    this.known = new Map();
    /** @type {WeakMap<Chart, Merged>} */
    this.pictures = new WeakMap();
    this.pen = /** @type {CanvasRenderingContext2D} */ (
      document.createElement('canvas').getContext('2d'));
    /** @type {RegExp|null} */
    this.search = null;
    this.isDark = false;
  }

  /** @param {RegExp|null} search */
  choose(search) {
    const isDark = document.documentElement.classList.contains('dark');
    if (isDark === this.isDark && String(search) === String(this.search))
      return;
    this.isDark = isDark;
    this.search = search;
    this.known.clear();
    this.pictures = new WeakMap();
  }

  /** @param {Key|undefined} key @returns {Look} */
  of(key) {
    let look = this.known.get(key);
    if (!look) {
      const isMatch = key && this.search?.test(key.text);
      this.pen.fillStyle = isMatch ? color('--match') :
        !key || this.search ? color('--line') :
          colorOf(moduleOf(key), this.isDark);
      const fill = String(this.pen.fillStyle);
      look = { label: safe((key ? key.name || key.text : '')
        .slice(0, MAX_TEXT)), fill, bits: bitsOf(fill) };
      this.known.set(key, look);
    }
    return look;
  }

  /** Merged boxes as a picture; null: there are none.
   * @param {Chart} chart */
  pictureOf(chart) {
    const made = this.pictures.get(chart), all = chart.merged;
    if (made || all.length === 0)
      return made ?? null;
    const from = all[0].start;
    const to = Math.max(from + 1, all.reduce((t, m) => Math.max(t, m.end), 0));
    const width = Math.min(8000, Math.max(1,
      Math.ceil((to - from) / chart.grain * 2)));
    const height = all.reduce((d, m) =>
      Math.max(d, m.depth + m.above.length), 1);
    const picture = document.createElement('canvas');
    picture.width = width;
    picture.height = height;
    const pen = /** @type {CanvasRenderingContext2D} */ (
      picture.getContext('2d'));
    const image = pen.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    for (const m of all) {
      const x = Math.floor((m.start - from) / (to - from) * width);
      const end = Math.max(x + 1,
        Math.ceil((m.end - from) / (to - from) * width));
      [m.key, ...m.above].forEach((key, i) => pixels.fill(this.of(key).bits,
        (m.depth - 1 + i) * width + x,
        (m.depth - 1 + i) * width + Math.min(width, end)));
    }
    pen.putImageData(image, 0, 0);
    const merged = { picture, from, to };
    this.pictures.set(chart, merged);
    return merged;
  }
}

/**
 * A name in a box; what does not fit is cut.
 * @param {CanvasRenderingContext2D} pen @param {string} text
 * @param {number} x @param {number} y @param {number} w @param {number} h
 */
function write(pen, text, x, y, w, h) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, w - 3, h);
  pen.clip();
  pen.fillText(text.slice(0, w / 2), x + 4, y + h / 2 + 0.5);
  pen.restore();
}

/** @param {CanvasRenderingContext2D} pen @param {Chart} chart
 * @param {Place} p @param {Looks} looks */
function paintMerged(pen, chart, p, looks) {
  const merged = looks.pictureOf(chart), scale = p.width / (p.b - p.a);
  if (!merged)
    return;
  pen.imageSmoothingEnabled = false;
  pen.drawImage(merged.picture, p.left + (merged.from - p.a) * scale, p.y,
    (merged.to - merged.from) * scale, merged.picture.height * p.row);
  if (p.row < 6)
    return;
  pen.fillStyle = color('--panel');
  for (let d = 1; d <= merged.picture.height; d++)
    pen.fillRect(p.left, p.y + d * p.row - 1, p.width, 1);
}

/** @param {CanvasRenderingContext2D} pen @param {Chart} chart
 * @param {Place} p @param {Looks} looks */
function paintBoxes(pen, chart, p, looks) {
  const scale = p.width / (p.b - p.a), ink = color('--ink');
  const panel = color('--panel'), hasText = p.row >= 14;
  pen.font = FONT;
  pen.textBaseline = 'middle';
  chart.rows.forEach((row, depth) => {
    const y = p.y + (depth - 1) * p.row;
    if (y + p.row < p.top || y > p.bottom)
      return;
    for (let i = firstAfter(row, p.a); i < row.length && row[i].start < p.b;
      i++) {
      const x = p.left + (Math.max(row[i].start, p.a) - p.a) * scale;
      const end = p.left + (Math.min(row[i].end, p.b) - p.a) * scale;
      const w = end - x, look = looks.of(row[i].key);
      pen.fillStyle = look.fill;
      pen.fillRect(x, y, Math.max(w - (w > 3 ? 1 : 0), 0.5),
        p.row - (p.row > 4 ? 1 : 0));
      if (!hasText || w < MIN_TEXT)
        continue;
      pen.fillStyle = looks.search?.test(row[i].key?.text ?? '') ? panel : ink;
      write(pen, look.label, x, y, w, p.row - 1);
    }
  });
}

/** The state that most samples of a band have. @param {number[]} samples */
export function mostOf(samples) {
  return samples.reduce((best, n, i) => n > samples[best] ? i : best, 0);
}

/** Time in which the track waited for work is greyed.
 * @param {CanvasRenderingContext2D} pen @param {Chart} chart
 * @param {Place} p @param {number} height of all rows */
function greyIdle(pen, chart, p, height) {
  const scale = p.width / (p.b - p.a);
  pen.fillStyle = color('--panel');
  pen.globalAlpha = 0.65;
  for (let i = firstAfter(chart.bands, p.a); i < chart.bands.length &&
    chart.bands[i].start < p.b; i++) {
    const band = chart.bands[i];
    if (band.samples[IDLE] > 0 && mostOf(band.samples) === IDLE) {
      const x = Math.max(0, (band.start - p.a) * scale);
      pen.fillRect(p.left + x, p.y, Math.min(p.width,
        (band.end - p.a) * scale) - x, height);
    }
  }
  pen.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} pen @param {Chart} chart
 * @param {Place} p @param {Looks} looks @param {number} height */
export function paintChart(pen, chart, p, looks, height) {
  paintMerged(pen, chart, p, looks);
  paintBoxes(pen, chart, p, looks);
  greyIdle(pen, chart, p, height);
}

/** @param {CanvasRenderingContext2D} pen @param {Chart} chart @param {Place} p
 * @param {number} y */
export function paintBands(pen, chart, p, y) {
  const scale = p.width / (p.b - p.a);
  const fills = STATES.map(name => color(name));
  for (let i = firstAfter(chart.bands, p.a); i < chart.bands.length &&
    chart.bands[i].start < p.b; i++) {
    const band = chart.bands[i], x = Math.max(0, (band.start - p.a) * scale);
    const state = mostOf(band.samples);
    if (state === UNKNOWN)
      continue;
    pen.fillStyle = fills[state];
    pen.fillRect(p.left + x, y, Math.max(0.5, Math.min(p.width,
      (band.end - p.a) * scale) - x), BANDS - 2);
  }
}

/** @param {CanvasRenderingContext2D} pen @param {Chart} chart @param {Place} p
 * @param {number} y @param {Looks} looks */
export function paintMarks(pen, chart, p, y, looks) {
  const scale = p.width / (p.b - p.a), ink = color('--ink');
  const line = color('--line');
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'middle';
  for (let i = firstAfter(chart.marks, p.a); i < chart.marks.length &&
    chart.marks[i].start < p.b; i++) {
    const mark = chart.marks[i], x = Math.max(0, (mark.start - p.a) * scale);
    const w = Math.min(p.width, (mark.end - p.a) * scale) - x;
    pen.fillStyle = mark.n > 0 ? line :
      colorOf(mark.pairs[1] ?? '', looks.isDark);
    pen.globalAlpha = 0.75;
    pen.fillRect(p.left + x, y, Math.max(0.5, w - (w > 3 ? 1 : 0)), MARKS - 2);
    pen.globalAlpha = 1;
    if (w < MIN_TEXT)
      continue;
    pen.fillStyle = ink;
    write(pen, safe(mark.pairs[1] ?? ''), p.left + x, y, w, MARKS - 2);
  }
}
