/*
 * What is left out of stacks, and which annotations are selected. Both stand in
 * the address as lines (cli/view/selection.h); a page changes them one at a
 * time.
 */
import { safe } from './format.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Key} Key */
/** @typedef {'focus'|'hide'|'collapse'|'recursion'} Kind */
/** @typedef {{kind: Kind, group: string, text: string}} Rule */

/** @param {string} line */
function escaped(line) {
  return line.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}

/** @param {string} line */
function unescaped(line) {
  return line.replace(/\\(.)/g, (_, c) => c === 'n' ? '\n' : c);
}

/** @param {string} lines */
function split(lines) {
  return lines === '' ? [] : lines.split('\n');
}

/** @param {string} line @returns {Rule} */
function parse(line) {
  const [, kind, group, text] = /^(\S+)(?: (\S+) ([^]*))?$/.exec(line) ?? [];
  return { kind: /** @type {Kind} */ (kind ?? 'recursion'), group: group ?? '',
    text: unescaped(text ?? '') };
}

/** @param {Rule} rule */
function format({ kind, group, text }) {
  return kind === 'recursion' ? kind : `${kind} ${group} ${escaped(text)}`;
}

export function rules() {
  return split(state.get().shape).map(parse);
}

/** A new focus takes the place of the old one. @param {Rule} rule */
export function add(rule) {
  const others = rules().filter(r => format(r) !== format(rule) &&
    (rule.kind !== 'focus' || r.kind !== 'focus'));
  state.set({ shape: [...others, rule].map(format).join('\n') });
}

/** @param {Rule} rule */
export function remove(rule) {
  state.set({ shape: rules().map(format).filter(r => r !== format(rule))
    .join('\n') });
}

export function isFolded() {
  return rules().some(r => r.kind === 'recursion');
}

export function toggleRecursion() {
  /** @type {Rule} */
  const rule = { kind: 'recursion', group: '', text: '' };
  if (isFolded())
    remove(rule);
  else
    add(rule);
}

/** @param {Key} key */
function moduleIdOf(key) {
  return key.module_id ?? key.module;
}

/** The key of a collapsed module has its text alone, and no place.
 * @param {Key} key */
function groupOf(key) {
  return key.text === key.module && !key.file && rules().some(r =>
    r.kind === 'collapse' && r.text === moduleIdOf(key)) ? 'module' :
    state.get().by;
}

/** @param {'focus'|'hide'} kind @param {Key} key @returns {Rule} */
export function ruleOf(kind, key) {
  return { kind, group: groupOf(key), text: key.id };
}

/** @param {Key} key @returns {Rule} */
export function collapseOf(key) {
  return { kind: 'collapse', group: 'module', text: moduleIdOf(key) };
}

/** @param {Rule} rule */
export function describe({ kind, text }) {
  return kind === 'focus' ? `inside ${safe(text)}` :
    kind === 'hide' ? `without ${safe(text)}` :
      kind === 'collapse' ? `${safe(text)} as one` : 'recursion as one call';
}

/* --- annotations --- */

export function annotations() {
  return split(state.get().annot).map(unescaped);
}

/** One value of a key at a time. @param {string} key @param {string} value */
export function toggleAnnotation(key, value) {
  const pair = `${key}=${value}`, all = annotations();
  const others = all.filter(a => a !== pair && !a.startsWith(`${key}=`));
  state.set({ annot: [...others, ...(all.includes(pair) ? [] : [pair])]
    .map(escaped).join('\n') });
}

/** @param {string} pair */
export function removeAnnotation(pair) {
  state.set({ annot: annotations().filter(a => a !== pair).map(escaped)
    .join('\n') });
}
