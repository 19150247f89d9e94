/* Words at the bottom of the page, and beside the mouse. */
import { describe } from './difference.js';
import { byId, make, nouns, percent, place, safe, share } from './format.js';

/** @param {string} text */
export function say(text) {
  byId('status').textContent = text;
  byId('status').classList.remove('bad');
}

/** @param {Error} error */
export function fail(error) {
  byId('status').textContent = error.message;
  byId('status').classList.add('bad');
}

/**
 * Shows what a box of a flame graph stands for; null: nothing.
 * @param {import('./flame.js').Node|null} node
 * @param {number} x @param {number} y of the mouse
 * @param {{samples: number, hasSelf: boolean}} of what shares refer to
 */
export function showTip(node, x, y, of) {
  const tip = byId('tip');
  tip.hidden = !node?.key;
  if (!node?.key)
    return;
  tip.replaceChildren(make('b', '', safe(node.key.name || node.key.text)));
  if (node.key.file)
    tip.append(make('p', '', place(node.key.file, node.key.line)));
  tip.append(make('p', '', percent(share(node.total, of.samples)) +
    ` of what is selected, ${nouns(node.total, 'sample')}` + (of.hasSelf ?
    ` · self ${percent(share(node.self, of.samples))}` : '')));
  if (node.key.change)
    tip.append(make('p', '', describe(node.key.change)));
  const r = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14,
    innerWidth - r.width - 8))}px`;
  tip.style.top = `${y + 20 + r.height > innerHeight ? y - r.height - 10 :
    y + 18}px`;
}

export function hideTip() {
  byId('tip').hidden = true;
}
