/*
 * All views. A view is one entry: its name in the address, its tab, its element
 * in the page, and how it asks for what it shows.
 */
import { baseOf } from './chips.js';
import { DifferenceView } from './difference.js';
import { Flame } from './flame.js';
import { byId, nouns, time } from './format.js';
import { showCrumbs } from './header.js';
import { ListingView } from './listing.js';
import { OrderView } from './order.js';
import { RequestsView } from './requests.js';
import { Sandwich } from './sandwich.js';
import { pattern } from './search.js';
import { Slot, ask } from './source.js';
import * as state from './state.js';
import { fail, say, showTip } from './status.js';
import { Table } from './table.js';
import { TreeView } from './tree.js';

/** @typedef {import('./types.js').Info} Info */
/** @typedef {import('./types.js').Rows} Rows */
/** @typedef {import('./types.js').FlameAnswer} FlameAnswer */

/**
 * What a view gets when it has to show itself.
 * @typedef {object} Now
 * @property {state.State} s
 * @property {Record<string, string|number>} selected parameters of questions:
 *   the selection, and the version of the inputs
 * @property {number} version
 */

/**
 * @typedef {object} View
 * @property {string} name
 * @property {string} label
 * @property {HTMLElement} box
 * @property {(now: Now) => void} load  asks, and shows the answer
 * @property {(search: RegExp|null) => void} [mark]  what is searched for
 * @property {() => import('./picture.js').Picture[]} [pictures]  its graphs,
 *   to be saved
 * @property {(facts: Info) => boolean} [isFor]  whether it has a tab
 * @property {boolean} [hasCrumbs]  it shows the way to what is zoomed
 * @property {boolean} [hasLegend]  its colours have a legend
 */

/** Frames in the address of a question. */
const MAX_WAY = 2000;

const main = byId('main');

/* How many samples are selected: what shares beside the mouse refer to. */
let samples = 0;

/** @param {number} n */
export function setSamples(n) {
  samples = n;
}

export function selectedSamples() {
  return samples;
}

/** @type {import('./flame.js').Events} */
const flameEvents = {
  zoom: node => {
    if (state.get().view !== 'sandwich')
      state.set({ root: node.id ? String(node.id) : '' });
    else if (node.key)
      state.set({ fn: node.key.id });
  },
  /* In an inverted graph the innermost frame is the outermost box. */
  hover: (node, x, y) => showTip(node, x, y, { samples,
    hasSelf: state.get().view === 'flame' }),
};

const tableEvents = {
  /** @param {import('./types.js').Row} row */
  pick: row => state.set({ view: 'sandwich', fn: row.id }),
  /** @param {'self'|'total'} sort */
  sort: sort => state.set({ sort }, { replace: true }),
};

/**
 * @param {string} name @param {string} label @param {string} spoken
 * @param {'callees'|'callers'} dir @returns {View}
 */
function flameView(name, label, spoken, dir) {
  const flame = new Flame(main, spoken, flameEvents, {
    isInverted: dir === 'callers' }), slot = new Slot();
  /* Where the root was found last: nodes have other numbers when the inputs
   * have grown, but the way there is the same. */
  let found = { version: 0, root: '', way: '' };
  return { name, label, box: flame.box, hasCrumbs: true, hasLegend: true,
    mark: re => flame.mark(re), pictures: () => [flame.picture()],
    load: ({ s, selected, version }) => slot.take(ask('flame', { ...selected,
      dir, ...(s.root && s.root === found.root && version !== found.version ?
        { way: found.way } : { root: s.root }),
      px: Math.round(flame.width()) }),
    (/** @type {FlameAnswer} */ a) => {
      const root = String(a.path.at(-2) ?? '');
      found = { version, root, way: a.path.filter((_, i) => i % 2 === 1)
        .slice(0, MAX_WAY).join('.') };
      if (s.root && root !== s.root) {
        state.set({ root }, { replace: true });
        return;
      }
      flame.show(a);
      flame.legend(byId('legend-entries'));
      showCrumbs(a);
      say(a.samples === 0 ? 'No samples are selected.' :
        `${nouns(a.samples, 'sample')} · click zooms, right click opens a ` +
        'menu');
    }, fail) };
}

const tableSlot = new Slot();

/** @param {Table} table @param {Now} now */
function loadTable(table, { s, selected }) {
  tableSlot.take(ask('rows', { ...selected, order: s.sort || 'self' }),
    (/** @type {Rows} */ a) => {
      table.show(a, { sort: s.sort || 'self', fn: s.fn, search: pattern(),
        what: s.by, selected });
      say(`${nouns(a.samples, 'sample')}, ${time(a.time_us)} selected`);
    }, fail);
}

/** @returns {View} */
function tableView() {
  const table = new Table(main, tableEvents);
  return { name: 'table', label: 'Functions', box: table.box,
    load: now => loadTable(table, now) };
}

/** @returns {View} */
function sandwichView() {
  const sandwich = new Sandwich(main, flameEvents, tableEvents);
  return { name: 'sandwich', label: 'Sandwich', box: sandwich.box,
    hasLegend: true,
    mark: re => sandwich.mark(re), pictures: () => sandwich.pictures(),
    load: now => {
      loadTable(sandwich.table, now);
      ask('matched', now.selected).then(a =>
        sandwich.load(now.s, now.version, a.samples, fail), fail);
    } };
}

/** @returns {View} */
function requestsView() {
  const view = new RequestsView(main), slot = new Slot();
  return { name: 'requests', label: 'Requests', box: view.box,
    load: ({ version }) => slot.take(ask('requests', { v: version }),
      (/** @type {import('./types.js').Requests} */ a) => {
        view.show(a);
        say(nouns(a.routes.length, 'route') + (a.slowest.length === 0 ? '' :
          ' · click a route to select its samples, a request to see its time ' +
          'alone'));
      }, fail) };
}

/** @returns {View} */
function orderView() {
  const view = new OrderView(main, { say, fail });
  return { name: 'order', label: 'Time order', box: view.box,
    mark: re => view.mark(re), load: now => view.load(now) };
}

/** @returns {View} */
function differenceView() {
  const view = new DifferenceView(main, { sort: tableEvents.sort,
    pick: id => state.set({ view: 'sandwich', fn: id }) });
  const slot = new Slot();
  return { name: 'difference', label: 'Difference', box: view.box,
    isFor: facts => facts.is_diff || !!baseOf(),
    load: ({ s, selected }) => slot.take(ask('difference', { ...selected,
      order: s.sort }), (/** @type {import('./types.js').Difference} */ a) => {
      view.show(a, { sort: a.order, search: pattern(), what: s.by });
      say(`${nouns(a.samples_before, 'sample')} before, ` +
        `${nouns(a.samples_after, 'sample')} after`);
    }, fail) };
}

/** @returns {View} */
function treeView() {
  const view = new TreeView(main, { say, fail });
  return { name: 'tree', label: 'Tree', box: view.box,
    load: now => view.load(now) };
}

/** @returns {View} */
function sourceView() {
  const view = new ListingView(main, { say, fail, sort: tableEvents.sort });
  return { name: 'source', label: 'Source', box: view.box,
    load: now => view.load(now) };
}

/** In the order of their tabs. @type {View[]} */
export const views = [
  flameView('flame', 'Flame graph', 'Flame graph', 'callees'),
  flameView('callers', 'Inverted', 'Inverted flame graph', 'callers'),
  tableView(),
  sandwichView(),
  requestsView(),
  orderView(),
  differenceView(),
  sourceView(),
  treeView(),
];
