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
 * Shows words beside the mouse.
 * @param {Node[]} words @param {number} x @param {number} y
 */
export function tipOf(words, x, y) {
  const tip = byId('tip');
  tip.replaceChildren(...words);
  tip.hidden = false;
  const r = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14,
    innerWidth - r.width - 8))}px`;
  tip.style.top = `${y + 20 + r.height > innerHeight ? y - r.height - 10 :
    y + 18}px`;
}

/**
 * Shows what a box of a flame graph stands for; null: nothing.
 * @param {import('./flame.js').Node|null} node
 * @param {number} x @param {number} y of the mouse
 * @param {{samples: number, hasSelf: boolean}} of what shares refer to
 */
export function showTip(node, x, y, of) {
  if (!node?.key) {
    hideTip();
    return;
  }
  const words = [make('b', '', safe(node.key.name || node.key.text))];
  if (node.key.file)
    words.push(make('p', '', place(node.key.file, node.key.line)));
  words.push(make('p', '', percent(share(node.total, of.samples)) +
    ` of what is selected, ${nouns(node.total, 'sample')}` + (of.hasSelf ?
    ` · self ${percent(share(node.self, of.samples))}` : '')));
  if (node.key.change)
    words.push(make('p', '', describe(node.key.change)));
  tipOf(words, x, y);
}

export function hideTip() {
  byId('tip').hidden = true;
}
