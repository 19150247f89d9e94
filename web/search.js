/* The search: its pattern, and how much of what is selected matches it. */
import * as engine from './engine.js';
import { byId, nouns, percent, share } from './format.js';
import { Slot, ask } from './source.js';
import { fail } from './status.js';
import * as state from './state.js';

const box = /** @type {HTMLInputElement} */ (byId('search'));
const slot = new Slot();

/* The last pattern that the engine of a page that is a file has tried on all
 * names. There are patterns that never end: only the engine can be stopped. */
let tried = '';

/* What was asked last. A pattern may take long, and a browser asks few
 * questions at once: one that nobody waits for any more is given up. */
let asked = '', running = new AbortController();

/** What is typed; null: nothing, or no pattern. */
function typed() {
  const q = state.get().q;
  box.classList.remove('bad');
  if (!q)
    return null;
  try {
    return new RegExp(q, q === q.toLowerCase() ? 'i' : '');
  } catch {
    box.classList.add('bad');
    return null;
  }
}

/** What is searched for; null: nothing that can be. */
export function pattern() {
  const re = typed();
  return engine.page && state.get().q !== tried ? null : re;
}

/**
 * Asks for the size of the selection, and says which part of it matches.
 * @param {Record<string, string|number>} selected parameters of the selection
 * @param {(samples: number, us: number) => void} show the size
 * @param {() => void} mark the pattern can be used now
 */
export function loadMatched(selected, show, mark) {
  const re = typed(), out = byId('matched'), { q } = state.get();
  out.textContent = '';
  const match = re ? (re.ignoreCase ? '(?i)' : '') + q : '';
  const what = JSON.stringify([selected, match]);
  if (what !== asked) {
    running.abort();
    running = new AbortController();
    asked = what;
  }
  slot.take(Promise.all([ask('matched', selected), match ?
    ask('matched', { ...selected, match }, running.signal) : null]),
  ([all, some]) => {
    show(all.samples, all.time_us);
    if (some)
      out.textContent = `${percent(share(some.samples, all.samples))} · ` +
        nouns(some.samples, 'sample');
    if (some && engine.page && q !== tried) {
      tried = q;
      mark();
    }
  }, fail);
}

export function focusSearch() {
  box.focus();
}

/** Empties the search; false if it was not in use. */
export function leaveSearch() {
  if (document.activeElement !== box && !state.get().q)
    return false;
  box.blur();
  state.set({ q: '' }, { replace: true });
  return true;
}

export function startSearch() {
  box.addEventListener('input', () =>
    state.set({ q: box.value }, { replace: true }));
}

export function showSearch() {
  if (box.value !== state.get().q)
    box.value = state.get().q;
}
