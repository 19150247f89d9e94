/*
 * Pictures of graphs, to be saved. A graph paints itself with a pen, which is a
 * canvas for PNG, and SvgPen for SVG.
 */
import { color } from './canvas.js';

/** What a graph may paint with. @typedef {Pick<CanvasRenderingContext2D,
 *   'fillStyle'|'globalAlpha'|'font'|'textBaseline'|'save'|'restore'|
 *   'translate'|'beginPath'|'rect'|'clip'|'fillRect'|'fillText'>} Pen */

/**
 * @typedef {object} Picture
 * @property {string} title  what it shows
 * @property {number} width
 * @property {number} height
 * @property {(pen: Pen) => void} paint
 */

const MARGIN = 12, HEAD = 52, GAP = 10;
const TITLE_FONT = '600 15px system-ui, "DejaVu Sans", sans-serif';
const TEXT_FONT = '12px system-ui, "DejaVu Sans", sans-serif';
/* No browser has a canvas with longer sides. */
const LONGEST = 16384;

/** @typedef {{fillStyle: string, globalAlpha: number, font: string,
 *   textBaseline: CanvasTextBaseline, x: number, y: number,
 *   clip: number[]|null}} PenState */

/** Text as it may stand in XML. @param {string} text */
export function xml(text) {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g,
    '\ufffd').replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
}

/** Paints elements of SVG. @implements {Pen} */
export class SvgPen {
  constructor() {
    /** @type {string[]} */
    this.parts = [];
    /** @type {PenState} */
    this.now = { fillStyle: '#000000', globalAlpha: 1, font: TEXT_FONT,
      textBaseline: 'alphabetic', x: 0, y: 0, clip: null };
    /** @type {PenState[]} */
    this.kept = [];
    /** @type {number[]} */
    this.path = [0, 0, 0, 0];
    /** @type {Map<string, string>} */
    this.colors = new Map();
    this.canvas = document.createElement('canvas').getContext('2d');
  }

  get fillStyle() { return this.now.fillStyle; }

  /* Not every program knows the colours of CSS: a canvas makes them #rrggbb. */
  set fillStyle(value) {
    const text = String(value);
    let plain = this.colors.get(text);
    if (plain === undefined && this.canvas) {
      this.canvas.fillStyle = text;
      plain = String(this.canvas.fillStyle);
      this.colors.set(text, plain);
    }
    this.now.fillStyle = plain ?? text;
  }

  get globalAlpha() { return this.now.globalAlpha; }

  set globalAlpha(value) { this.now.globalAlpha = value; }

  get font() { return this.now.font; }

  set font(value) { this.now.font = value; }

  get textBaseline() { return this.now.textBaseline; }

  set textBaseline(value) { this.now.textBaseline = value; }

  save() {
    this.kept.push({ ...this.now });
  }

  restore() {
    this.now = this.kept.pop() ?? this.now;
  }

  /** @param {number} x @param {number} y */
  translate(x, y) {
    this.now.x += x;
    this.now.y += y;
  }

  beginPath() {
    this.path = [0, 0, 0, 0];
  }

  /** @param {number} x @param {number} y @param {number} w
   * @param {number} h */
  rect(x, y, w, h) {
    this.path = [x, y, w, h];
  }

  clip() {
    const [x, y, w, h] = this.path;
    this.now.clip = [x + this.now.x, y + this.now.y, w, h];
  }

  /** @param {number} v */
  static number(v) {
    return String(Math.round(v * 100) / 100);
  }

  look() {
    return `fill="${xml(this.now.fillStyle)}"` + (this.now.globalAlpha < 1 ?
      ` opacity="${SvgPen.number(this.now.globalAlpha)}"` : '');
  }

  /** @param {number} x @param {number} y @param {number} w
   * @param {number} h */
  fillRect(x, y, w, h) {
    const [left, top, width, height] = [x + this.now.x, y + this.now.y, w, h]
      .map(SvgPen.number);
    this.parts.push(`<rect x="${left}" y="${top}" width="${width}" ` +
      `height="${height}" ${this.look()}/>`);
  }

  /** @param {string} text @param {number} x @param {number} y */
  fillText(text, x, y) {
    const clip = this.now.clip ?? [0, 0];
    const [left, top] = [x + this.now.x - clip[0], y + this.now.y - clip[1]]
      .map(SvgPen.number);
    const middle = this.now.textBaseline === 'middle' ?
      ' dominant-baseline="central"' : '';
    const element = `<text x="${left}" y="${top}"${middle} ` +
      `style="font:${xml(this.now.font)}" ${this.look()}>${xml(text)}</text>`;
    if (!this.now.clip) {
      this.parts.push(element);
      return;
    }
    /* An inner picture shows nothing beyond its edges. */
    const [cx, cy, w, h] = this.now.clip.map(SvgPen.number);
    this.parts.push(`<svg x="${cx}" y="${cy}" width="${w}" height="${h}">` +
      `${element}</svg>`);
  }

  /** @param {number} width @param {number} height @param {string} title */
  text(width, height, title) {
    return '<svg xmlns="http://www.w3.org/2000/svg" ' +
      `width="${SvgPen.number(width)}" height="${SvgPen.number(height)}" ` +
      `role="img">\n<title>${xml(title)}</title>\n${this.parts.join('\n')}\n` +
      '</svg>\n';
  }
}

/**
 * Graphs below each other, under a heading.
 * @param {Picture[]} pictures @param {string} title @param {string} facts
 */
export function sheetOf(pictures, title, facts) {
  const width = Math.max(...pictures.map(p => p.width)) + 2 * MARGIN;
  const height = HEAD + MARGIN +
    pictures.reduce((sum, p) => sum + p.height + GAP, -GAP);
  /** @param {Pen} pen */
  const paint = pen => {
    pen.fillStyle = color('--panel');
    pen.fillRect(0, 0, width, height);
    pen.textBaseline = 'middle';
    pen.font = TITLE_FONT;
    pen.fillStyle = color('--ink');
    pen.fillText(title, MARGIN, 18);
    pen.font = TEXT_FONT;
    pen.fillStyle = color('--dim');
    pen.fillText(facts, MARGIN, 38);
    let y = HEAD;
    for (const p of pictures) {
      pen.save();
      pen.translate(MARGIN, y);
      p.paint(pen);
      pen.restore();
      y += p.height + GAP;
    }
  };
  return { width, height, title: `${title}: ${facts}`, paint };
}

/** @param {Picture} sheet */
export function svgOf(sheet) {
  const pen = new SvgPen();
  sheet.paint(pen);
  return new Blob([pen.text(sheet.width, sheet.height, sheet.title)],
    { type: 'image/svg+xml' });
}

/** Twice as fine as the page, if that is possible. @param {Picture} sheet
 * @returns {Promise<Blob>} */
export function pngOf(sheet) {
  const canvas = document.createElement('canvas'), pen =
    canvas.getContext('2d');
  const scale = [2, 1].find(n => n * Math.max(sheet.width, sheet.height) <=
    LONGEST);
  return new Promise((resolve, reject) => {
    if (!scale || !pen) {
      reject(new Error('The picture is too high for PNG; SVG has no limit.'));
      return;
    }
    canvas.width = Math.ceil(sheet.width * scale);
    canvas.height = Math.ceil(sheet.height * scale);
    pen.scale(scale, scale);
    sheet.paint(pen);
    canvas.toBlob(blob => blob ? resolve(blob) : reject(new Error(
      'The browser has no memory for this picture.')), 'image/png');
  });
}
