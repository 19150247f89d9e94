/*
 * One flame graph on a canvas. It draws what the engine gives: nodes that are
 * wide enough to be seen, below one root. Zooming asks for another root.
 *
 * The canvas is as high as its box, and stays where it is while the box scrolls
 * the sheet under it: a stack of 80,000 frames is higher than any canvas may
 * be. What the mouse and the keys point at are elements above it, so that
 * pointing draws nothing anew.
 *
 * Keys, when the graph has the focus: arrows move from frame to frame, Enter
 * zooms, letters do what the menu of a frame offers (actions.js).
 */
import { act, openActions } from './actions.js';
import { color, colorOf, colorOfChange, colorOfSelf, moduleOf,
  penFor } from './canvas.js';
import { make, percent, safe, share } from './format.js';
import { coloring, showLegend } from './legend.js';

const ROW = 19, FIELDS = 6, MIN_TEXT = 22;
/* Characters of a name that can be seen on the widest screen. */
const MAX_TEXT = 2000;
const FONT = '12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace';

/** @typedef {import('./types.js').FlameAnswer} FlameAnswer */
/** @typedef {import('./types.js').Key} Key */
/** @typedef {import('./picture.js').Pen} Pen */
/** @typedef {import('./picture.js').Picture} Picture */

/**
 * @typedef {object} Node
 * @property {number} id
 * @property {number} depth
 * @property {number} start
 * @property {number} total
 * @property {number} self  samples in which it is the innermost frame
 * @property {Key|undefined} key
 */

/**
 * What is drawn of all nodes of one key.
 * @typedef {object} Look
 * @property {string} label
 * @property {string} fill
 * @property {boolean} isMatch  what is searched for
 */

/**
 * @typedef {object} Events
 * @property {(node: Node) => void} zoom
 * @property {(node: Node|null, x: number, y: number) => void} hover
 */

export class Flame {
  /**
   * @param {HTMLElement} parent @param {string} label
   * @param {Events} events @param {{isUp?: boolean, hidesRoot?: boolean,
   *   isInverted?: boolean}} [o]  isUp: callers of a function; isInverted: it
   *   begins with the innermost frames
   */
  constructor(parent, label, events, o = {}) {
    this.events = events;
    this.isUp = !!o.isUp;
    this.hidesRoot = !!o.hidesRoot;
    this.isInverted = !!o.isInverted;
    this.box = make('div', 'flame');
    this.canvas = make('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.label = label;
    this.sheet = make('div', 'sheet');
    this.hoverMark = make('div', 'mark');
    this.keyMark = make('div', 'mark keyed');
    this.sheet.append(this.canvas, this.hoverMark, this.keyMark);
    this.box.append(this.sheet);
    parent.append(this.box);
    /** @type {Node[][]} nodes by depth, from left to right */
    this.rows = [];
    /** @type {{key: Key|undefined, self: number}[]} of an inverted graph */
    this.ends = [];
    this.samples = 0;
    this.height = 0;
    this.isDiff = false;
    /** @type {RegExp|null} */
    this.search = null;
    /** @type {Node|null} */
    this.hovered = null;
    /** @type {Node|null} */
    this.at = null;
    /** @type {Map<Key|undefined, Look>} */
    this.looks = new Map();
    this.isDark = false;
    /** @type {ReturnType<typeof coloring>} */
    this.how = 'module';
    this.frame = 0;
    this.pointAt();
    this.listen();
  }

  listen() {
    const c = this.canvas;
    c.addEventListener('mousemove', e => this.point(e));
    c.addEventListener('mouseleave', () => this.hover(null, 0, 0));
    c.addEventListener('click', e => {
      const node = this.under(e);
      if (node)
        this.events.zoom(node);
    });
    c.addEventListener('contextmenu', e => {
      /* The key for menus has no place: the frame that has the focus. */
      const node = e.button === 2 ? this.under(e) : this.at;
      if (!node?.key)
        return;
      e.preventDefault();
      const r = c.getBoundingClientRect();
      openActions(node.key, ...(e.button === 2 ?
        /** @type {[number, number]} */ ([e.clientX, e.clientY]) :
        /** @type {[number, number]} */ ([r.left + this.xOf(node),
          r.top + this.top(node.depth) - this.box.scrollTop + ROW])));
    });
    c.addEventListener('keydown', e => this.press(e));
    c.addEventListener('blur', () => {
      this.at = null;
      this.pointAt();
    });
    this.box.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => {
      this.layOut();
      this.paint();
    }).observe(this.box);
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
    this.looks.clear();
    for (let i = 0; i < a.nodes.length; i += FIELDS) {
      const depth = a.nodes[i + 1];
      (this.rows[depth] ??= []).push({ id: a.nodes[i], depth,
        key: a.keys[a.nodes[i + 2]], start: a.nodes[i + 3],
        total: a.nodes[i + 4], self: this.isInverted || this.isUp ? 0 :
          a.nodes[i + 5] });
    }
    if (this.isInverted)
      this.setEnds(a);
    const top = this.rows[1]?.[0];
    this.canvas.setAttribute('aria-label', `${this.label}: ` +
      `${a.nodes.length / FIELDS} frames, ${this.rows.length} deep` +
      (top?.key ? `; widest: ${safe(top.key.name.slice(0, MAX_TEXT))}, ` +
        percent(share(top.total, a.samples)) : ''));
    this.layOut();
    this.box.scrollTop = this.isUp ? this.box.scrollHeight : 0;
  }

