/*
 * Time order: a flame chart for each thread, one below the other, over one
 * stretch of time. The stretch stands in the address (`span`), apart from the
 * selection: looking closer selects nothing.
 *
 * While the mouse moves, what is known is stretched and shifted; a new answer
 * replaces it when it has come. One question is open at a time.
 *
 * Mouse: the wheel zooms at the pointer, dragging moves, a click selects the
 * time of a box, a double click zooms to it, and dragging over the scale of
 * time selects.
 */
import { openActions } from './actions.js';
import { color, penFor } from './canvas.js';
import { count, make, nouns, safe, time } from './format.js';
import { boxAt, chartsOf, partAt } from './order_data.js';
import { BANDS, Looks, MARKS, STATES, UNKNOWN, paintBands, paintChart,
  paintMarks } from './order_paint.js';
import { describeBand, describeBox, describeMark } from './order_words.js';
import { drawRuler } from './ruler.js';
import { Slot, ask, busy, once } from './source.js';
import * as state from './state.js';
import { hideTip, tipOf } from './status.js';
import { nameOfTrack } from './tracks.js';

const ROW = 18, SMALL_ROW = 3, SMALL_DEPTH = 24, PAD = 6, LEAST = 47;
const RULER = 26, RIGHT = 14;
/* Threads that are open at first, in one question, and pixels of a drag. */
const OPEN = 1, TOGETHER = 64, DRAG = 4;
/* The narrowest stretch of time: 20 µs. Samples are further apart. */
const CLOSEST = 20;
/* Milliseconds without a move until it stands in the address. */
const REST = 300;

/** @typedef {import('./order_data.js').Box} Box */
/** @typedef {import('./order_data.js').Chart} Chart */
/** @typedef {import('./order_data.js').Charts} Charts */
/** @typedef {import('./types.js').Lane} Track */
/** @typedef {import('./types.js').Lanes} Lanes */
/** @typedef {import('./types.js').OrderAnswer} OrderAnswer */
/** @typedef {{start: number, end: number}} Part */

/**
 * @typedef {object} Lane
 * @property {Track} track
 * @property {HTMLElement} head
 * @property {HTMLElement} figure  how many samples are in sight
 * @property {boolean} isOpen
 * @property {number} y
 * @property {number} height
 */

/**
 * What is under the mouse, or has the focus of the keys.
 * @typedef {object} Spot
 * @property {Lane} lane
 * @property {Part} part
 * @property {number} y     of its row, and height
 * @property {number} height
 * @property {Box} [box]    if it is one
 * @property {Node[]} words
 */

