/* What the parts of a flame chart are, in words. */
import { make, nouns, percent, place, safe, share, time } from './format.js';
import { mostOf } from './order_paint.js';

/** @typedef {import('./order_data.js').Box} Box */

/** How long a part lasts. What reaches the end of what is known may be longer.
 * @param {{start: number, end: number}} part
 * @param {{begin: number, end: number}} known */
function length(part, known) {
  return ((part.start <= known.begin && known.begin > 0) ||
    part.end >= known.end ? 'at least ' : '') + time(part.end - part.start);
}

/** @param {Box} box @param {{begin: number, end: number}} known */
export function describeBox(box, known) {
  const name = box.key ? safe(box.key.name || box.key.text) : '?';
  const words = [make('b', '', box.n > 1 ? `${nouns(box.n, 'narrow box')
    .replace(/xs$/, 'xes')}, mostly ${name}` : name)];
  if (box.key?.file)
    words.push(make('p', '', place(box.key.file, box.key.line)));
  words.push(make('p', '', box.samples === 0 ?
    `${length(box, known)} · its sample was taken before` :
    `${length(box, known)} · ${nouns(box.samples, 'sample')} · from ` +
    `${time(box.start)} on`));
  return words;
}

/** @param {{start: number, end: number, samples: number[]}} band
 * @param {string[]} states */
export function describeBand(band, states) {
  const all = band.samples.reduce((a, b) => a + b, 0);
  return [make('b', '', states[mostOf(band.samples)]),
    make('p', '', `${time(band.end - band.start)} · ` + nouns(all, 'sample')),
    ...band.samples.flatMap((n, i) => n > 0 && n < all ?
      [make('p', '', `${states[i]}: ${percent(share(n, all))}`)] : [])];
}

/** @param {import('./order_data.js').Mark} mark */
export function describeMark(mark) {
  const words = [];
  for (let i = 0; i < mark.pairs.length; i += 2)
    words.push(make('p', '', `${safe(mark.pairs[i])}: ` +
      safe(mark.pairs[i + 1])));
  return [make('b', '', mark.n > 1 ? `${mark.n} short ones` :
    safe(mark.pairs[1] ?? '')),
  make('p', '', `${time(mark.end - mark.start)} · ` +
    nouns(mark.samples, 'sample')),
  make('p', '', 'Annotations of the first sample:'), ...words];
}
