/* Keys of the whole page, and the list of them. */
import { byId, make } from './format.js';

/** @typedef {{keys: string[], what: string, run: () => void}} Binding */

/** @param {Binding[]} bindings @param {[string, string][]} others */
export function bind(bindings, others) {
  const dialog = /** @type {HTMLDialogElement} */ (byId('keys'));
  const list = make('dl');
  for (const b of bindings)
    list.append(make('dt', '', b.keys.join('  ')), make('dd', '', b.what));
  for (const [keys, what] of others)
    list.append(make('dt', '', keys), make('dd', '', what));
  dialog.append(list);
  const show = () => dialog.open ? dialog.close() : dialog.showModal();
  dialog.addEventListener('click', () => dialog.close());
  byId('help').addEventListener('click', show);
  addEventListener('keydown', e => {
    const isTyping = e.target instanceof HTMLInputElement;
    if (e.ctrlKey || e.metaKey || e.altKey || (isTyping && e.key !== 'Escape'))
      return;
    if (e.key === '?')
      show();
    const found = bindings.find(b => b.keys.includes(e.key));
    if (!found || dialog.open)
      return;
    e.preventDefault();
    found.run();
  });
}