export class OrderView {
  /** @param {HTMLElement} parent
   * @param {{say: (text: string) => void, fail: (error: Error) => void}} events
   */
  constructor(parent, events) {
    this.events = events;
    this.box = make('div', 'order');
    this.ruler = make('canvas');
    this.ruler.setAttribute('role', 'img');
    this.ruler.setAttribute('aria-label', 'Time; drag to select a range');
    this.scroller = make('div', 'lanes');
    this.sheet = make('div', 'sheet');
    this.canvas = make('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.sheet.append(this.canvas);
    this.scroller.append(this.sheet);
    this.legend = make('p', 'legend');
    this.box.append(this.ruler, this.scroller, this.legend);
    parent.append(this.box);
    /** @type {Lane[]} */
    this.lanes = [];
    this.nLanes = 0;
    this.end = 0;
    this.range = { a: 0, b: 1 };
    /** @type {{from: number, to: number}|null} */
    this.selected = null;
    /** @type {Record<string, string|number>} */
    this.params = {};
    /** @type {Charts|null} */
    this.data = null;
    /** @type {Spot|null} */
    this.at = null;
    this.looks = new Looks();
    this.hasMarks = this.hasBands = this.isAsking = this.isMoving = false;
    this.frame = 0;
    this.resting = this.counting = 0;
    this.lanesSlot = new Slot();
    this.countSlot = new Slot();
    this.wanted = '';
    this.listen();
  }

  /* --- what is shown --- */

  /** @param {import('./views.js').Now} now */
  load({ s, version }) {
    /* Idle time is greyed here, not left out. */
    this.params = { pid: s.pid, tid: s.tid, by: s.by, side: state.sideOf(s),
      shape: s.shape, annot: s.annot, idle: '1', v: version };
    this.lanesSlot.take(ask('lanes', this.params), (/** @type {Lanes} */ a) =>
      this.show(a, s), this.events.fail);
  }

  /** @param {Lanes} a @param {state.State} s */
  show(a, s) {
    const wanted = JSON.stringify(this.params);
    this.end = Math.max(1, a.end_us);
    if (this.wanted !== wanted) {
      this.wanted = wanted;
      this.makeLanes(a);
    }
    this.selected = s.from || s.to ? { from: Number(s.from || 0),
      to: Number(s.to || this.end) } : null;
    const [from, to] = s.span.split('-').map(Number);
    if (!this.isMoving)
      this.look(s.span && to > from ? { a: from, b: to } : this.selected ?
        { a: this.selected.from, b: this.selected.to } :
        { a: 0, b: this.end });
  }

  /** @param {RegExp|null} search */
  mark(search) {
    this.looks.choose(search);
    this.draw();
  }

  /** @param {Lanes} a */
  makeLanes(a) {
    const open = new Map(this.lanes.map(l => [l.track.track, l.isOpen]));
    for (const { head } of this.lanes)
      head.remove();
    this.data = this.at = null;
    this.nLanes = a.n_lanes;
    this.lanes = a.lanes.map((track, i) => this.makeLane(track,
      open.get(track.track) ?? i < OPEN));
    this.layOut();
  }

  /** @param {Track} track @param {boolean} isOpen @returns {Lane} */
  makeLane(track, isOpen) {
    const head = make('div', 'head'), figure = make('span', 'figure');
    const fold = make('button', 'fold'), name = make('button', 'name',
      safe(nameOfTrack(track)));
    name.title = safe(nameOfTrack(track));
    fold.type = name.type = 'button';
    head.append(fold, name, figure);
    this.sheet.append(head);
    /** @type {Lane} */
    const lane = { track, head, figure, isOpen, y: 0, height: 0 };
    name.addEventListener('click', () => {
      const pid = String(track.pid ?? ''), tid = String(track.tid ?? '');
      const s = state.get(), isOn = s.pid === pid && s.tid === tid;
      state.set({ ...(isOn ? { pid: '', tid: '' } : { pid, tid }),
        span: this.span() });
    });
    fold.addEventListener('click', () => {
      lane.isOpen = !lane.isOpen;
      this.layOut();
    });
    return lane;
  }

  /** @param {Lane} lane */
  rowOf(lane) {
    return lane.isOpen ? ROW : SMALL_ROW;
  }

  /** Where the first row of boxes begins. @param {Lane} lane */
  boxesAt(lane) {
    return lane.y + PAD + (this.hasMarks && lane.isOpen ? MARKS : 0) +
      (this.hasBands ? BANDS : 0);
  }

  /** @param {Lane} lane */
  rowsHeight(lane) {
    return this.rowOf(lane) * Math.max(1, lane.isOpen ? lane.track.depth :
      Math.min(lane.track.depth, SMALL_DEPTH));
  }

  layOut() {
    let y = 0;
    for (const lane of this.lanes) {
      lane.y = y;
      lane.height = Math.max(LEAST, this.boxesAt(lane) - y +
        this.rowsHeight(lane) + PAD);
      lane.head.style.top = `${y}px`;
      lane.head.style.height = `${lane.height}px`;
      const fold = /** @type {HTMLElement} */ (lane.head.firstElementChild);
      fold.textContent = lane.isOpen ? '▾' : '▸';
      fold.setAttribute('aria-expanded', String(lane.isOpen));
      fold.setAttribute('aria-label', `Rows of ${lane.head.children[1]
        .textContent}`);
      y += lane.height;
    }
    this.sheet.style.height = `${Math.max(1, y)}px`;
    this.draw();
    this.fetch();
  }

  left() {
    return matchMedia('(max-width: 1000px)').matches ? 144 : 234;
  }

  width() {
    return Math.max(50, this.scroller.clientWidth - this.left() - RIGHT);
  }

  /** Microseconds of a pixel. */
  pixel() {
    return (this.range.b - this.range.a) / this.width();
  }

  /** @param {number} y @param {number} height */
  inSight(y, height) {
    const top = this.scroller.scrollTop;
    return y < top + this.scroller.clientHeight && y + height > top;
  }

  visible() {
    return this.lanes.filter(l => this.inSight(l.y, l.height))
      .slice(0, TOGETHER);
  }

  /* --- questions --- */

  /** True if what is known is fine enough, and reaches far enough. */
  isKnown() {
    const { a, b } = this.range, data = this.data, lanes = this.visible();
    return !!data && data.begin <= Math.max(0, a) &&
      data.end >= Math.min(b, this.end) && lanes.every(l => {
      const chart = data.charts.get(l.track.track);
      return chart && (chart.grain <= 1.2 * this.pixel() || chart.grain <= 1 ||
        data.end - data.begin <= 3 * (b - a));
    });
  }

  /** Asks for what is in sight and half as much on either side. */
  fetch() {
    const lanes = this.visible(), wanted = this.wanted;
    if (this.box.hidden || this.isAsking || lanes.length === 0 ||
      this.isKnown())
      return;
    const { a, b } = this.range, half = (b - a) / 2;
    const begin = Math.max(0, Math.floor(a - half));
    const end = Math.min(this.end, Math.ceil(b + half));
    this.isAsking = true;
    once('order', { ...this.params, begin, end,
      track: lanes.map(l => l.track.track).join(),
      px: Math.ceil((end - begin) / this.pixel()) })
      .then((/** @type {OrderAnswer} */ answer) => {
        if (wanted === this.wanted)
          this.take(answer);
      }).catch(this.events.fail).finally(() => {
        this.isAsking = false;
        if (wanted !== this.wanted || !this.isKnown())
          setTimeout(() => this.fetch(), 30);
      });
  }

  /** @param {OrderAnswer} answer */
  take(answer) {
    const data = this.data = chartsOf(answer), all = [...data.charts.values()];
    const hasMarks = this.hasMarks || all.some(c => c.marks.length > 0);
    const states = answer.states.filter((_, i) => i !== UNKNOWN &&
      all.some(c => c.bands.some(band => band.samples[i] > 0)));
    const hasBands = this.hasBands || states.length > 0;
    this.showLegend(answer.states, states);
    if (hasMarks !== this.hasMarks || hasBands !== this.hasBands) {
      this.hasMarks = hasMarks;
      this.hasBands = hasBands;
      this.layOut();
    }
    this.draw();
  }

  /** @param {string[]} all @param {string[]} present */
  showLegend(all, present) {
    this.states = all;
    this.legend.replaceChildren(...present.flatMap(name => {
      const swatch = make('span', 'swatch');
      swatch.style.background = `var(${STATES[all.indexOf(name)]})`;
      return [swatch, document.createTextNode(`${name} `)];
    }), this.nLanes > this.lanes.length ? `The ${count(this.lanes.length)} ` +
      `heaviest of ${count(this.nLanes)} threads; select a process to see ` +
      'others.' : '');
    this.legend.hidden = this.legend.textContent === '';
  }

  /** Asks how many samples there are in the stretch, exactly: of all threads,
   * or if there are very many, of those in sight. */
  count() {
    const { a, b } = this.range;
    const lanes = this.lanes.length <= TOGETHER ? this.lanes : this.visible();
    if (lanes.length === 0 || this.box.hidden)
      return;
    const begin = Math.round(a), end = Math.round(b);
    /* Of all of the time it is known. */
    this.countSlot.take(begin <= 0 && end >= this.end ?
      Promise.resolve({ lanes: lanes.map(l => l.track) }) :
      ask('order', { ...this.params, begin, end, px: 1,
        track: lanes.map(l => l.track.track).join() }),
    (/** @type {{lanes: {track: number, samples: number}[]}} */ answer) => {
      if (this.box.hidden)
        return;
      let all = 0;
      for (const { track, samples } of answer.lanes) {
        const lane = lanes.find(l => l.track.track === track);
        all += samples;
        if (lane)
          lane.figure.textContent = nouns(samples, 'sample');
      }
      const text = `${nouns(all, 'sample')} of ${nouns(lanes.length,
        'thread')} in ${time(end - begin)}, from ${time(begin)} on`;
      this.canvas.setAttribute('aria-label', `Time order: ${text}`);
      this.events.say(`${text} · wheel zooms, drag moves, click selects, ` +
        'double click zooms to a box');
    }, this.events.fail);
  }

  /* --- the stretch of time --- */

  span() {
    const { a, b } = this.range;
    return a <= 0 && b >= this.end && !this.selected ? '' :
      `${Math.round(a)}-${Math.round(b)}`;
  }

  /** @param {{a: number, b: number}} range */
  look({ a, b }) {
    const width = Math.min(this.end, Math.max(CLOSEST, b - a));
    const from = Math.min(Math.max(0, a + (b - a - width) / 2),
      this.end - width);
    this.range = { a: from, b: from + width };
    this.draw();
    this.fetch();
    clearTimeout(this.counting);
    this.counting = setTimeout(() => this.count(), REST / 2);
  }

  /** The same by hand: it goes to the address when the hand rests.
   * @param {{a: number, b: number}} range */
  move(range) {
    if (!this.isMoving)
      busy(1);
    this.isMoving = true;
    this.hover(null, 0, 0);
    this.look(range);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST);
  }

