/*
 * The table of functions (or lines, files, classes, modules), sorted by self or
 * total. A row puts its function into focus; columns are chosen in columns.js.
 */
import { act, copy, openActions } from './actions.js';
import { COLUMNS, shownColumns, toggleColumn } from './columns.js';
import { count, make, percent, place, safe, time } from './format.js';
import { Menu } from './menu.js';
import { saveCsv } from './saving.js';
import { fillSparks, sparkCell } from './sparks.js';

/** @typedef {import('./types.js').Row} Row */
/** @typedef {import('./columns.js').Column} Column */

/**
 * @typedef {object} Events
 * @property {(row: Row) => void} pick
 * @property {(order: 'self'|'total') => void} sort
 */

/**
 * @typedef {object} Shown
 * @property {string} sort
 * @property {string} fn      the row in focus
 * @property {RegExp|null} search
 * @property {string} what    what a row is
 * @property {Record<string, string|number>} [selected]  for the time lines
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
    this.sheet = make('div');
    if (!this.isSmall)
      this.box.append(this.tools());
    this.box.append(this.sheet);
    this.turn = 0;
    /** @type {Column[]} */
    this.columns = [];
    parent.append(this.box);
  }

  /** @param {import('./types.js').Rows} answer @param {Shown} s */
  show(answer, s) {
    const table = make('table'), body = make('tbody');
    table.setAttribute('role', 'grid');
    table.setAttribute('aria-label', `Every ${s.what} with its time`);
    this.columns = shownColumns(this.isSmall);
    table.append(this.head(s), body);
    const rows = s.search ? answer.rows.filter(r => s.search?.test(r.text)) :
      answer.rows;
    const trs = rows.map(row => this.row(row, s));
    body.append(...trs);
    this.sheet.replaceChildren(table);
    if (rows.length === 0)
      this.sheet.append(make('p', 'note', s.search ?
        'Nothing matches the search.' : 'No samples are selected.'));
    else if (answer.n_rows > answer.rows.length)
      this.sheet.append(make('p', 'note', `The ${answer.rows.length} heaviest ` +
        `of ${count(answer.n_rows)}. CSV has all of them.`));
    this.fill(rows, trs, s);
  }

  /** @param {Row[]} rows @param {HTMLElement[]} trs @param {Shown} s */
  fill(rows, trs, s) {
    const turn = ++this.turn;
    const cells = trs.flatMap((tr, i) => {
      const td = tr.querySelector('.spark');
      return td instanceof HTMLElement ? [{ key: rows[i].key, td }] : [];
    });
    if (s.selected && cells.length > 0)
      fillSparks(s.selected, cells, () => turn === this.turn &&
        !this.box.hidden).catch(() => {});
  }

  tools() {
    const tools = make('div', 'tools'), box = make('div', 'menu-place left');
    const columns = make('button', 'opens', 'Columns');
    columns.type = 'button';
    box.append(columns);
    new Menu(columns, () => [{ label: 'Columns', items: COLUMNS.map(c => ({
      label: c.what, isOn: shownColumns(false).includes(c),
      run: () => toggleColumn(c.name) })) }]);
    const take = make('button', '', 'Copy'), csv = make('button', '', 'CSV');
    take.type = csv.type = 'button';
    take.title = 'Copy the rows that are shown';
    csv.title = 'Save all rows';
    take.addEventListener('click', () => copy(this.text()));
    csv.addEventListener('click', saveCsv);
    tools.append(box, take, csv);
    return tools;
  }

  /** What is shown, for a spreadsheet; names with all that tells them apart. */
  text() {
    return [...this.sheet.querySelectorAll('tr')].map(tr => [...tr.cells]
      .filter(td => !td.classList.contains('spark')).map(td =>
        (td.classList.contains('text') && td.title || td.textContent || '')
          .replace(/\s+/g, ' ')).join('\t')).join('\n');
  }

  /** Shows which row is in focus. @param {string} id */
  mark(id) {
    for (const tr of this.box.querySelectorAll('tbody tr'))
      tr.setAttribute('aria-selected', String(
        /** @type {HTMLElement} */ (tr).dataset.id === id));
  }

  /** @param {Shown} s */
  head(s) {
    const head = make('thead'), tr = make('tr');
    for (const { name, label, sort } of this.columns) {
      if (name === 'file')
        continue;
      const th = make('th', name === 'trend' ? 'spark' : '',
        sort ? undefined : label);
      th.scope = 'col';
      if (sort)
        th.append(this.sorter(label, sort));
      if (s.sort === sort)
        th.setAttribute('aria-sort', 'descending');
      tr.append(th);
    }
    const text = make('th', 'text', s.what[0].toUpperCase() + s.what.slice(1));
    text.scope = 'col';
    tr.append(text);
    head.append(tr);
    return head;
  }

  /** @param {string} label @param {'self'|'total'} sort */
  sorter(label, sort) {
    const button = make('button', '', label);
    button.type = 'button';
    button.addEventListener('click', () => this.events.sort(sort));
    return button;
  }

  /** @param {Row} row @param {Shown} s */
  row(row, s) {
    const tr = make('tr', s.search ? 'match' : '');
    tr.tabIndex = 0;
    tr.dataset.id = row.id;
    tr.setAttribute('aria-selected', String(row.id === s.fn));
    for (const column of this.columns)
      if (column.name !== 'file')
        tr.append(this.cell(column.name, row));
    tr.append(this.nameOf(row));
    tr.addEventListener('click', () => this.events.pick(row));
    tr.addEventListener('contextmenu', e => {
      const r = tr.getBoundingClientRect();
      e.preventDefault();
      openActions(row, e.button === 2 ? e.clientX : r.left + 40,
        e.button === 2 ? e.clientY : r.bottom);
    });
    tr.addEventListener('keydown', e => this.press(e, row, tr));
    return tr;
  }

  /** @param {Row} row */
  nameOf(row) {
    const text = make('td', 'text');
    text.append(make('span', 'name', safe(this.name?.(row) ??
      (row.name || row.text))));
    if (row.file && row.file !== row.name && !this.name &&
        this.columns.some(c => c.name === 'file'))
      text.append(make('span', 'file', place(row.file, row.line)));
    text.title = safe(row.text);
    return text;
  }

  /** @param {string} name @param {Row} row */
  cell(name, row) {
    if (name === 'trend')
      return sparkCell();
    if (name === 'module')
      return make('td', 'dim', safe(row.module.slice(0, 80)));
    const isSelf = name.startsWith('self');
    const [share, low, high] = isSelf ? row.self_share : row.total_share;
    if (name.endsWith('-error'))
      return make('td', 'dim', (50 * (high - low)).toFixed(1));
    if (name.endsWith('-time'))
      return make('td', 'dim', time(isSelf ? row.self_us : row.total_us));
    if (name.endsWith('-samples'))
      return make('td', 'dim', count(isSelf ? row.self : row.total));
    const bar = make('td', 'share', percent(share));
    bar.style.backgroundSize = `${80 * share}px 60%`;
    bar.title = `95 % interval: ${percent(low)} to ${percent(high)}`;
    return bar;
  }

  /** @param {KeyboardEvent} e @param {Row} row @param {HTMLElement} tr */
  press(e, row, tr) {
    const to = e.key === 'ArrowDown' ? tr.nextElementSibling :
      e.key === 'ArrowUp' ? tr.previousElementSibling : null;
    if (e.key === 'Enter')
      this.events.pick(row);
    else if (to instanceof HTMLElement)
      to.focus();
    else if (this.name || !act(e, row))
      return;
    e.preventDefault();
    e.stopPropagation();
  }
}
