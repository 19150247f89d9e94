/*
 * Saves what is selected: the picture of a view, stacks and tables as text, and
 * from a server the selection as a trace of any format.
 */
import * as engine from './engine.js';
import { byId, nouns } from './format.js';
import { Menu } from './menu.js';
import { pngOf, sheetOf, svgOf } from './picture.js';
import { ONE, ROWS, fileName, save, saveCsv, saveFolded, selected, sideName,
  start } from './saving.js';
import * as shape from './shape.js';
import * as state from './state.js';
import { selectedSamples, views } from './views.js';

/** @typedef {{name: string, suffix: string, summary: string}} Format */

/** Of a server. @type {Format[]} */
let formats = [];

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
  words.push(...shape.annotations(), ...shape.rules().map(shape.describe));
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
  const name = state.get().view + sideName();
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

/** @returns {import('./menu.js').Group} */
function textGroup() {
  const { by } = state.get();
  return { label: 'What is selected', items: [
    { label: 'Folded stacks', note: `a line per stack of ${ROWS[by] ?? 'rows'}`,
      run: saveFolded },
    { label: 'CSV', note: `a row per ${ONE[by] ?? 'row'}`, run: saveCsv },
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
  save(await response.blob(), fileName(`selection${sideName()}`,
    format.suffix || `.${format.name}`));
}

/** @returns {import('./menu.js').Group} */
function traceGroup() {
  const label = shape.rules().length > 0 ? 'As a trace, with whole stacks' :
    'As a trace, from the inputs';
  return { label, items: formats.map(f => ({ label: f.name, note: f.summary,
    run: () => start(() => saveTrace(f)) })) };
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
