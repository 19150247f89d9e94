/* Numbers as people read them, and the elements that show them. */

/** 1234567 as "1,234,567". @param {number} n */
export function count(n) {
  return n.toLocaleString('en');
}

/** Microseconds as "12 µs", "3.14 s", "2 h 03 min". @param {number} us */
export function time(us) {
  if (us < 1000)
    return `${Math.round(us)} µs`;
  if (us < 1e6)
    return `${(us / 1e3).toPrecision(3)} ms`;
  if (us < 60e6)
    return `${(us / 1e6).toPrecision(us < 1e7 ? 3 : 4)} s`;
  const s = Math.round(us / 1e6);
  if (s < 3600)
    return `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, '0')} s`;
  return `${Math.floor(s / 3600)} h ` +
    `${String(Math.floor(s / 60) % 60).padStart(2, '0')} min`;
}

/** A share of 1 as "12.3 %". @param {number} part */
export function percent(part) {
  const p = 100 * part;
  return `${p.toFixed(p > 0 && p < 0.1 ? 2 : 1)} %`;
}

/** @param {number} part @param {number} whole */
export function share(part, whole) {
  return whole > 0 ? part / whole : 0;
}

/** "1 sample", "2 samples". @param {number} n @param {string} noun */
export function nouns(n, noun) {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`;
}

/**
 * Makes characters visible that control the direction of text or are not
 * printed: names come from untrusted files.
 * @param {string} text
 */
export function safe(text) {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The end of a path is what tells files apart.
 * @param {string} file @param {number} [line]
 */
export function place(file, line) {
  const parts = file.split('/');
  const short = parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : file;
  return safe(line !== undefined && line > 0 ? `${short}:${line}` : short);
}

/**
 * An element with a class and text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {string} [className] @param {string} [text]
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, className, text) {
  const e = document.createElement(tag);
  if (className)
    e.className = className;
  if (text !== undefined)
    e.textContent = text;
  return e;
}

/** The element with this id, which index.html has. @param {string} id */
export function byId(id) {
  const e = document.getElementById(id);
  if (!e)
    throw new Error(`the page has no #${id}`);
  return e;
}
