/* Handing files to the browser. */
import { byId, nouns } from './format.js';
import { once } from './source.js';
import * as state from './state.js';
import { fail, say } from './status.js';

/** What rows are called in names of files. @type {Record<string, string>} */
export const ROWS = { function: 'functions', line: 'lines', file: 'files',
  class: 'classes', module: 'modules' };

/** What one of them is. @type {Record<string, string>} */
export const ONE = { function: 'function', line: 'line', file: 'file',
  class: 'class', module: 'module' };

/**
 * A name that is no path, has no character that acts, and is not taken for an
 * option or a hidden file.
 * @param {string} what @param {string} suffix with its dot
 */
export function fileName(what, suffix) {
  const title = byId('title').textContent ?? '';
  const base = title.replace(/[^\s,]*\//g, '')
    .replace(/\.[a-z0-9]{1,8}$/i, '').replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return `${base || 'trace'}-${what}${suffix.replace(/[^a-z0-9._-]/gi, '')}`;
}

/** @param {number} n */
function bytes(n) {
  return n < 1000 ? nouns(n, 'byte') : n < 1e6 ?
    `${(n / 1e3).toPrecision(3)} kB` : `${(n / 1e6).toPrecision(3)} MB`;
}

/** Hands a file to the browser. @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  /* The browser has begun to read it by then. */
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  say(`Saved ${name}, ${bytes(blob.size)}.`);
}

/** Runs what saves, and says how it goes. @param {() => Promise<void>} run */
export function start(run) {
  say('Saving …');
  run().catch(e => fail(e instanceof Error ? e : new Error(String(e))));
}

/** The side of a comparison, for the names of files. */
export function sideName() {
  return byId('side').hidden ? '' :
    state.get().side === '0' ? '-before' : '-after';
}

/** Parameters of what is selected. */
export function selected() {
  return state.selection(state.get());
}

/** @param {'folded'|'csv'} question @param {string} type
 * @param {string} name */
async function saveText(question, type, name) {
  const { text } = await once(question, selected());
  save(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

export function saveCsv() {
  start(() => saveText('csv', 'text/csv', fileName(
    (ROWS[state.get().by] ?? 'rows') + sideName(), '.csv')));
}

export function saveFolded() {
  start(() => saveText('folded', 'text/plain',
    fileName(`stacks${sideName()}`, '.folded')));
}