  rest() {
    clearTimeout(this.resting);
    if (!this.isMoving)
      return;
    this.isMoving = false;
    busy(-1);
    state.set({ span: this.span() });
  }

  /** @param {number} factor below 1: closer @param {number} [around] */
  zoom(factor, around) {
    const { a, b } = this.range, t = around ?? (a + b) / 2;
    const wide = Math.max(CLOSEST, (b - a) * factor) / (b - a);
    this.move({ a: t - (t - a) * wide, b: t + (b - t) * wide });
  }

  /** @param {number} us */
  pan(us) {
    const { a, b } = this.range;
    const by = Math.min(Math.max(us, -a), this.end - b);
    this.move({ a: a + by, b: b + by });
  }

  /** @param {Part} part */
  zoomTo({ start, end }) {
    const margin = (end - start) * 0.02;
    this.move({ a: start - margin, b: end + margin });
    this.rest();
  }

  /** @param {Spot|null} spot */
  select(spot) {
    const span = this.span();
    if (!spot)
      state.set({ from: '', to: '', span });
    else
      state.set({ from: String(spot.part.start), span,
        to: String(Math.max(spot.part.start + 1, spot.part.end)),
        ...(spot.box?.n === 0 && spot.box.key ? { fn: spot.box.key.id } :
          {}) });
  }

