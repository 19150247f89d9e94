/* The callers of a line. A row opens its function in the sandwich. */
import { count, make, percent, place, safe, share } from './format.js';
import { Slot, ask } from './source.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Callers} Callers */
/** @typedef {import('./types.js').CallerRow} CallerRow */

export class CallersPane {
  /** @param {(error: Error) => void} fail */
  constructor(fail) {
    this.fail = fail;
    this.slot = new Slot();
    this.box = make('section', 'callers');
    this.box.setAttribute('aria-label', 'Callers of the line');
    this.box.hidden = true;
  }

  /** @param {state.State} s
   * @param {Record<string, string|number>} selected */
  load(s, selected) {
    this.box.hidden = s.line === '';
    if (s.line !== '')
      this.slot.take(ask('callers', { ...selected, file: s.file,
        line: s.line }), a => this.show(a, s), this.fail);
  }

  /** @param {Callers} answer @param {state.State} s */
  show(answer, s) {
    const head = make('h2', '', `Callers of line ${s.line}`);
    const close = make('button', '', 'Close');
    close.type = 'button';
    close.addEventListener('click', () => state.set({ line: '' }));
    if (answer.key) {
      const { id } = answer.key, open = make('button', '', 'Sandwich');
      open.type = 'button';
      open.addEventListener('click', () => state.set({ view: 'sandwich',
        by: 'line', fn: id }));
      head.append(open);
    }
    head.append(close);
    const table = make('table'), body = make('tbody'), tr = make('tr');
    tr.append(make('th', '', 'Total'), make('th', '', 'Samples'),
      make('th', 'text', 'Caller'));
    const thead = make('thead');
    thead.append(tr);
    for (const row of answer.rows)
      body.append(this.row(row, answer.samples));
    table.append(thead, body);
    const scroll = make('div', 'table');
    scroll.append(table);
    if (answer.rows.length < answer.n_rows)
      scroll.append(make('p', 'note', `The ${answer.rows.length} heaviest of ` +
        `${count(answer.n_rows)}.`));
    this.box.replaceChildren(head, scroll);
  }

  /** @param {CallerRow} row @param {number} samples */
  row(row, samples) {
    const tr = make('tr'), part = share(row.total, samples);
    const bar = make('td', 'share', percent(part)), text = make('td', 'text');
    bar.style.backgroundSize = `${80 * part}px 60%`;
    text.append(make('span', 'name', row.is_root ? 'nothing: it is outermost' :
      safe(row.name || row.text)));
    if (row.file)
      text.append(make('span', 'file', place(row.file, row.line)));
    tr.append(bar, make('td', 'dim', count(row.total)), text);
    if (row.is_root)
      return tr;
    tr.tabIndex = 0;
    const open = () => state.set({ view: 'sandwich', by: 'line', fn: row.id });
    tr.addEventListener('click', open);
    tr.addEventListener('keydown', e => {
      if (e.key === 'Enter')
        open();
    });
    return tr;
  }
}
