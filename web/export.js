/*
 * Saves what is selected: the picture of a view, stacks and tables as text, and
 * from a server the selection as a trace of any format.
 */
import * as engine from './engine.js';
import { byId, nouns } from './format.js';
import { Menu } from './menu.js';
import { pngOf, sheetOf, svgOf } from './picture.js';
import { once } from './source.js';
import * as state from './state.js';
import { fail, say } from './status.js';
import { selectedSamples, views } from './views.js';

/** @typedef {{name: string, suffix: string, summary: string}} Format */

/** Of a server. @type {Format[]} */
let formats = [];

/** What rows are called in names of files. @type {Record<string, string>} */
const ROWS = { function: 'functions', line: 'lines', file: 'files',
  module: 'modules' };

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
function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  /* The browser has begun to read it by then. */
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  say(`Saved ${name}, ${bytes(blob.size)}.`);
}

/** Runs what saves, and says how it goes. @param {() => Promise<void>} run */
function start(run) {
  say('Saving …');
  run().catch(e => fail(e instanceof Error ? e : new Error(String(e))));
}

/** The side of a comparison, for the names of files. */
function side() {
  return byId('side').hidden ? '' :
    state.get().side === '0' ? '-before' : '-after';
}

/** Parameters of what is selected. */
function selected() {
  return state.selection(state.get());
}

/* --- pictures --- */

function view() {
  return views.find(v => v.name === state.get().view);
}

function pictures() {
  return view()?.pictures?.().filter(p => p.height > 0) ?? [];
}

/** What is selected, in words. */
function facts() {
  const s = state.get(), words = [view()?.label ?? ''];
  if (s.root && s.view !== 'sandwich')
    words.push('a part of it');
  if (s.fn && s.view === 'sandwich')
    words.push(s.fn);
  words.push(byId('selected').textContent || 'the whole trace, ' +
    nouns(selectedSamples(), 'sample'));
  if (s.q)
    words.push(`marked: ${s.q}`);
  return words.join(' · ');
}

function sheet() {
  return sheetOf(pictures(), byId('title').textContent ?? '', facts());
}

/** @returns {import('./menu.js').Group} */
function pictureGroup() {
  const why = pictures().length > 0 ? undefined : 'this view has no graph';
  const name = state.get().view + side();
  return { label: 'Picture', items: [
    { label: 'SVG', note: 'for documents', why,
      run: () => start(async () => save(svgOf(sheet()),
        fileName(name, '.svg'))) },
    { label: 'PNG', note: 'for chats and tickets', why,
      run: () => start(async () => save(await pngOf(sheet()),
        fileName(name, '.png'))) },
  ] };
}

/* --- text --- */

/** @param {'folded'|'csv'} question @param {string} type
 * @param {string} name */
async function saveText(question, type, name) {
  const { text } = await once(question, selected());
  save(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

/** @returns {import('./menu.js').Group} */
function textGroup() {
  const rows = ROWS[state.get().by] ?? 'rows';
  return { label: 'What is selected', items: [
    { label: 'Folded stacks', note: `a line per stack of ${rows}`,
      run: () => start(() => saveText('folded', 'text/plain',
        fileName(`stacks${side()}`, '.folded'))) },
    { label: 'CSV', note: `a row per ${rows.slice(0, -1)}`,
      run: () => start(() => saveText('csv', 'text/csv',
        fileName(rows + side(), '.csv'))) },
  ] };
}

/* --- traces --- */

/** @param {Format} format */
async function saveTrace(format) {
  const query = new URLSearchParams(Object.entries(selected())
    .filter(([, value]) => value !== ''));
  const response = await fetch(`export/${format.name}?${query}`);
  if (!response.ok)
    throw new Error((await response.json().catch(() => ({}))).error ??
      `the server answered ${response.status}`);
  save(await response.blob(), fileName(`selection${side()}`,
    format.suffix || `.${format.name}`));
}

/** @returns {import('./menu.js').Group} */
function traceGroup() {
  return { label: 'As a trace, from the inputs', items: formats.map(f => ({
    label: f.name, note: f.summary, run: () => start(() => saveTrace(f)) })) };
}

/** @type {Menu} */
let menu;

export function openExport() {
  menu.open();
}

export async function startExport() {
  menu = new Menu(byId('export'), () => [pictureGroup(), textGroup(),
    traceGroup()]);
  if (!engine.page)
    formats = (await (await fetch('formats')).json()).formats;
}
