/*
 * A source file: its lines with what was spent in them, and the callers of a
 * line. Files to choose from are on the left.
 */
import { listed, notesOf } from './listing_words.js';
import { CallersPane } from './callers.js';
import { make, nouns, percent, place, safe, share, time } from './format.js';
import { Slot, ask, sourceText } from './source.js';
import * as state from './state.js';
import { Table } from './table.js';

/** @typedef {import('./types.js').Listing} Listing */
/** @typedef {import('./types.js').ListingLine} ListingLine */
/** @typedef {import('./types.js').SourceText} SourceText */

/** A row of the view: a line of the file, or one that only the trace has.
 * @typedef {{line: number, text: string, sums: ListingLine|undefined}} Row */

/* Pixels of a row, as in style.css; rows beyond both ends that are made. */
const ROW = 20, AROUND = 30;

/* Characters of a line that are shown. */
const LONGEST = 2000;

/** Tabs stay, as they are part of how a line looks. @param {string} text */
function shown(text) {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
  return cut.split('\t').map(safe).join('\t');
}

/** @param {Row} row */
function hasSums(row) {
  return !!row.sums;
}

export class ListingView {
  /**
   * @param {HTMLElement} parent
   * @param {{sort: import('./table.js').Events['sort'],
   *   say: (text: string) => void, fail: (error: Error) => void}} o
   */
  constructor(parent, o) {
    this.o = o;
    this.box = make('div', 'split listing');
    this.files = new Table(this.box, { sort: o.sort,
      pick: row => state.set({ file: row.id, line: '' }) }, { isSmall: true,
      name: row => place(row.text) });
    const right = make('div', 'halves');
    this.head = make('h2');
    this.notes = make('div', 'notes');
    this.sheet = make('div', 'table code');
    this.sheet.tabIndex = 0;
    this.sheet.setAttribute('aria-label', 'Lines');
    this.callers = new CallersPane(o.fail);
    right.append(this.head, this.notes, this.sheet, this.callers.box);
    this.box.append(right);
    parent.append(this.box);
    this.slots = { files: new Slot(), lines: new Slot(), text: new Slot() };
    /** @type {Row[]} */
    this.rows = [];
    /** @type {Listing|null} */
    this.listing = null;
    /** @type {SourceText|null} */
    this.text = null;
    this.textOf = '';
    this.at = -1;
    this.sheet.addEventListener('scroll', () => this.draw());
    this.sheet.addEventListener('keydown', e => this.key(e));
    new ResizeObserver(() => this.draw()).observe(this.sheet);
  }

  /** @param {import('./views.js').Now} now */
  load({ s, selected }) {
    const params = { ...selected, file: s.file, focus: s.file ? '' : s.fn };
    this.slots.lines.take(ask('listing', params), a => this.take(a, s),
      this.o.fail);
    this.slots.files.take(ask('rows', { ...selected, by: 'file',
      order: s.sort || 'self' }), a => this.showFiles(a, s), this.o.fail);
    this.callers.load(s, selected);
  }

  /** @param {import('./types.js').Rows} a @param {state.State} s */
  showFiles(a, s) {
    this.files.show(a, { sort: s.sort || 'self', search: null, what: 'file',
      fn: this.listing?.file?.id ?? s.file });
  }

  /** @param {Listing} listing @param {state.State} s */
  take(listing, s) {
    const id = listing.file?.id ?? '';
    this.listing = listing;
    this.files.mark(id);
    if (id === this.textOf) {
      this.show(s, false);
      return;
    }
    this.text = null;
    this.textOf = id;
    if (!id)
      this.show(s, true);
    else
      this.slots.text.take(sourceText({ file: id }), (/** @type {SourceText} */
        text) => {
        this.text = text;
        this.show(state.get(), true);
      }, this.o.fail);
  }

  /** @param {state.State} s @param {boolean} isNew another file */
  show(s, isNew) {
    const { listing, text } = this;
    if (!listing)
      return;
    const file = listing.file?.text ?? '';
    this.rows = listed(listing, text);
    this.head.textContent = file ? safe(file) :
      'No file has lines in what is selected.';
    this.head.title = safe(file);
    this.notes.replaceChildren(...notesOf(listing, text).map(note =>
      make('p', '', note)));
    const chosen = this.rows.findIndex(r => String(r.line) === s.line);
    this.at = chosen >= 0 ? chosen : isNew ? this.hottest() :
      Math.min(this.at, this.rows.length - 1);
    const self = listing.lines.reduce((sum, l) => sum + l.self, 0);
    this.o.say(`${nouns(listing.lines.length, 'line')} with samples · ` +
      `${percent(share(self, listing.samples))} self in this file · a click ` +
      'on a line shows its callers');
    this.draw();
    if (isNew)
      this.reveal('center');
  }

