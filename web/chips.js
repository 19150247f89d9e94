/*
 * What differs from the whole trace as it was read, one chip each, with a
 * button that takes it back.
 */
import { byId, make, safe, time } from './format.js';
import * as shape from './shape.js';
import * as state from './state.js';

/** The range that the selection is compared with; null: none. */
export function baseOf() {
  const [from, to] = state.get().base.split('-').map(Number);
  return to > from ? { from, to } : null;
}

/** @param {string} text @param {() => void} drop */
function chip(text, drop) {
  const box = make('span', 'chip'), button = make('button', '', '×');
  button.type = 'button';
  button.setAttribute('aria-label', `Remove: ${text}`);
  button.title = 'Remove';
  button.addEventListener('click', drop);
  const words = make('span', '', text);
  words.title = text;
  box.append(words, button);
  return box;
}

export function showChips() {
  const base = baseOf(), chips = [];
  for (const pair of shape.annotations())
    chips.push(chip(safe(pair).replace('=', ': '), () =>
      shape.removeAnnotation(pair)));
  for (const rule of shape.rules())
    chips.push(chip(shape.describe(rule), () => shape.remove(rule)));
  if (base)
    chips.push(chip(`compared with ${time(base.from)} to ${time(base.to)}`,
      () => state.set({ base: '', side: '', ...(state.get().view ===
        'difference' ? { view: 'flame' } : {}) })));
  byId('chips').replaceChildren(...chips);
  byId('differs').hidden = chips.length === 0 && byId('whole').hidden;
}
