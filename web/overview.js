/*
 * Samples over time: the whole trace on top, below it a row for each of the
 * heaviest threads, processes, runtimes or routes. Dragging over the first
 * selects a range of time; a name selects a thread or process.
 */
import { color, penFor } from './canvas.js';
import { baseOf } from './chips.js';
import { count, make, safe, time } from './format.js';
import { GROUPINGS, drawRow, readRows, sumOf } from './overview_rows.js';
import { Slot, ask } from './source.js';
import * as state from './state.js';

/** Rows; the others are in the first row only. */
const MAX_ROWS = 12;

/** @typedef {import('./types.js').Timeline} Timeline */
/** @typedef {import('./overview_rows.js').Row} Row */
/** @typedef {import('./overview_rows.js').Known} Known */

/** Samples that a column has on average; with fewer, chance is what one sees. */
const PER_COLUMN = 12;

/**
 * Bins as columns: each is the mean of the bins that it covers, so that a
 * steady rate is a straight line at any width.
 * @param {number[]} bins @param {number} width
 */
function columnsOf(bins, width) {
  const all = bins.reduce((a, b) => a + b, 0);
  const columns = new Float64Array(bins.length === 0 ? 0 :
    Math.max(1, Math.min(width, Math.floor(all / PER_COLUMN))));
  const per = bins.length / columns.length;
  for (let x = 0; x < columns.length; x++) {
    const from = x * per, to = (x + 1) * per;
    for (let i = Math.floor(from); i < to && i < bins.length; i++)
      columns[x] += bins[i] * (Math.min(i + 1, to) - Math.max(i, from)) / per;
  }
  return columns;
}

class Line {
  /** @param {HTMLElement} parent @param {string} label */
  constructor(parent, label) {
    this.row = make('div', 'track');
    this.button = make('button', '', label);
    this.button.type = 'button';
    this.button.title = label;
    this.canvas = make('canvas');
    this.row.append(this.button, this.canvas);
    parent.append(this.row);
    /** @type {Timeline} */
    this.data = { bin_us: 0, bins: [] };
    /** @type {[number, number]|null} */
    this.range = null;
    /** @type {[number, number]|null} what the range is compared with */
    this.base = null;
    /** @type {[number, number]|null} what the keys select */
    this.keyed = null;
    this.slot = new Slot();
    /** @type {Row|null} what is on top; null: not known yet */
    this.top = null;
    /** @type {Known|null} */
    this.known = null;
    this.hasIdle = true;
  }

  /** @param {Record<string, string|number>} params */
  load(params) {
    this.slot.take(ask('timeline', params), (/** @type {Timeline} */ a) => {
      this.data = a;
      this.draw();
    }, () => {});
  }

  /** The end of the last bin. */
  end() {
    return this.data.bin_us * this.data.bins.length;
  }

