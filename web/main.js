/*
 * The page: from the state to questions, from answers to views. Everything that
 * is shown follows from the state and from what the engine says about it.
 */
import { DifferenceView, describe } from './difference.js';
import { Flame } from './flame.js';
import { byId, make, nouns, percent, place, safe, share, time }
  from './format.js';
import { bind } from './keys.js';
import { Overview } from './overview.js';
import { RequestsView } from './requests.js';
import { Sandwich } from './sandwich.js';
import { Slot, ask, forget, info } from './source.js';
import { Table } from './table.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Info} Info */
/** @typedef {import('./types.js').Rows} Rows */
/** @typedef {import('./types.js').FlameAnswer} FlameAnswer */
/** @typedef {import('./flame.js').Node} Node */

/** Milliseconds between two looks at the server: it ends when nobody looks. */
const LOOK = 5000, LOOK_FOLLOWING = 1000;

/** @type {Info|null} */
let facts = null;

const main = byId('main'), tip = byId('tip');
const groupBox = /** @type {HTMLSelectElement} */ (byId('by'));
const sideBox = /** @type {HTMLSelectElement} */ (byId('side'));
const idleBox = /** @type {HTMLInputElement} */ (byId('idle-shown'));
const searchBox = /** @type {HTMLInputElement} */ (byId('search'));

/* --- words at the bottom, and beside the mouse --- */

/** @param {string} text */
function say(text) {
  byId('status').textContent = text;
  byId('status').classList.remove('bad');
}

/** @param {Error} error */
function fail(error) {
  byId('status').textContent = error.message;
  byId('status').classList.add('bad');
}

