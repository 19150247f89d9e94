/*
 * What changed between two inputs: the verdict first, then functions, those
 * whose change is more than noise on top. The rest is grey.
 */
import { count, make, percent, place, safe } from './format.js';

/** @typedef {import('./types.js').Difference} Difference */
/** @typedef {import('./types.js').DifferenceRow} Row */

/** A change of a share in points, as "+4.2". @param {number} delta */
export function points(delta) {
  return `${delta < 0 ? '−' : '+'}${Math.abs(100 * delta).toFixed(1)}`;
}

/** "before 10.0 %, after 14.2 %: +4.2 points (+3.1 to +5.3)".
 * @param {import('./types.js').Change} c */
export function describe(c) {
  return `${percent(c.before)} before, ${percent(c.after)} after: ` +
    `${points(c.delta)} points (${points(c.low)} to ${points(c.high)})` +
    (c.is_significant ? '' : ', no more than noise');
}

export class DifferenceView {
  /**
   * @param {HTMLElement} parent
   * @param {{pick: (id: string) => void,
   *   sort: (order: 'self'|'total') => void}} events
   */
  constructor(parent, events) {
    this.events = events;
    this.box = make('div', 'table');
    parent.append(this.box);
  }

  /**
   * @param {Difference} answer
   * @param {{sort: string, search: RegExp|null, what: string}} s
   */
  show(answer, s) {
    const table = make('table'), body = make('tbody');
    for (const row of answer.rows)
      if (!s.search || s.search.test(row.text))
        body.append(this.row(row));
    table.append(this.head(s), body);
    this.box.replaceChildren(make('p', 'verdict', safe(answer.verdict)),
      make('p', 'legend', 'Shares of the samples that are selected: ' +
        `${count(answer.samples_before)} before, ` +
        `${count(answer.samples_after)} after. Red grew, blue shrank; grey ` +
        'is no more than noise.'), table);
  }

  /** @param {{sort: string, what: string}} s */
  head(s) {
    const head = make('thead'), tr = make('tr');
    tr.append(make('th', '', 'Before'), make('th', '', 'After'),
      make('th', '', 'Points'), make('th', '', '95 % interval'));
    const text = make('th', 'text',
      s.what[0].toUpperCase() + s.what.slice(1));
    for (const order of /** @type {const} */ (['self', 'total'])) {
      const button = make('button', s.sort === order ? 'on' : '', order);
      button.type = 'button';
      button.setAttribute('aria-pressed', String(s.sort === order));
      button.addEventListener('click', () => this.events.sort(order));
      text.append(' ', button);
    }
    tr.append(text);
    head.append(tr);
    return head;
  }

  /** @param {Row} row */
  row(row) {
    const c = row.change, tr = make('tr', !c.is_significant ? 'noise' :
      c.delta > 0 ? 'grew' : 'shrank');
    tr.tabIndex = 0;
    const text = make('td', 'text');
    text.append(make('span', 'name', safe(row.name || row.text)));
    if (row.file && row.file !== row.name)
      text.append(make('span', 'file', place(row.file, row.line)));
    text.title = safe(row.text);
    tr.append(make('td', '', percent(c.before)),
      make('td', '', percent(c.after)), make('td', 'points', points(c.delta)),
      make('td', '', `${points(c.low)} … ${points(c.high)}`), text);
    const open = () => this.events.pick(row.id);
    tr.addEventListener('click', open);
    tr.addEventListener('keydown', e => {
      const to = e.key === 'ArrowDown' ? tr.nextElementSibling :
        e.key === 'ArrowUp' ? tr.previousElementSibling : null;
      if (e.key === 'Enter')
        open();
      else if (to instanceof HTMLElement)
        to.focus();
      else
        return;
      e.preventDefault();
    });
    return tr;
  }
}
