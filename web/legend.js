/*
 * Colours of graphs, and what they mean. By module: frames of one library have
 * one colour. By self: what runs itself is warm. By difference: red grew, blue
 * shrank.
 */
import { colorOf, colorOfChange, colorOfSelf, moduleOf } from './canvas.js';
import { make, percent, safe, share } from './format.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Key} Key */

/* Modules that are named, and characters of their names. */
const NAMED = 16, LONGEST = 28;

/** @returns {'module'|'self'|'difference'} @param {boolean} hasChanges */
export function coloring(hasChanges) {
  const { colors } = state.get();
  if (colors === 'module' || colors === 'self')
    return colors;
  return hasChanges ? 'difference' : 'module';
}

/** The end of a name is what tells modules apart. @param {string} name */
function ending(name) {
  const text = safe(name);
  return text.length <= LONGEST ? text : `…${text.slice(1 - LONGEST)}`;
}

/** @param {string} fill @param {string} text @param {string} [short] */
function entry(fill, text, short = text) {
  const swatch = make('span', 'swatch'), box = make('span', 'entry');
  swatch.style.background = fill;
  box.append(swatch, short);
  box.title = text;
  return box;
}

/**
 * @param {HTMLElement} box
 * @param {{self: number, key: Key|undefined}[]} nodes @param {number} samples
 * @param {boolean} hasChanges
 */
export function showLegend(box, nodes, samples, hasChanges) {
  const isDark = document.documentElement.classList.contains('dark');
  const how = coloring(hasChanges);
  if (how === 'self')
    box.replaceChildren(make('b', '', 'Self time'),
      ...[0, 0.02, 0.1, 0.3].map(s => entry(colorOfSelf(s, isDark),
        s === 0 ? 'none' : `${percent(s)} or more`)));
  else if (how === 'difference')
    box.replaceChildren(make('b', '', 'Difference'),
      ...[[0.1, 'grew'], [-0.1, 'shrank']].map(([delta, word]) =>
        entry(colorOfChange({ delta: Number(delta), is_significant: true },
          isDark), String(word))),
      entry(colorOfChange(undefined, isDark), 'no more than noise'));
  else
    showModules(box, modulesOf(nodes), samples, isDark);
  box.hidden = samples === 0;
}

/**
 * @param {HTMLElement} box @param {[string, number][]} modules
 * @param {number} samples @param {boolean} isDark
 */
function showModules(box, modules, samples, isDark) {
  const others = modules.reduce((left, [, n]) => left - n, samples);
  box.replaceChildren(make('b', '', 'Modules, by self time'),
    ...modules.map(([name, n]) => entry(colorOf(name, isDark),
      `${safe(name)} ${percent(share(n, samples))}`,
      `${ending(name)} ${percent(share(n, samples))}`)));
  /* Also what is narrower than a pixel. Less would make 100.0 % more. */
  if (share(others, samples) >= 0.0005)
    box.append(make('span', 'entry', `others ${percent(
      share(others, samples))}`));
}

/** @param {{self: number, key: Key|undefined}[]} nodes */
function modulesOf(nodes) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const { key, self } of nodes)
    if (key && self > 0) {
      const name = moduleOf(key);
      sums.set(name, (sums.get(name) ?? 0) + self);
    }
  return [...sums].sort((a, b) => b[1] - a[1]).slice(0, NAMED);
}
