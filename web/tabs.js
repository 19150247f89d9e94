/* The tabs of the views. */
import { byId, make } from './format.js';
import * as state from './state.js';
import { views } from './views.js';

/** @param {string} view */
export function open(view) {
  state.set({ view, root: '' });
}

export function startTabs() {
  for (const { name, label } of views) {
    const tab = make('button', '', label);
    tab.type = 'button';
    tab.dataset.view = name;
    tab.setAttribute('role', 'tab');
    tab.addEventListener('click', () => open(name));
    byId('tabs').append(tab);
  }
}

/** @param {import('./types.js').Info|null} facts */
export function showTabs(facts) {
  const s = state.get();
  [...byId('tabs').children].forEach((tab, i) => {
    const { name, isFor, box } = views[i];
    box.hidden = name !== s.view;
    tab.setAttribute('aria-selected', String(name === s.view));
    /** @type {HTMLElement} */ (tab).hidden = !!isFor &&
      !(facts && isFor(facts));
  });
}