  /** @param {number} whole the time of all bins */
  draw(whole = this.end()) {
    const width = this.canvas.clientWidth, height = this.row.clientHeight;
    const pen = penFor(this.canvas, width, height), bins = this.data.bins;
    const all = whole, base = height - 2;
    if (this.top && this.known)
      drawRow(pen, this.top, this.known.keys, { width, height,
        hasIdle: this.hasIdle, least: PER_COLUMN });
    const columns = this.top ? new Float64Array() :
      columnsOf(bins, Math.max(1, Math.floor(width)));
    /** @param {number} x */
    const edge = x => Math.round(x * width / columns.length);
    const most = columns.reduce((a, b) => Math.max(a, b), 0) || 1;
    pen.fillStyle = color('--area');
    for (let x = 0; x < columns.length; x++) {
      const h = columns[x] / most * (height - 6);
      if (h > 0)
        pen.fillRect(edge(x), base - Math.max(1, h), edge(x + 1) - edge(x),
          Math.max(1, h));
    }
    pen.fillStyle = color('--line');
    pen.fillRect(0, base, width, 1);
    if (all > 0)
      this.drawRanges(pen, all, width, height);
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {number} all
   * @param {number} width @param {number} height
   */
  drawRanges(pen, all, width, height) {
    if (this.keyed) {
      pen.fillStyle = color('--ink');
      const [a, b] = this.keyed.map(t => t / all * width);
      pen.fillRect(Math.min(a, b), 0, Math.max(2, Math.abs(b - a)), 3);
      pen.fillRect(b - 1, 0, 2, height);
    }
    if (this.range)
      this.drawRange(pen, this.range, all, width, height);
    if (this.base) {
      const a = this.base[0] / all * width;
      const w = Math.max(2, Math.min(width, this.base[1] / all * width) - a);
      pen.fillStyle = color('--base');
      pen.globalAlpha = 0.25;
      pen.fillRect(a, 0, w, height);
      pen.globalAlpha = 1;
      pen.fillRect(a, 0, w, 3);
    }
  }

  /**
   * Fades what is not selected.
   * @param {CanvasRenderingContext2D} pen @param {[number, number]} range
   * @param {number} all @param {number} width @param {number} height
   */
  drawRange(pen, range, all, width, height) {
    const a = range[0] / all * width, b = range[1] / all * width;
    pen.fillStyle = color('--paper');
    pen.globalAlpha = 0.72;
    pen.fillRect(0, 0, a, height);
    pen.fillRect(b, 0, width - b, height);
    pen.globalAlpha = 1;
    pen.fillStyle = color('--accent');
    pen.fillRect(a - 1, 0, 2, height);
    pen.fillRect(b - 1, 0, 2, height);
  }
}

export class Overview {
  /** @param {HTMLElement} box @param {(text: string) => void} say */
  constructor(box, say) {
    this.box = box;
    this.say = say;
    this.all = new Line(box, 'All threads');
    this.all.row.classList.add('all');
    this.all.button.addEventListener('click', () =>
      state.set({ pid: '', tid: '' }));
    this.all.canvas.tabIndex = 0;
    this.all.canvas.setAttribute('role', 'slider');
    this.all.canvas.setAttribute('aria-valuenow', '0');
    this.all.canvas.setAttribute('aria-label', 'Time: arrows move, with Shift ' +
      'they select a range, Enter takes it');
    this.all.canvas.addEventListener('keydown', e => this.press(e));
    this.all.canvas.addEventListener('blur', () => this.key(null));
    this.list = make('div', 'tracks');
    box.append(this.list);
    /** @type {{line: Line, row: Row}[]} */
    this.lines = [];
    this.shown = '';
    this.turn = 0;
    this.choice = make('select');
    this.choice.title = 'What has a row';
    this.choice.setAttribute('aria-label', 'Rows of the time line');
    for (const [value, label] of GROUPINGS)
      this.choice.append(new Option(label, value));
    this.choice.addEventListener('change', () =>
      state.set({ rows: this.choice.value }, { replace: true }));
    this.all.row.append(this.choice);
    this.brush();
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** @param {import('./types.js').Info} info */
  show(info) {
    const { rows } = state.get(), side = state.sideOf(state.get());
    const params = { v: info.version, side };
    const what = `${info.version} ${side} ${rows}`;
    if (what === this.shown)
      return;
    this.shown = what;
    this.choice.value = rows;
    this.all.load(params);
    const turn = ++this.turn;
    readRows(rows, params, known => turn === this.turn &&
      this.showRows(known, rows, !info.hides_idle)).catch(() => {});
    this.select(state.get());
  }

  /** @param {Known} known @param {string} rows @param {boolean} hasIdle */
  showRows(known, rows, hasIdle) {
    const heaviest = [...known.rows.values()]
      .sort((a, b) => b.samples - a.samples).slice(0, MAX_ROWS);
    this.all.top = known.isWhole ? sumOf(known.rows.values()) : null;
    this.all.known = known;
    this.all.hasIdle = hasIdle;
    if (heaviest.length < 2 && rows === '')
      heaviest.length = 0;
    this.list.replaceChildren();
    this.lines = heaviest.map(row => this.add(row, known));
    this.select(state.get());
    return true;
  }

  /** @param {Row} row @param {Known} known */
  add(row, known) {
    const line = new Line(this.list, safe(row.label));
    line.top = row;
    line.known = known;
    line.button.disabled = row.pid === null && row.tid === null;
    line.button.addEventListener('click', () => {
      const pid = String(row.pid ?? ''), tid = String(row.tid ?? '');
      const now = state.get(), isOn = now.pid === pid && now.tid === tid;
      state.set(isOn ? { pid: '', tid: '' } : { pid, tid });
    });
    return { line, row };
  }

  /** @param {state.State} s */
  select(s) {
    /** @type {[number, number]|null} */
    const range = s.from || s.to ? [Number(s.from || 0),
      s.to ? Number(s.to) : this.all.end()] : null;
    const isAll = !s.pid && !s.tid, base = baseOf();
    this.all.range = range;
    this.all.base = base ? [base.from, base.to] : null;
    this.all.button.setAttribute('aria-pressed', String(isAll));
    for (const { line, row } of this.lines) {
      line.range = range;
      line.base = this.all.base;
      line.button.setAttribute('aria-pressed', String(!isAll &&
        s.pid === String(row.pid ?? '') &&
        s.tid === String(row.tid ?? '')));
    }
    this.draw();
  }

  draw() {
    this.all.draw();
    for (const { line } of this.lines)
      line.draw(this.all.end());
  }

  /* --- selecting a range of time --- */

  /** @param {PointerEvent} e */
  timeAt(e) {
    const x = Math.min(Math.max(e.offsetX, 0), this.all.canvas.clientWidth);
    return x / Math.max(1, this.all.canvas.clientWidth) * this.all.end();
  }

  /** @param {number} at */
  sayAt(at) {
    const data = this.all.data;
    const i = Math.min(data.bins.length - 1,
      Math.floor(at / (data.bin_us || 1)));
    const text = data.bins.length === 0 ? 'nothing' : `at ${time(at)}: ` +
      `${count(data.bins[i])} samples in ${time(data.bin_us)}`;
    this.say(text);
    return text;
  }

  /** Shows where the keys are. @param {[number, number]|null} keyed */
  key(keyed) {
    const c = this.all.canvas, all = this.all.end();
    this.all.keyed = keyed;
    if (keyed) {
      c.setAttribute('aria-valuemin', '0');
      c.setAttribute('aria-valuemax', String(Math.round(all / 1e3)));
      c.setAttribute('aria-valuenow', String(Math.round(keyed[1] / 1e3)));
      c.setAttribute('aria-valuetext', this.sayAt(keyed[1]));
    }
    this.all.draw();
  }

  /** @param {KeyboardEvent} e */
  press(e) {
    const all = this.all.end(), bin = this.all.data.bin_us;
    const step = Math.max(1, Math.round(this.all.data.bins.length / 100)) * bin;
    const [from, at] = this.all.keyed ?? [0, 0];
    const to = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0,
      End: all }[e.key];
    if (to !== undefined && all > 0) {
      const next = Math.max(0, Math.min(all, to));
      this.key([e.shiftKey ? from : next, next]);
    } else if (e.key === 'Enter' && from !== at)
      state.set({ from: String(Math.min(from, at)),
        to: String(Math.max(from, at)) });
    else
      return;
    e.preventDefault();
    e.stopPropagation();
  }

  brush() {
    const c = this.all.canvas;
    /** @type {number|null} */
    let from = null;
    c.addEventListener('pointerdown', e => {
      from = this.timeAt(e);
      c.setPointerCapture(e.pointerId);
    });
    c.addEventListener('pointermove', e => {
      const at = this.timeAt(e);
      this.sayAt(at);
      if (from === null)
        return;
      this.all.range = [Math.min(from, at), Math.max(from, at)];
      this.all.draw();
    });
    c.addEventListener('pointerup', e => {
      if (from === null)
        return;
      const to = this.timeAt(e), bin = this.all.data.bin_us || 1;
      const low = Math.floor(Math.min(from, to) / bin) * bin;
      const high = Math.ceil(Math.max(from, to) / bin) * bin;
      const isClick = Math.abs(to - from) < bin &&
        Math.abs(to - from) * c.clientWidth < 4 * this.all.end();
      from = null;
      if (isClick)
        state.set({ from: '', to: '' });
      else
        state.set({ from: String(low), to: String(high) });
      this.select(state.get());
    });
  }
}
