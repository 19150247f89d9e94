/*
 * The table of functions (or lines, files, modules), sorted by self or total.
 * A row puts its function into focus.
 */
import { count, make, percent, place, safe, time } from './format.js';

/** @typedef {import('./types.js').Row} Row */

/**
 * @typedef {object} Events
 * @property {(row: Row) => void} pick
 * @property {(order: 'self'|'total') => void} sort
 */

export class Table {
  /**
   * @param {HTMLElement} parent @param {Events} events
   * @param {{isSmall?: boolean, name?: (row: Row) => string}} [o] fewer
   *   columns; what a row is called
   */
  constructor(parent, events, o = {}) {
    this.events = events;
    this.isSmall = !!o.isSmall;
    this.name = o.name;
    this.box = make('div', 'table');
    parent.append(this.box);
  }

  /**
   * @param {import('./types.js').Rows} answer
   * @param {{sort: string, fn: string, search: RegExp|null, what: string}} s
   */
  show(answer, s) {
    const table = make('table'), body = make('tbody');
    table.append(this.head(s), body);
    const rows = s.search ? answer.rows.filter(r => s.search?.test(r.text)) :
      answer.rows;
    for (const row of rows)
      body.append(this.row(row, s));
    this.box.replaceChildren(table);
    if (rows.length === 0)
      this.box.append(make('p', 'note', s.search ?
        'Nothing matches the search.' : 'No samples are selected.'));
    else if (answer.n_rows > answer.rows.length)
      this.box.append(make('p', 'note', `The ${answer.rows.length} heaviest ` +
        `of ${count(answer.n_rows)}.`));
  }

  /** Shows which row is in focus. @param {string} id */
  mark(id) {
    for (const tr of this.box.querySelectorAll('tbody tr'))
      tr.setAttribute('aria-selected', String(
        /** @type {HTMLElement} */ (tr).dataset.id === id));
  }

  /** @param {{sort: string, what: string}} s */
  head(s) {
    const head = make('thead'), tr = make('tr');
    /** @param {string} label @param {'self'|'total'} order */
    const sortable = (label, order) => {
      const th = make('th'), button = make('button', '', label);
      button.type = 'button';
      button.addEventListener('click', () => this.events.sort(order));
      if (s.sort === order)
        th.setAttribute('aria-sort', 'descending');
      th.append(button);
      return th;
    };
    tr.append(sortable('Self', 'self'));
    if (!this.isSmall)
      tr.append(make('th', '', '±'), make('th', '', 'time'));
    tr.append(sortable('Total', 'total'));
    if (!this.isSmall)
      tr.append(make('th', '', '±'), make('th', '', 'time'));
    tr.append(make('th', 'text',
      s.what[0].toUpperCase() + s.what.slice(1)));
    head.append(tr);
    return head;
  }

  /**
   * @param {Row} row @param {{fn: string, search: RegExp|null}} s
   */
  row(row, s) {
    const tr = make('tr', s.search ? 'match' : '');
    tr.tabIndex = 0;
    tr.dataset.id = row.id;
    tr.setAttribute('aria-selected', String(row.id === s.fn));
    tr.append(...this.shares(row.self_share, row.self_us),
      ...this.shares(row.total_share, row.total_us));
    const text = make('td', 'text');
    text.append(make('span', 'name', safe(this.name?.(row) ??
      (row.name || row.text))));
    if (row.file && row.file !== row.name && !this.name)
      text.append(make('span', 'file', place(row.file, row.line)));
    text.title = safe(row.text);
    tr.append(text);
    tr.addEventListener('click', () => this.events.pick(row));
    tr.addEventListener('keydown', e => {
      const to = e.key === 'ArrowDown' ? tr.nextElementSibling :
        e.key === 'ArrowUp' ? tr.previousElementSibling : null;
      if (e.key === 'Enter')
        this.events.pick(row);
      else if (to instanceof HTMLElement)
        to.focus();
      else
        return;
      e.preventDefault();
    });
    return tr;
  }

  /** @param {[number, number, number]} share @param {number} us */
  shares([share, low, high], us) {
    const bar = make('td', 'share', percent(share));
    bar.style.backgroundSize = `${80 * share}px 60%`;
    bar.title = `95 % interval: ${percent(low)} to ${percent(high)}`;
    return this.isSmall ? [bar] : [bar,
      make('td', 'dim', (50 * (high - low)).toFixed(1)),
      make('td', 'dim', time(us))];
  }
}
