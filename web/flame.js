/*
 * One flame graph on a canvas. It draws what the engine gives: nodes that are
 * wide enough to be seen, below one root. Zooming asks for another root.
 *
 * Keys, when the graph has the focus: arrows move from frame to frame, Enter
 * zooms, s puts the function into the sandwich.
 */
import { color, colorOf, colorOfChange, moduleOf, penFor } from './canvas.js';
import { make, percent, safe, share } from './format.js';

const ROW = 19, FIELDS = 6, MIN_TEXT = 22;
const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace';

/** @typedef {import('./types.js').FlameAnswer} FlameAnswer */
/** @typedef {import('./types.js').Key} Key */

/**
 * @typedef {object} Node
 * @property {number} id
 * @property {number} depth
 * @property {number} start
 * @property {number} total
 * @property {number} self
 * @property {Key|undefined} key
 */

/**
 * @typedef {object} Events
 * @property {(node: Node) => void} zoom
 * @property {(key: Key) => void} pick
 * @property {(node: Node|null, x: number, y: number) => void} hover
 */

export class Flame {
  /**
   * @param {HTMLElement} parent @param {string} label
   * @param {Events} events @param {{isUp?: boolean, hidesRoot?: boolean}} [o]
   */
  constructor(parent, label, events, o = {}) {
    this.events = events;
    this.isUp = !!o.isUp;
    this.hidesRoot = !!o.hidesRoot;
    this.box = make('div', 'flame');
    this.canvas = make('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.label = label;
    this.box.append(this.canvas);
    parent.append(this.box);
    /** @type {Node[][]} nodes by depth, from left to right */
    this.rows = [];
    this.samples = 0;
    this.height = 0;
    this.isDiff = false;
    /** @type {RegExp|null} */
    this.search = null;
    /** @type {Node|null} */
    this.hovered = null;
    /** @type {Node|null} */
    this.at = null;
    this.listen();
  }

  listen() {
    const c = this.canvas;
    c.addEventListener('mousemove', e => this.point(e));
    c.addEventListener('mouseleave', () => this.hover(null, 0, 0));
    c.addEventListener('click', e => {
      const node = this.find(e.offsetX, e.offsetY);
      if (node)
        this.events.zoom(node);
    });
    c.addEventListener('contextmenu', e => {
      const node = this.find(e.offsetX, e.offsetY);
      if (!node?.key)
        return;
      e.preventDefault();
      this.events.pick(node.key);
    });
    c.addEventListener('keydown', e => this.press(e));
    c.addEventListener('blur', () => {
      this.at = null;
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  width() {
    return Math.max(100, this.box.clientWidth);
  }

  /** @param {FlameAnswer} a */
  show(a) {
    this.rows = [];
    this.samples = a.samples;
    this.isDiff = Object.values(a.keys).some(key => key.change);
    this.at = this.hovered = null;
    for (let i = 0; i < a.nodes.length; i += FIELDS) {
      const [id, depth, key, start, total, self] =
        a.nodes.slice(i, i + FIELDS);
      (this.rows[depth] ??= []).push({ id, depth, start, total, self,
        key: a.keys[key] });
    }
    const top = this.rows[1]?.[0];
    this.canvas.setAttribute('aria-label', `${this.label}: ` +
      `${this.rows.flat().length} frames, ${this.rows.length} deep` +
      (top?.key ? `; widest: ${top.key.name}, ` +
        percent(share(top.total, a.samples)) : ''));
    this.draw();
    this.box.scrollTop = this.isUp ? this.box.scrollHeight : 0;
  }

  /** @param {RegExp|null} pattern */
  mark(pattern) {
    this.search = pattern;
    this.draw();
  }

  /* --- drawing --- */

  /** Rows that are drawn; a root that only stands for all is left out. */
  first() {
    return this.hidesRoot ? 1 : 0;
  }

  /** @param {number} depth */
  top(depth) {
    const i = depth - this.first();
    return this.isUp ? this.height - (i + 1) * ROW : i * ROW;
  }

  draw() {
    const width = this.width();
    const n = Math.max(1, this.rows.length - this.first());
    this.height = this.isUp ? Math.max(n * ROW, this.box.clientHeight) :
      n * ROW;
    const pen = penFor(this.canvas, width, this.height);
    const theme = {
      isDark: document.documentElement.classList.contains('dark'),
      ink: color('--ink'), match: color('--match'), panel: color('--panel'),
      accent: color('--accent'), line: color('--line') };
    pen.font = FONT;
    pen.textBaseline = 'middle';
    const scale = width / Math.max(1, this.samples);
    for (let depth = this.first(); depth < this.rows.length; depth++)
      for (const node of this.rows[depth])
        this.drawNode(pen, node, scale, theme);
    for (const node of [this.hovered, this.at])
      if (node) {
        pen.strokeStyle = node === this.at ? theme.accent : theme.ink;
        pen.lineWidth = node === this.at ? 2 : 1;
        pen.strokeRect(node.start * scale + 0.5, this.top(node.depth) + 0.5,
          Math.max(1, node.total * scale - 1), ROW - 2);
      }
  }

  /**
   * @param {CanvasRenderingContext2D} pen @param {Node} node
   * @param {number} scale
   * @param {{isDark: boolean, ink: string, match: string, panel: string}} t
   */
  drawNode(pen, node, scale, t) {
    const x = node.start * scale, w = node.total * scale;
    const y = this.top(node.depth);
    const name = node.key ? node.key.name || node.key.text : 'all';
    const isMatch = this.search?.test(node.key?.text ?? '');
    pen.globalAlpha = this.search && !isMatch ? 0.35 : 1;
    pen.fillStyle = isMatch ? t.match : !node.key ? color('--line') :
      this.isDiff ? colorOfChange(node.key.change, t.isDark) :
        colorOf(moduleOf(node.key), t.isDark);
    pen.fillRect(x, y, Math.max(w - (w > 2 ? 1 : 0), 0.5), ROW - 1);
    pen.globalAlpha = 1;
    if (w < MIN_TEXT)
      return;
    pen.save();
    pen.beginPath();
    pen.rect(x, y, w - 3, ROW);
    pen.clip();
    pen.fillStyle = isMatch ? t.panel : t.ink;
    pen.fillText(safe(name), Math.max(x, 0) + 4, y + ROW / 2);
    pen.restore();
  }

  /* --- pointing --- */

  /** @param {number} x @param {number} y @returns {Node|null} */
  find(x, y) {
    const i = this.isUp ? Math.floor((this.height - y) / ROW) :
      Math.floor(y / ROW);
    const row = this.rows[i + this.first()];
    if (!row)
      return null;
    const at = x * this.samples / this.width();
    let low = 0, high = row.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (row[mid].start <= at)
        low = mid;
      else
        high = mid - 1;
    }
    const node = row[low];
    return node.start <= at && at < node.start + node.total ? node : null;
  }

  /** @param {MouseEvent} e */
  point(e) {
    this.hover(this.find(e.offsetX, e.offsetY), e.clientX, e.clientY);
  }

  /** @param {Node|null} node @param {number} x @param {number} y */
  hover(node, x, y) {
    if (node !== this.hovered) {
      this.hovered = node;
      this.draw();
    }
    this.events.hover(node, x, y);
  }

  /* --- keys --- */

  /** @param {KeyboardEvent} e */
  press(e) {
    if (e.ctrlKey || e.metaKey || e.altKey)
      return;
    const start = this.at ?? this.rows[this.first()]?.[0] ?? null;
    let to = null;
    if (!start)
      return;
    if (e.key === 'Enter')
      this.events.zoom(start);
    else if (e.key === 's' && start.key)
      this.events.pick(start.key);
    else if (e.key.startsWith('Arrow'))
      to = this.at ? this.neighbour(start, e.key) ?? start : start;
    else
      return;
    e.preventDefault();
    e.stopPropagation();
    if (to)
      this.moveTo(to);
  }

  /** @param {Node} from @param {string} key @returns {Node|undefined} */
  neighbour(from, key) {
    const inwards = this.isUp ? 'ArrowUp' : 'ArrowDown';
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const row = this.rows[from.depth];
      return row[row.indexOf(from) + (key === 'ArrowLeft' ? -1 : 1)];
    }
    if (key === inwards)
      return this.rows[from.depth + 1]?.find(n => n.start >= from.start &&
        n.start < from.start + from.total);
    return from.depth > this.first() ? this.rows[from.depth - 1].find(n =>
      n.start <= from.start && from.start < n.start + n.total) : undefined;
  }

  /** @param {Node} node */
  moveTo(node) {
    this.at = node;
    this.draw();
    const y = this.top(node.depth);
    if (y < this.box.scrollTop)
      this.box.scrollTop = y;
    else if (y + ROW > this.box.scrollTop + this.box.clientHeight)
      this.box.scrollTop = y + ROW - this.box.clientHeight;
    const r = this.canvas.getBoundingClientRect();
    this.events.hover(node, r.left + node.start * this.width() /
      Math.max(1, this.samples), r.top + y + ROW);
  }
}
