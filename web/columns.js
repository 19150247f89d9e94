/* The columns of the table: which there are, and which are shown. */
import * as state from './state.js';

/** @typedef {import('./types.js').Row} Row */

/**
 * @typedef {object} Column
 * @property {string} name   in the address
 * @property {string} label  in the head
 * @property {string} what   in the menu
 * @property {'self'|'total'} [sort]  a click on the head sorts by it
 * @property {boolean} [isSmall]  shown beside the sandwich, too
 * @property {boolean} [isHidden]  unless it is chosen
 */

/** @type {Column[]} */
export const COLUMNS = [
  { name: 'self', label: 'Self', what: 'Self: share', sort: 'self',
    isSmall: true },
  { name: 'self-error', label: '±', what: 'Self: 95 % interval' },
  { name: 'self-time', label: 'time', what: 'Self: time' },
  { name: 'self-samples', label: 'samples', what: 'Self: samples',
    isHidden: true },
  { name: 'total', label: 'Total', what: 'Total: share', sort: 'total',
    isSmall: true },
  { name: 'total-error', label: '±', what: 'Total: 95 % interval' },
  { name: 'total-time', label: 'time', what: 'Total: time' },
  { name: 'total-samples', label: 'samples', what: 'Total: samples',
    isHidden: true },
  { name: 'trend', label: 'Over time', what: 'Total over time' },
  { name: 'module', label: 'Module', what: 'Module', isHidden: true },
  { name: 'file', label: '', what: 'File, behind the name' },
];

/** @param {boolean} isSmall */
export function shownColumns(isSmall) {
  const { cols } = state.get(), chosen = cols.split(' ');
  return COLUMNS.filter(c => isSmall ? c.isSmall || c.name === 'file' :
    cols ? chosen.includes(c.name) : !c.isHidden);
}

/** @param {string} name */
export function toggleColumn(name) {
  const now = shownColumns(false).map(c => c.name);
  const next = COLUMNS.map(c => c.name).filter(n =>
    n === name ? !now.includes(n) : now.includes(n));
  const usual = COLUMNS.filter(c => !c.isHidden).map(c => c.name);
  state.set({ cols: next.join() === usual.join() ? '' :
    next.join(' ') || 'none' }, { replace: true });
}
