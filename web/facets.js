/* The button Filter: values of annotations, to select samples by. */
import { byId, percent, safe, share } from './format.js';
import { Menu } from './menu.js';
import * as shape from './shape.js';
import { ask } from './source.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Facet} Facet */

/* Values of a key that are shown. */
const SHOWN = 12;

/** @param {Facet} facet @returns {import('./menu.js').Group} */
function group({ key, n_values: n, values }) {
  const all = values.reduce((sum, v) => sum + v.samples, 0);
  const shown = values.filter(v => v.value !== '(none)').slice(0, SHOWN);
  return { label: safe(key) + (n > shown.length ? `, ${shown.length} of ${n}` :
    ''), items: shown.map(({ value, samples }) => ({
    label: safe(value).slice(0, 120), note: percent(share(samples, all)),
    isOn: shape.annotations().includes(`${key}=${value}`),
    run: () => shape.toggleAnnotation(key, value) })) };
}

/** @param {() => number} version of what the engine has */
export function startFacets(version) {
  new Menu(byId('facets'), async () => {
    const s = state.get();
    const { facets } = /** @type {import('./types.js').Facets} */ (await ask(
      'facets', { ...state.selection(s), by: '', shape: '', v: version() }));
    return facets.map(group);
  });
}

/** @param {import('./types.js').Info|null} info */
export function showFacets(info) {
  byId('facets').hidden = !info?.has_annotations;
}