/** @param {Node|null} node @param {number} x @param {number} y */
function hover(node, x, y) {
  tip.hidden = !node?.key;
  if (!node?.key)
    return;
  const whole = shown.samples, of = share(node.total, whole);
  tip.replaceChildren(make('b', '', safe(node.key.name || node.key.text)));
  if (node.key.file)
    tip.append(make('p', '', place(node.key.file, node.key.line)));
  /* In an inverted graph the innermost frame is the outermost box. */
  tip.append(make('p', '', `${percent(of)} of what is selected, ` +
    nouns(node.total, 'sample') + (state.get().view === 'flame' ?
    ` · self ${percent(share(node.self, whole))}` : '')));
  if (node.key.change)
    tip.append(make('p', '', describe(node.key.change)));
  const r = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14,
    innerWidth - r.width - 8))}px`;
  tip.style.top = `${y + 20 + r.height > innerHeight ? y - r.height - 10 :
    y + 18}px`;
}

/* --- views --- */

/** @type {import('./flame.js').Events} */
const flameEvents = {
  zoom: node => {
    const s = state.get();
    if (s.view === 'sandwich') {
      if (node.key)
        state.set({ fn: node.key.id });
    } else
      state.set({ root: node.id ? String(node.id) : '' });
  },
  pick: key => state.set({ view: 'sandwich', fn: key.id }),
  hover,
};

const tableEvents = {
  /** @param {import('./types.js').Row} row */
  pick: row => state.set({ view: 'sandwich', fn: row.id }),
  /** @param {'self'|'total'} sort */
  sort: sort => state.set({ sort }, { replace: true }),
};

const views = {
  flame: new Flame(main, 'Flame graph', flameEvents),
  callers: new Flame(main, 'Inverted flame graph', flameEvents),
  table: new Table(main, tableEvents),
  sandwich: new Sandwich(main, flameEvents, tableEvents),
  requests: new RequestsView(main),
  difference: new DifferenceView(main, { sort: tableEvents.sort,
    pick: id => state.set({ view: 'sandwich', fn: id }) }),
};
const overview = new Overview(byId('overview'), say);
const TABS = /** @type {const} */ ([['flame', 'Flame graph'],
  ['callers', 'Inverted'], ['table', 'Functions'], ['sandwich', 'Sandwich'],
  ['requests', 'Requests'], ['difference', 'Difference']]);

/* What the page shows now. */
const shown = { samples: 0, time_us: 0 };
const slots = { flame: new Slot(), rows: new Slot(), matched: new Slot(),
  requests: new Slot(), difference: new Slot() };

function pattern() {
  const q = state.get().q;
  searchBox.classList.remove('bad');
  if (!q)
    return null;
  try {
    return new RegExp(q, q === q.toLowerCase() ? 'i' : '');
  } catch {
    searchBox.classList.add('bad');
    return null;
  }
}

/** @param {FlameAnswer} answer */
function showCrumbs(answer) {
  const box = byId('crumbs');
  box.replaceChildren();
  if (answer.path.length === 0)
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

/** @param {Flame} flame @param {string} dir */
function loadFlame(flame, dir) {
  const s = state.get();
  const params = { ...state.selection(s), dir, root: s.root,
    px: Math.round(flame.width()), v: facts?.version ?? 0 };
  slots.flame.take(ask('flame', params), (/** @type {FlameAnswer} */ a) => {
    flame.show(a);
    showCrumbs(a);
    say(a.samples === 0 ? 'No samples are selected.' :
      `${nouns(a.samples, 'sample')} · click zooms, right click shows ` +
      'callers and callees');
  }, fail);
}

/** @param {Table} table */
function loadTable(table) {
  const s = state.get();
  const params = { ...state.selection(s), order: s.sort,
    v: facts?.version ?? 0 };
  slots.rows.take(ask('rows', params), (/** @type {Rows} */ a) => {
    shown.samples = a.samples;
    shown.time_us = a.time_us;
    table.show(a, { sort: s.sort, fn: s.fn, search: pattern(), what: s.by });
    say(`${nouns(a.samples, 'sample')}, ${time(a.time_us)} selected`);
  }, fail);
}

/** @param {number} samples @param {number} us */
function showSelected(samples, us) {
  const s = state.get(), words = [];
  if (s.from || s.to)
    words.push(`${time(Number(s.from || 0))} to ` +
      (s.to ? time(Number(s.to)) : 'the end'));
  if (s.pid || s.tid)
    words.push(s.tid ? `thread ${s.tid}` : `process ${s.pid}`);
  byId('selected').textContent = words.length === 0 ? '' :
    [...words, nouns(samples, 'sample'), time(us)].join(' · ');
}

/** How much of what is selected has a frame that matches. */
function loadMatched() {
  const s = state.get(), re = pattern(), out = byId('matched');
  out.textContent = '';
  const selected = { ...state.selection(s), v: facts?.version ?? 0 };
  slots.matched.take(Promise.all([ask('matched', selected), re ?
    ask('matched', { ...selected, match: (re.ignoreCase ? '(?i)' : '') +
      s.q }) : null]), ([all, some]) => {
    shown.samples = all.samples;
    shown.time_us = all.time_us;
    showSelected(all.samples, all.time_us);
    if (some)
      out.textContent = `${percent(share(some.samples, all.samples))} · ` +
        nouns(some.samples, 'sample');
  }, fail);
}

function load() {
  const s = state.get();
  if (facts)
    overview.show(facts);
  overview.select(s);
  loadMatched();
  if (s.view === 'flame')
    loadFlame(views.flame, 'callees');
  else if (s.view === 'callers')
    loadFlame(views.callers, 'callers');
  else
    byId('crumbs').replaceChildren();
  if (s.view === 'table')
    loadTable(views.table);
  if (s.view === 'sandwich') {
    loadTable(views.sandwich.table);
    ask('matched', { ...state.selection(s), v: facts?.version ?? 0 }).then(
      a => views.sandwich.load(s, facts?.version ?? 0, a.samples, fail), fail);
  }
  if (s.view === 'difference')
    slots.difference.take(ask('difference', { ...state.selection(s),
      order: s.sort, v: facts?.version ?? 0 }), a =>
      views.difference.show(a, { sort: s.sort, search: pattern(),
        what: s.by }), fail);
  if (s.view === 'requests')
    slots.requests.take(ask('requests', { v: facts?.version ?? 0 }),
      a => views.requests.show(a), fail);
}

/* --- the frame around the views --- */

function applyTheme() {
  const wanted = state.get().theme;
  const isDark = wanted ? wanted === 'dark' :
    matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.classList.toggle('dark', isDark);
}

function showView() {
  const s = state.get();
  for (const [name, view] of Object.entries(views))
    view.box.hidden = name !== s.view;
  for (const tab of byId('tabs').children)
    tab.setAttribute('aria-selected',
      String(/** @type {HTMLElement} */ (tab).dataset.view === s.view));
  byId('whole').hidden = !(s.from || s.to || s.pid || s.tid);
  groupBox.value = s.by;
  sideBox.value = s.side;
  idleBox.checked = s.idle ? s.idle === '1' : !facts?.hides_idle;
  sideBox.hidden = !facts?.is_diff;
  for (const tab of byId('tabs').children)
    if (tab instanceof HTMLElement && tab.dataset.view === 'difference')
      tab.hidden = !facts?.is_diff;
  if (searchBox.value !== s.q)
    searchBox.value = s.q;
  tip.hidden = true;
}

function mark() {
  const re = pattern();
  views.flame.mark(re);
  views.callers.mark(re);
  views.sandwich.mark(re);
}

/** @param {Info} now */
function showFacts(now) {
  document.title = `${safe(now.title)} · bobbin`;
  byId('title').textContent = safe(now.title);
  byId('facts').textContent = [nouns(now.samples, 'sample'),
    ...now.times.map(t => `${t.label} ${t.text}`),
    now.lost > 0 ? `${nouns(now.lost, 'sample')} lost` : '',
    now.missed > 0 ? `${nouns(now.missed, 'moment')} missed` : '',
    now.follows ? 'growing' : ''].filter(Boolean).join(' · ');
  byId('idle').hidden = now.idle_samples === 0;
  byId('idle').title = 'Threads that wait for work, found ' + now.idle_rule;
}

function update() {
  applyTheme();
  showView();
  mark();
  load();
}

async function look() {
  try {
    const now = await info(), isNew = facts?.version !== now.version;
    if (facts && isNew)
      forget();
    if (!facts && now.is_diff && !location.hash)
      state.set({ view: 'difference' }, { replace: true });
    facts = now;
    showFacts(now);
    overview.show(now);
    if (isNew)
      update();
  } catch {
    fail(new Error('The server has ended: this page shows what it had.'));
  }
  setTimeout(look, facts?.follows ? LOOK_FOLLOWING : LOOK);
}

function start() {
  const tabs = byId('tabs');
  for (const [name, label] of TABS) {
    const tab = make('button', '', label);
    tab.type = 'button';
    tab.dataset.view = name;
    tab.setAttribute('role', 'tab');
    tab.addEventListener('click', () => state.set({ view: name, root: '' }));
    tabs.append(tab);
  }
  byId('whole').addEventListener('click', whole);
  idleBox.addEventListener('change', () =>
    state.set({ idle: idleBox.checked ? '1' : '0' }));
  sideBox.addEventListener('change', () =>
    state.set({ side: sideBox.value }));
  groupBox.addEventListener('change', () =>
    state.set({ by: groupBox.value, fn: '' }));
  byId('theme').addEventListener('click', toggleTheme);
  searchBox.addEventListener('input', () =>
    state.set({ q: searchBox.value }, { replace: true }));
  state.subscribe(update);
  bind([...TABS.map(([view, label], i) => ({ keys: [String(i + 1)],
    what: label, run: () => state.set({ view, root: '' }) })),
  { keys: ['/'], what: 'search', run: () => searchBox.focus() },
  { keys: ['Escape'], what: 'leave the search, zoom out, the whole trace',
    run: escape },
  { keys: ['0'], what: 'zoom out', run: () => state.set({ root: '' }) },
  { keys: ['t'], what: 'light or dark', run: toggleTheme }],
  [['arrows', 'move in a flame graph or table that has the focus'],
    ['Enter', 'zoom into a frame; open a row'],
    ['s', 'callers and callees of a frame'], ['?', 'this list']]);
  look();
}

function whole() {
  state.set({ from: '', to: '', pid: '', tid: '', root: '' });
}

function toggleTheme() {
  const isDark = document.documentElement.classList.contains('dark');
  state.set({ theme: isDark ? 'light' : 'dark' }, { replace: true });
}

function escape() {
  const s = state.get();
  if (document.activeElement === searchBox || s.q) {
    searchBox.blur();
    state.set({ q: '' }, { replace: true });
  } else if (s.root)
    state.set({ root: '' });
  else
    whole();
}

start();
