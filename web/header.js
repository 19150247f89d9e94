/*
 * The frame around the views: facts about the trace, what is selected, and the
 * boxes that choose it.
 */
import * as engine from './engine.js';
import { baseOf, showChips } from './chips.js';
import { showFacets } from './facets.js';
import { byId, make, nouns, safe, time } from './format.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Info} Info */
/** @typedef {import('./types.js').FlameAnswer} FlameAnswer */

const groupBox = /** @type {HTMLSelectElement} */ (byId('by'));
const sideBox = /** @type {HTMLSelectElement} */ (byId('side'));
const colorsBox = /** @type {HTMLSelectElement} */ (byId('colors'));
const idleBox = /** @type {HTMLInputElement} */ (byId('idle-shown'));

export function applyTheme() {
  const wanted = state.get().theme;
  const isDark = wanted ? wanted === 'dark' :
    matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.classList.toggle('dark', isDark);
}

export function toggleTheme() {
  const isDark = document.documentElement.classList.contains('dark');
  state.set({ theme: isDark ? 'light' : 'dark' }, { replace: true });
}

/** Selects everything again. */
export function whole() {
  state.set({ from: '', to: '', pid: '', tid: '', root: '' });
}

/** What a page that is a file does not carry. @param {engine.PageFacts} page */
function left(page) {
  return [page.gaps > 0 && !page.times ? `missing: ${nouns(page.gaps, 'gap')}, ` +
    `${nouns(page.lost, 'sample')} lost` : '',
  page.bin_us > 0 ? `thinned: equal samples of a thread within ` +
    `${time(page.bin_us)} are side by side, and all are counted` : '',
  page.has_times ? '' : 'thinned: without times, as they do not fit; all ' +
    'samples are counted'];
}

/** @param {import('./types.js').Figure[]} times @param {string} missing */
function told(times, missing) {
  return [...times.map(t => `${t.label} ${t.text}`),
    missing ? `missing: ${missing}` : ''].filter(Boolean).join(' · ');
}

/** @param {Info} now */
export function showFacts(now) {
  document.title = `${safe(now.title)} · bobbin`;
  byId('title').textContent = safe(now.title);
  const times = engine.page?.times ?? now.times;
  const missing = engine.page?.missing ?? now.missing;
  const before = engine.page?.before;
  byId('facts').textContent = [nouns(now.samples, 'sample'),
    told(times, missing),
    before ? `before: ${told(before.times, before.missing)}` : '',
    ...(engine.page ? left(engine.page) : [])].filter(Boolean).join(' · ');
  byId('facts').title = byId('facts').textContent ?? '';
  byId('idle').hidden = now.idle_samples === 0;
  byId('idle').title = 'Threads that wait for work, found ' + now.idle_rule;
}

/** @param {number} samples @param {number} us */
export function showSelected(samples, us) {
  const s = state.get(), words = [];
  if (s.from || s.to)
    words.push(`${time(Number(s.from || 0))} to ` +
      (s.to ? time(Number(s.to)) : 'the end'));
  if (s.pid || s.tid)
    words.push(s.tid ? `thread ${s.tid}` : `process ${s.pid}`);
  byId('selected').textContent = words.length === 0 ? '' :
    [...words, nouns(samples, 'sample'), time(us)].join(' · ');
}

/** The way from the whole to the root of a flame graph; null: none.
 * @param {FlameAnswer|null} answer */
export function showCrumbs(answer) {
  const box = byId('crumbs');
  box.replaceChildren();
  if (!answer || answer.path.length === 0)
    return;
  /** @param {string} label @param {string} root */
  const add = (label, root) => {
    const button = make('button', '', label);
    button.type = 'button';
    button.title = label;
    button.addEventListener('click', () => state.set({ root }));
    box.append(button);
  };
  add('all', '');
  for (let i = 0; i < answer.path.length; i += 2) {
    const key = answer.keys[answer.path[i + 1]];
    box.append('›');
    add(safe(key ? key.name || key.text : '?'), String(answer.path[i]));
  }
}

/** @param {Info|null} facts */
export function showBoxes(facts) {
  const s = state.get();
  byId('whole').hidden = !(s.from || s.to || s.pid || s.tid);
  groupBox.value = s.by;
  sideBox.value = s.side;
  idleBox.checked = s.idle ? s.idle === '1' : !facts?.hides_idle;
  const hasSides = !!facts?.is_diff || !!baseOf();
  sideBox.hidden = !hasSides;
  colorsBox.value = s.colors;
  colorsBox.options[0].textContent = hasSides ? 'by difference' : 'by module';
  colorsBox.options[1].hidden = !hasSides;
  byId('base').hidden = !(facts && !facts.is_diff && facts.has_clock &&
    (s.from || s.to));
  showFacets(facts);
  showChips();
}

/** What is selected becomes what the next selection is compared with. */
export function setBase() {
  const s = state.get();
  if (byId('base').hidden)
    return;
  state.set({ base: `${s.from || 0}-${s.to || Number.MAX_SAFE_INTEGER}`,
    from: '', to: '', view: 'difference' });
}

export function startBoxes() {
  byId('whole').addEventListener('click', whole);
  byId('theme').addEventListener('click', toggleTheme);
  idleBox.addEventListener('change', () =>
    state.set({ idle: idleBox.checked ? '1' : '0' }));
  sideBox.addEventListener('change', () =>
    state.set({ side: sideBox.value }));
  groupBox.addEventListener('change', () =>
    state.set({ by: groupBox.value, fn: '' }));
  colorsBox.addEventListener('change', () =>
    state.set({ colors: colorsBox.value }, { replace: true }));
  byId('base').addEventListener('click', setBase);
}
