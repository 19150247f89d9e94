/*
 * What can be done with a function, wherever it is shown: a menu beside the
 * mouse, and one key for each entry.
 */
import { openMenu } from './menu.js';
import { safe } from './format.js';
import * as shape from './shape.js';
import * as state from './state.js';
import { fail, hideTip, say } from './status.js';

/** @typedef {import('./types.js').Key} Key */

/**
 * @typedef {object} Action
 * @property {string} key
 * @property {string} label
 * @property {(key: Key) => string|undefined} [why]  why it cannot be done
 * @property {(key: Key) => void} run
 */

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyOldWay(text);
  }
  say(text.length < 80 ? `Copied: ${safe(text)}` : 'Copied.');
}

/** Pages that are files, and addresses of other machines, have no clipboard.
 * @param {string} text */
function copyOldWay(text) {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (!isDone)
    fail(new Error('The browser does not let this page copy.'));
}

/** @type {Action[]} */
export const ACTIONS = [
  { key: 's', label: 'Callers and callees',
    run: key => state.set({ view: 'sandwich', fn: key.id }) },
  { key: 'f', label: 'Focus: only what it does',
    run: key => shape.add(shape.ruleOf('focus', key)) },
  { key: 'h', label: 'Hide: its callers call its callees',
    run: key => shape.add(shape.ruleOf('hide', key)) },
  { key: 'c', label: 'Collapse its module into one frame',
    why: key => key.module === '(none)' || !key.module ?
      'its module is not known' : undefined,
    run: key => shape.add(shape.collapseOf(key)) },
  { key: 'o', label: 'Open its source',
    why: key => key.file ? undefined : 'its file is not known',
    run: key => state.set({ view: 'source', fn: key.id, file: '', line: '' }) },
  { key: 'y', label: 'Copy its name', run: key => copy(key.text) },
];

/** Runs what a key of the keyboard means; false: it means nothing.
 * @param {KeyboardEvent} e @param {Key|undefined} key */
export function act(e, key) {
  const action = ACTIONS.find(a => a.key === e.key);
  if (!action || !key || e.ctrlKey || e.metaKey || e.altKey ||
      action.why?.(key))
    return false;
  action.run(key);
  return true;
}

/** The menu of a function. @param {Key} key @param {number} x
 * @param {number} y */
export function openActions(key, x, y) {
  hideTip();
  openMenu([{ label: safe(key.name || key.text).slice(0, 200),
    items: ACTIONS.map(({ key: letter, label, why, run }) => ({ label,
      note: letter, why: why?.(key), run: () => run(key) })) }, {
    label: 'All functions', items: [{ label: shape.isFolded() ?
      'Show recursion in full' : 'Collapse recursion', note: 'r',
    run: shape.toggleRecursion }] }], x, y);
}
