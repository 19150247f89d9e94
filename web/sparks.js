/* Small time lines in a table: when the samples of a row were. */
import { make } from './format.js';
import { ask } from './source.js';

/** @typedef {import('./types.js').Sparks} Sparks */

/* Rows in one question. */
const LOT = 64;

/** A cell that is filled later. */
export function sparkCell() {
  const td = make('td', 'spark');
  td.append(make('div'));
  return td;
}

/** @param {HTMLElement} td @param {number[]} parts samples of each */
function fill(td, parts) {
  const most = Math.max(...parts), n = parts.length;
  const div = /** @type {HTMLElement} */ (td.firstElementChild);
  if (!(most > 0))
    return;
  const points = parts.flatMap((v, i) => [i, i + 1].map(x =>
    `${(100 * x / n).toFixed(2)}% ${(100 - 100 * v / most).toFixed(1)}%`));
  div.style.clipPath = `polygon(0 100%, ${points.join(', ')}, 100% 100%)`;
  const at = parts.indexOf(most);
  td.title = `most between ${Math.round(100 * at / n)} and ` +
    `${Math.round(100 * (at + 1) / n)} % of the recording`;
}

/**
 * Asks for the time lines of rows, some at a time, as long as they are wanted.
 * @param {Record<string, string|number>} selected
 * @param {{key: number, td: HTMLElement}[]} rows
 * @param {() => boolean} isWanted
 */
export async function fillSparks(selected, rows, isWanted) {
  for (let i = 0; i < rows.length && isWanted(); i += LOT) {
    const lot = rows.slice(i, i + LOT);
    const { parts, sparks } = /** @type {Sparks} */ (await ask('sparks', {
      ...selected, keys: lot.map(r => r.key).join() }));
    if (isWanted())
      lot.forEach(({ td }, k) => fill(td, sparks.slice(k * parts,
        (k + 1) * parts)));
  }
}