  /** The innermost frames of an inverted graph: those below the root, or the
   * one that the way to a root begins with. @param {FlameAnswer} a */
  setEnds(a) {
    const root = this.rows[0]?.[0];
    for (const node of root?.key ? [] : this.rows[1] ?? [])
      node.self = node.total;
    if (root?.key && a.path.length === 2)
      root.self = root.total;
    this.ends = root?.key ? [{ key: a.keys[a.path[1]], self: a.samples }] :
      this.rows[1] ?? [];
  }

  /** @param {RegExp|null} pattern */
  mark(pattern) {
    if (String(pattern) !== String(this.search))
      this.looks.clear();
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

  /** Makes the sheet as high as its rows. */
  layOut() {
    const n = Math.max(1, this.rows.length - this.first());
    this.height = this.isUp ? Math.max(n * ROW, this.box.clientHeight) :
      n * ROW;
    this.sheet.style.height = `${this.height}px`;
    this.pointAt();
    this.draw();
  }

  /** Paints with the next frame, however often it is asked for. */
  draw() {
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  paint() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const height = Math.min(this.height, this.box.clientHeight);
    if (height === 0)
      return;
    const top = Math.min(this.box.scrollTop, this.height - height);
    const pen = penFor(this.canvas, this.width(), height);
    pen.translate(0, -top);
    const below = this.isUp ? this.height - top - height : top;
    this.paintRows(pen, Math.floor(below / ROW) + this.first(),
      Math.ceil((below + height) / ROW) + this.first());
  }

  /** @param {Pen} pen @param {number} first @param {number} last */
  paintRows(pen, first, last) {
    const theme = { ink: color('--ink'), panel: color('--panel') };
    this.chooseTheme();
    pen.font = FONT;
    pen.textBaseline = 'middle';
    for (let depth = first; depth < this.rows.length && depth <= last; depth++)
      this.paintRow(pen, this.rows[depth], this.width(), theme);
  }

  /** All rows, also those out of sight. @returns {Picture} */
  picture() {
    const height = this.samples === 0 ? 0 :
      (this.rows.length - this.first()) * ROW;
    return { title: this.label, width: this.width(), height, paint: pen => {
      pen.translate(0, this.isUp ? height - this.height : 0);
      this.paintRows(pen, this.first(), this.rows.length);
    } };
  }

  /** What is known of colours is of one theme. */
  chooseTheme() {
    const isDark = document.documentElement.classList.contains('dark');
    const how = coloring(this.isDiff);
    if (isDark !== this.isDark || how !== this.how)
      this.looks.clear();
    this.isDark = isDark;
    this.how = how;
  }

  /** What the colours mean. @param {HTMLElement} box */
  legend(box) {
    showLegend(box, this.isInverted ? this.ends : this.rows.flat(),
      this.samples, this.isDiff);
  }

  /** @param {Key|undefined} key @returns {Look} */
  lookOf(key) {
    let look = this.looks.get(key);
    if (!look) {
      const isMatch = !!this.search?.test(key?.text ?? '');
      const name = key ? key.name || key.text : 'all';
      look = { label: safe(name.slice(0, MAX_TEXT)), isMatch,
        fill: isMatch ? color('--match') : !key ? color('--line') :
          this.how === 'difference' ? colorOfChange(key.change, this.isDark) :
            colorOf(moduleOf(key), this.isDark) };
      this.looks.set(key, look);
    }
    return look;
  }

  /**
   * @param {Pen} pen @param {Node[]} row
   * @param {number} width @param {{ink: string, panel: string}} theme
   */
  paintRow(pen, row, width, theme) {
    const scale = width / Math.max(1, this.samples);
    const y = this.top(row[0].depth);
    let painted = -1;
    for (const node of row) {
      const x = node.start * scale, w = node.total * scale;
      /* Of nodes that share a column of pixels, one is seen. */
      if (w < 1 && Math.floor(x) === painted)
        continue;
      painted = Math.floor(x);
      const look = this.lookOf(node.key);
      pen.globalAlpha = this.search && !look.isMatch ? 0.35 : 1;
      pen.fillStyle = this.how !== 'self' || look.isMatch || !node.key ?
        look.fill : colorOfSelf(share(node.self, this.samples), this.isDark);
      pen.fillRect(x, y, Math.max(w - (w > 2 ? 1 : 0), 0.5), ROW - 1);
      pen.globalAlpha = 1;
      if (w >= MIN_TEXT) {
        pen.fillStyle = look.isMatch ? theme.panel : theme.ink;
        this.write(pen, look.label, x, y, w);
      }
    }
  }

  /**
   * @param {Pen} pen @param {string} label
   * @param {number} x @param {number} y @param {number} w
   */
  write(pen, label, x, y, w) {
    pen.save();
    pen.beginPath();
    pen.rect(x, y, w - 3, ROW);
    pen.clip();
    /* No character is narrower than 2 pixels. */
    pen.fillText(label.slice(0, w / 2), Math.max(x, 0) + 4, y + ROW / 2);
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

  /** The node below the mouse. @param {MouseEvent} e */
  under(e) {
    return this.find(e.offsetX, e.offsetY + this.box.scrollTop);
  }

  /** @param {MouseEvent} e */
  point(e) {
    this.hover(this.under(e), e.clientX, e.clientY);
  }

  /** @param {Node|null} node @param {number} x @param {number} y */
  hover(node, x, y) {
    this.hovered = node;
    this.pointAt();
    this.events.hover(node, x, y);
  }

  /** Puts the marks around what is pointed at. */
  pointAt() {
    const scale = this.width() / Math.max(1, this.samples);
    for (const [mark, node] of /** @type {[HTMLElement, Node|null][]} */ ([
      [this.hoverMark, this.hovered], [this.keyMark, this.at]])) {
      mark.hidden = !node;
      if (!node)
        continue;
      mark.style.transform = `translate(${node.start * scale}px, ` +
        `${this.top(node.depth)}px)`;
      mark.style.width = `${Math.max(1, node.total * scale)}px`;
    }
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
    else if (e.key.startsWith('Arrow'))
      to = this.at ? this.neighbour(start, e.key) ?? start : start;
    else if (!act(e, start.key))
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
    this.pointAt();
    const y = this.top(node.depth);
    if (y < this.box.scrollTop)
      this.box.scrollTop = y;
    else if (y + ROW > this.box.scrollTop + this.box.clientHeight)
      this.box.scrollTop = y + ROW - this.box.clientHeight;
    const r = this.canvas.getBoundingClientRect();
    this.events.hover(node, r.left + this.xOf(node), r.top + y -
      this.box.scrollTop + ROW);
  }

  /** @param {Node} node */
  xOf(node) {
    return node.start * this.width() / Math.max(1, this.samples);
  }
}