  /** The row to begin with: that of the focus, or the hottest. */
  hottest() {
    const focus = this.listing?.focus;
    let best = -1, most = -1;
    this.rows.forEach(({ sums }, i) => {
      if (!sums || sums.line === 0)
        return;
      const isMeant = !focus || (sums.keys.some(k => k.name === focus.name) &&
        (focus.line === undefined || focus.line === sums.line));
      const heat = (isMeant ? 1e18 : 0) + sums.self * 1e3 + sums.total;
      if (heat > most) {
        most = heat;
        best = i;
      }
    });
    return best;
  }

  /* --- drawing: only rows in sight have elements --- */

  draw() {
    const { scrollTop, clientHeight } = this.sheet, n = this.rows.length;
    const first = Math.max(0, Math.min(n, Math.floor(scrollTop / ROW)) -
      AROUND);
    const last = Math.min(n, Math.ceil((scrollTop + clientHeight) / ROW) +
      AROUND);
    const table = make('table'), body = make('tbody');
    table.setAttribute('aria-rowcount', String(n + 1));
    const gap = (/** @type {number} */ rows) => {
      const tr = make('tr', 'gap');
      tr.style.height = `${rows * ROW}px`;
      tr.setAttribute('aria-hidden', 'true');
      return tr;
    };
    if (first > 0)
      body.append(gap(first));
    for (let i = first; i < last; i++)
      body.append(this.row(this.rows[i], i));
    if (last < n)
      body.append(gap(n - last));
    table.append(this.tableHead(), body);
    this.sheet.replaceChildren(table);
  }

  tableHead() {
    const head = make('thead'), tr = make('tr');
    tr.append(make('th', '', 'Self'), make('th', '', 'Total'),
      make('th', '', 'Line'), make('th', 'text', 'Text'));
    head.append(tr);
    return head;
  }

  /** @param {Row} row @param {number} i */
  row(row, i) {
    const tr = make('tr', i === this.at ? 'cursor' : ''), { sums } = row;
    tr.setAttribute('aria-rowindex', String(i + 2));
    tr.setAttribute('aria-selected', String(String(row.line) ===
      state.get().line));
    tr.append(this.sum(sums?.self, sums?.self_us),
      this.sum(sums?.total, sums?.total_us),
      make('td', 'dim', row.line > 0 ? String(row.line) : '?'));
    const text = make('td', 'text', shown(row.text));
    if (sums)
      text.title = sums.keys.map(k => safe(k.name)).join(', ');
    tr.append(text);
    tr.addEventListener('click', () => this.pick(i));
    return tr;
  }

  /** @param {number} [samples] @param {number} [us] */
  sum(samples, us) {
    if (!samples)
      return make('td', 'share');
    const part = share(samples, this.listing?.samples ?? 0);
    const td = make('td', 'share', percent(part));
    td.style.backgroundSize = `${80 * part}px 60%`;
    td.title = `${nouns(samples, 'sample')}, ${time(us ?? 0)}`;
    return td;
  }

  /** @param {'center'|'nearest'} how */
  reveal(how) {
    const top = this.at * ROW, { scrollTop, clientHeight } = this.sheet;
    const room = clientHeight - 2 * ROW;
    if (how === 'center')
      this.sheet.scrollTop = top - room / 2;
    else if (top < scrollTop)
      this.sheet.scrollTop = top;
    else if (top > scrollTop + room)
      this.sheet.scrollTop = top - room;
    this.draw();
  }

  /* --- what is chosen --- */

  /** @param {number} i */
  pick(i) {
    const row = this.rows[i];
    this.at = i;
    if (!row?.sums)
      this.draw();
    else
      state.set({ file: this.listing?.file?.id ?? '',
        line: String(row.line) });
  }

  /** @param {number} step 1 or -1 */
  nextHot(step) {
    let i = this.at + step;
    while (this.rows[i] && !hasSums(this.rows[i]))
      i += step;
    return this.rows[i] ? i : this.at;
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const last = this.rows.length - 1;
    /** @type {Record<string, () => number>} */
    const moves = { ArrowDown: () => this.at + 1, ArrowUp: () => this.at - 1,
      n: () => this.nextHot(1), p: () => this.nextHot(-1),
      Home: () => 0, End: () => last };
    if (e.ctrlKey || e.metaKey || e.altKey)
      return;
    if (e.key === 'Enter')
      this.pick(this.at);
    else if (moves[e.key]) {
      this.at = Math.max(0, Math.min(last, moves[e.key]()));
      this.reveal('nearest');
    } else
      return;
    e.preventDefault();
  }
}