  /* --- drawing --- */

  draw() {
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  paint() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const width = this.scroller.clientWidth;
    const sheet = this.sheet.clientHeight;
    const height = Math.min(sheet, this.scroller.clientHeight);
    if (height === 0 || width === 0)
      return;
    const ruler = penFor(this.ruler, width, RULER), left = this.left();
    const ticks = drawRuler(ruler, left, this.width(), RULER, this.range);
    const top = Math.min(this.scroller.scrollTop, sheet - height);
    const pen = penFor(this.canvas, width, height);
    this.looks.choose(this.looks.search);
    pen.translate(0, -top);
    pen.fillStyle = color('--hover');
    for (const x of ticks)
      pen.fillRect(x, top, 1, height);
    for (const lane of this.visible())
      this.paintLane(pen, lane, top, height);
    this.shade(ruler, 0, RULER);
    this.shade(pen, top, height);
    if (this.at)
      this.paintSpot(pen, this.at);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Lane} lane
   * @param {number} top @param {number} height */
  paintLane(pen, lane, top, height) {
    const chart = this.data?.charts.get(lane.track.track);
    const left = this.left(), width = this.width(), y = this.boxesAt(lane);
    pen.fillStyle = color('--line');
    pen.fillRect(0, lane.y + lane.height - 1, left + width + RIGHT, 1);
    if (!chart)
      return;
    const place = { left, width, ...this.range, y, row: this.rowOf(lane), top,
      bottom: top + height };
    pen.save();
    pen.beginPath();
    pen.rect(left, lane.y, width, lane.height - 1);
    pen.clip();
    paintChart(pen, chart, place, this.looks, this.rowsHeight(lane));
    if (this.hasBands)
      paintBands(pen, chart, place, y - BANDS);
    if (this.hasMarks && lane.isOpen)
      paintMarks(pen, chart, place, lane.y + PAD, this.looks);
    pen.restore();
  }

