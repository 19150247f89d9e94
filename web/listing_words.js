/* Rows of a source file, and what has to be said about its text. */
import { count } from './format.js';

/** @typedef {import('./types.js').Listing} Listing */
/** @typedef {import('./types.js').SourceText} SourceText */

/* Lines of a text that get a row. */
const MOST = 1000000;

/** @param {SourceText|null} text */
function linesOf(text) {
  if (text?.text === undefined)
    return [];
  const lines = text.text.split('\n', MOST);
  if (lines[lines.length - 1] === '')
    lines.pop();
  return lines.map(line => line.endsWith('\r') ? line.slice(0, -1) : line);
}

/**
 * All lines of the text; those without a place in it that have samples. An
 * unknown line comes first.
 * @param {Listing} listing @param {SourceText|null} text
 */
export function listed(listing, text) {
  const lines = linesOf(text);
  const sums = new Map(listing.lines.map(l => [l.line, l]));
  const rows = lines.map((line, i) => ({ line: i + 1, text: line,
    sums: sums.get(i + 1) }));
  const others = listing.lines.filter(l => l.line < 1 ||
    l.line > lines.length).map(l => ({ line: l.line, sums: l,
    text: [...new Set(l.keys.map(k => k.name))].join(', ') }));
  return [...others.filter(r => r.line < 1), ...rows,
    ...others.filter(r => r.line >= 1)];
}

/** @param {number} us unix time */
function date(us) {
  return new Date(us / 1000).toLocaleString();
}

/** @param {Listing} listing @param {SourceText} text */
function doubts(listing, text) {
  const n = linesOf(text).length;
  const last = listing.lines[listing.lines.length - 1]?.line ?? 0;
  const notes = [];
  if (text.is_newer)
    notes.push(`The file was changed on ${date(text.modified_us ?? 0)}, the ` +
      `recording began on ${date(text.recorded_us ?? 0)}: the lines may not ` +
      'be those that ran.');
  if (!text.is_cut && last > n)
    notes.push(`The trace has line ${count(last)}, the file ends with line ` +
      `${count(n)}: it is another version.`);
  if (notes.length === 0 && text.recorded_us === null)
    notes.push('The trace does not say when it was recorded: the file may ' +
      'have been changed since.');
  if (text.is_cut || n === MOST)
    notes.push(`Only the first ${count(n)} lines are shown.`);
  return notes;
}

/** @param {Listing} listing @param {SourceText|null} text */
export function notesOf(listing, text) {
  const cut = (listing.n_lines ?? 0) > listing.lines.length ?
    [`Only the first ${count(listing.lines.length)} lines with samples have ` +
    'figures.'] : [];
  if (!text)
    return cut;
  if (text.why === undefined)
    return [...doubts(listing, text), ...cut];
  return [`No text: ${text.why}.` + (text.can_name ? ' Start bobbin view with ' +
    '--source DIR, where DIR has the source files; with --source FROM=DIR if ' +
    'they were below FROM where the trace was made.' : ''), ...cut];
}
