/*
 * The page: from the state to questions, from answers to views. Everything that
 * is shown follows from the state and from what the engine says about it.
 */
import { ACTIONS } from './actions.js';
import * as engine from './engine.js';
import { openExport, startExport } from './export.js';
import { startFacets } from './facets.js';
import { byId } from './format.js';
import { applyTheme, setBase, showBoxes, showCrumbs, showFacts, showSelected,
  startBoxes, toggleTheme, whole } from './header.js';
import { bind } from './keys.js';
import { showGone, showLive } from './live.js';
import { Overview } from './overview.js';
import { focusSearch, leaveSearch, loadMatched, pattern, showSearch,
  startSearch } from './search.js';
import { forget, info } from './source.js';
import { toggleRecursion } from './shape.js';
import * as state from './state.js';
import { fail, hideTip, say } from './status.js';
import { open, showTabs, startTabs } from './tabs.js';
import { setSamples, views } from './views.js';

/** Milliseconds between two looks at the server: it ends when nobody looks. */
const LOOK = 5000, LOOK_FOLLOWING = 1000;

/** @type {import('./types.js').Info|null} */
let facts = null;

const overview = new Overview(byId('overview'), say);

function load() {
  const s = state.get(), version = facts?.version ?? 0;
  const selected = { ...state.selection(s), v: version };
  if (facts)
    overview.show(facts);
  overview.select(s);
  loadMatched(selected, (samples, us) => {
    setSamples(samples);
    showSelected(samples, us);
  }, update);
  const view = views.find(v => v.name === s.view);
  if (!view?.hasCrumbs)
    showCrumbs(null);
  byId('legend').hidden = !view?.hasLegend;
  view?.load({ s, selected, version });
}

function update() {
  const search = pattern();
  if (!views.some(v => v.name === state.get().view)) {
    state.set({ view: 'flame' }, { replace: true });
    return;
  }
  applyTheme();
  showTabs(facts);
  showBoxes(facts);
  showSearch();
  hideTip();
  for (const view of views)
    view.mark?.(search);
  load();
}

let timer = 0;

async function look() {
  clearTimeout(timer);
  try {
    const now = await info(), isNew = facts?.version !== now.version;
    if (facts && isNew)
      forget();
    if (!facts && now.is_diff && !location.hash)
      state.set({ view: 'difference' }, { replace: true });
    facts = now;
    showFacts(now);
    showLive(now);
    overview.show(now);
    if (isNew)
      update();
  } catch (error) {
    if (engine.page && error instanceof Error)
      fail(error);
    else
      showGone('The server does not answer: this page shows what it had.',
        look);
  }
  if (!engine.page)
    timer = setTimeout(look, facts?.follows ? LOOK_FOLLOWING : LOOK);
}

function escape() {
  if (leaveSearch())
    return;
  if (state.get().root)
    state.set({ root: '' });
  else
    whole();
}

startTabs();
startBoxes();
startSearch();
startExport().catch(fail);
startFacets(() => facts?.version ?? 0);
state.subscribe(update);
if (engine.page && !location.hash)
  state.set(engine.page.state, { replace: true });
bind([...views.map(({ name, label }, i) => ({ keys: [String(i + 1)],
  what: label, run: () => open(name) })),
{ keys: ['/'], what: 'search', run: focusSearch },
{ keys: ['Escape'], what: 'leave the search, zoom out, the whole trace',
  run: escape },
{ keys: ['0'], what: 'zoom out', run: () => state.set({ root: '' }) },
{ keys: ['e'], what: 'save what is selected', run: openExport },
{ keys: ['r'], what: 'collapse recursion', run: toggleRecursion },
{ keys: ['b'], what: 'compare with the range that is selected', run: setBase },
{ keys: ['t'], what: 'light or dark', run: toggleTheme }],
[['arrows', 'move in a graph, table or tree that has the focus; in the time ' +
  'line, with Shift, select'],
['Enter', 'zoom into a frame; open a row'],
...ACTIONS.map(({ key, label }) => /** @type {[string, string]} */ ([key,
  `of a frame or row: ${label[0].toLowerCase()}${label.slice(1)}`])),
  ['n p', 'source: the next line with samples, the one before'],
  ['w a s d, + -', 'time order: closer, left, wider, right'],
  ['Home', 'time order: all of the time'], ['?', 'this list']]);
look();