  /** @param {number} t */
  xOf(t) {
    return this.left() + Math.min(1, Math.max(0, (t - this.range.a) /
      (this.range.b - this.range.a))) * this.width();
  }

  /** What is not selected is paler.
   * @param {CanvasRenderingContext2D} pen @param {number} y
   * @param {number} height */
  shade(pen, y, height) {
    if (!this.selected)
      return;
    const a = this.xOf(this.selected.from), b = this.xOf(this.selected.to);
    const left = this.left(), end = left + this.width();
    pen.fillStyle = color('--panel');
    pen.globalAlpha = 0.6;
    pen.fillRect(left, y, a - left, height);
    pen.fillRect(b, y, end - b, height);
    pen.globalAlpha = 1;
    pen.fillStyle = color('--accent');
    if (a > left)
      pen.fillRect(a - 1, y, 1, height);
    if (b < end)
      pen.fillRect(b, y, 1, height);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Spot} spot */
  paintSpot(pen, { part, y, height }) {
    const a = this.xOf(part.start), b = this.xOf(part.end);
    pen.strokeStyle = color('--ink');
    pen.strokeRect(a + 0.5, y + 0.5, Math.max(2, b - a - 1), height - 1);
  }

  /* --- pointing --- */

  /** @param {number} x */
  timeAt(x) {
    return this.range.a + (x - this.left()) * this.pixel();
  }

  /** @param {MouseEvent} e @returns {Spot|null} */
  under(e) {
    const y = e.offsetY + this.scroller.scrollTop, x = e.offsetX;
    const lane = this.lanes.find(l => y >= l.y && y < l.y + l.height);
    const chart = lane && this.data?.charts.get(lane.track.track);
    if (!lane || !chart || x < this.left() || x > this.left() + this.width())
      return null;
    return this.spotAt(lane, chart, this.timeAt(x), y);
  }

  /** @param {Lane} lane @param {Chart} chart @param {number} t
   * @param {number} y @returns {Spot|null} */
  spotAt(lane, chart, t, y) {
    const first = this.boxesAt(lane), row = this.rowOf(lane);
    const slack = this.pixel();
    if (this.hasBands && y < first && y >= first - BANDS) {
      const part = partAt(chart.bands, t, slack);
      return part ? { lane, part, y: first - BANDS, height: BANDS - 1,
        words: describeBand(part, this.states ?? []) } : null;
    }
    if (y < first) {
      const part = partAt(chart.marks, t, slack);
      return part ? { lane, part, y: lane.y + PAD, height: MARKS - 1,
        words: describeMark(part) } : null;
    }
    const depth = Math.floor((y - first) / row) + 1;
    const box = boxAt(chart, depth, t, slack);
    return box ? this.spotOf(lane, box) : null;
  }

  /** @param {Lane} lane @param {Box} box @returns {Spot} */
  spotOf(lane, box) {
    const row = this.rowOf(lane);
    return { lane, part: box, box, height: row * (1 + box.above.length),
      y: this.boxesAt(lane) + (box.depth - 1) * row,
      words: describeBox(box, this.data ?? { begin: 0, end: 0 }) };
  }

  /** @param {Spot|null} spot @param {number} x @param {number} y */
  hover(spot, x, y) {
    if (this.at?.part !== spot?.part)
      this.draw();
    this.at = spot;
    if (spot)
      tipOf(spot.words, x, y);
    else
      hideTip();
  }

  listen() {
    const c = this.canvas;
    /** @type {{x: number, y: number, a: number, b: number, top: number,
     *   isDrag: boolean}|null} */
    let held = null;
    c.addEventListener('wheel', e => {
      e.preventDefault();
      const line = e.deltaMode === 1 ? 20 : 1;
      if (e.shiftKey || e.offsetX < this.left())
        this.scroller.scrollTop += (e.deltaY || e.deltaX) * line;
      else if (Math.abs(e.deltaX) > Math.abs(e.deltaY))
        this.pan(e.deltaX * line * this.pixel());
      else
        this.zoom(Math.exp(Math.max(-200, Math.min(200, e.deltaY * line)) *
          0.003), this.timeAt(e.offsetX));
    }, { passive: false });
    c.addEventListener('pointerdown', e => {
      if (e.button !== 0)
        return;
      held = { x: e.clientX, y: e.clientY, ...this.range, isDrag: false,
        top: this.scroller.scrollTop };
      c.setPointerCapture(e.pointerId);
    });
    /** @type {[number, number]} */
    let last = [-1, -1];
    c.addEventListener('pointermove', e => {
      /* Browsers also send it when what is below the mouse has moved. */
      if (e.clientX === last[0] && e.clientY === last[1])
        return;
      last = [e.clientX, e.clientY];
      if (!held) {
        this.hover(this.under(e), e.clientX, e.clientY);
        return;
      }
      const dx = e.clientX - held.x, dy = e.clientY - held.y;
      held.isDrag ||= Math.hypot(dx, dy) >= DRAG;
      if (!held.isDrag)
        return;
      const by = Math.min(Math.max(-dx * this.pixel(), -held.a),
        this.end - held.b);
      this.scroller.scrollTop = held.top - dy;
      this.move({ a: held.a + by, b: held.b + by });
    });
    c.addEventListener('pointerup', e => {
      if (held && !held.isDrag)
        this.select(this.under(e));
      held = null;
      this.rest();
    });
    c.addEventListener('pointercancel', () => {
      held = null;
    });
    c.addEventListener('pointerleave', () => this.hover(null, 0, 0));
    c.addEventListener('dblclick', e => {
      const spot = this.under(e);
      if (spot)
        this.zoomTo(spot.part);
    });
    c.addEventListener('contextmenu', e => {
      const key = this.under(e)?.box?.key;
      if (!key)
        return;
      e.preventDefault();
      openActions(key, e.clientX, e.clientY);
    });
    addEventListener('keydown', e => this.press(e));
    this.brush();
    this.scroller.addEventListener('scroll', () => {
      this.draw();
      this.fetch();
      clearTimeout(this.counting);
      this.counting = setTimeout(() => this.count(), REST / 2);
    }, { passive: true });
    new ResizeObserver(() => {
      this.paint();
      this.fetch();
    }).observe(this.scroller);
  }

  /** Dragging over the scale of time selects a range. */
  brush() {
    /** @type {number|null} */
    let from = null;
    const r = this.ruler;
    r.addEventListener('pointerdown', e => {
      from = this.timeAt(e.offsetX);
      r.setPointerCapture(e.pointerId);
    });
    r.addEventListener('pointermove', e => {
      if (from === null)
        return;
      const to = this.timeAt(e.offsetX);
      this.selected = { from: Math.min(from, to), to: Math.max(from, to) };
      this.draw();
    });
    r.addEventListener('pointerup', e => {
      const to = this.timeAt(e.offsetX), span = this.span();
      const { a, b } = this.range;
      if (from === null)
        return;
      const low = Math.round(Math.max(a, Math.min(from, to)));
      const high = Math.round(Math.min(b, Math.max(from, to)));
      const isClick = high - low < DRAG * this.pixel();
      from = null;
      state.set(isClick ? { from: '', to: '', span } :
        { from: String(low), to: String(high), span });
    });
  }

  /* --- keys --- */

  /** @param {KeyboardEvent} e */
  press(e) {
    const isTyping = e.target instanceof HTMLInputElement ||
      e.target instanceof HTMLSelectElement;
    if (this.box.hidden || isTyping || e.ctrlKey || e.metaKey || e.altKey ||
      document.querySelector('dialog[open]'))
      return;
    const wide = this.range.b - this.range.a;
    /** @type {Record<string, () => void>} */
    const keys = { 'w': () => this.zoom(0.6), '+': () => this.zoom(0.6),
      '=': () => this.zoom(0.6), 's': () => this.zoom(1 / 0.6),
      '-': () => this.zoom(1 / 0.6), 'a': () => this.pan(-wide / 5),
      'd': () => this.pan(wide / 5),
      'Home': () => this.move({ a: 0, b: this.end }) };
    if (document.activeElement === this.canvas)
      Object.assign(keys, {
        ...Object.fromEntries(['ArrowLeft', 'ArrowRight', 'ArrowUp',
          'ArrowDown'].map(key => [key, () => this.step(key)])),
        'Enter': () => this.at && this.zoomTo(this.at.part),
        ' ': () => this.select(this.at) });
    const run = keys[e.key];
    if (!run)
      return;
    e.preventDefault();
    e.stopPropagation();
    run();
  }

  /** The box of a lane that is first in sight.
   * @param {Lane|undefined} lane @returns {Spot|null} */
  firstOf(lane) {
    const chart = lane && this.data?.charts.get(lane.track.track);
    const box = chart && (chart.rows[1]?.find(b => b.end > this.range.a) ??
      chart.merged.find(b => b.end > this.range.a));
    return lane && box ? this.spotOf(lane, box) : null;
  }

  /** Moves from box to box. @param {string} key */
  step(key) {
    const to = this.at?.box ? this.neighbour(this.at.lane, this.at.box, key) :
      this.firstOf(this.visible()[0]);
    if (!to)
      return;
    const { a, b } = this.range, { start, end } = to.part;
    if (end <= a || start >= b)
      this.move({ a: start - (b - a) / 3, b: start + (b - a) * 2 / 3 });
    if (!this.inSight(to.y, to.height))
      this.scroller.scrollTop = to.lane.y;
    const r = this.canvas.getBoundingClientRect();
    this.hover(to, r.left + this.xOf(Math.max(a, start)), r.top + to.y -
      this.scroller.scrollTop + to.height);
  }

  /** @param {Lane} lane @param {Box} box @param {string} key
   * @returns {Spot|null} */
  neighbour(lane, box, key) {
    const chart = this.data?.charts.get(lane.track.track);
    const i = this.lanes.indexOf(lane);
    if (!chart)
      return null;
    const row = box.n > 0 ? chart.merged : chart.rows[box.depth];
    let to;
    if (key === 'ArrowLeft' || key === 'ArrowRight')
      to = row[row.indexOf(box) + (key === 'ArrowLeft' ? -1 : 1)];
    else if (key === 'ArrowDown')
      to = box.n > 0 ? undefined : [chart.rows[box.depth + 1] ?? [],
        chart.merged.filter(m => m.depth === box.depth + 1)].flatMap(r =>
        r.find(b => b.start >= box.start && b.end <= box.end) ?? [])[0];
    else
      to = boxAt(chart, box.depth - 1, box.start, 0);
    if (to)
      return this.spotOf(lane, to);
    return key === 'ArrowDown' ? this.firstOf(this.lanes[i + 1]) :
      key === 'ArrowUp' ? this.firstOf(this.lanes[i - 1]) : null;
  }
}
