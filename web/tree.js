/*
 * The call tree as rows that open, from the outermost frames or from the
 * innermost. Which rows are open follows from the row that is chosen: those on
 * the way to it. That way stands in the address.
 */
import { act, openActions } from './actions.js';
import { count, make, nouns, percent, place, safe, share } from './format.js';
import { Slot, ask } from './source.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Key} Key */
/** @typedef {import('./types.js').Branches} Branches */
/** @typedef {import('./types.js').Level} Level */

/**
 * @typedef {object} Branch
 * @property {number} key
 * @property {Key|undefined} of
 * @property {number} total
 * @property {number} self
 * @property {number} children
 * @property {number} depth
 * @property {string} way  keys from the root to it, with dots
 */

const FIELDS = 4;
/* Below this share of its parent, the way to the heaviest row is not opened by
 * itself; and rows deeper than this are not indented further. */
const OPENS = 0.5, DEEPEST = 40;

/** @param {string} way */
function outwards(way) {
  return way.split('.').slice(0, -1).join('.');
}

export class TreeView {
  /** @param {HTMLElement} parent
   * @param {{say: (text: string) => void, fail: (error: Error) => void}} o */
  constructor(parent, o) {
    this.o = o;
    this.box = make('div', 'tree');
    this.tools = make('div', 'tools');
    this.sheet = make('div', 'table');
    this.makeTools();
    this.box.append(this.tools, this.sheet);
    parent.append(this.box);
    this.slot = new Slot();
    /** @type {Branch[]} */
    this.rows = [];
    this.samples = 0;
    /** @type {Record<string, string|number>} */
    this.params = {};
  }

  makeTools() {
    this.choice = make('select');
    this.choice.setAttribute('aria-label', 'Direction');
    this.choice.append(new Option('From the outermost frame inwards', ''),
      new Option('From the innermost frame outwards', 'callers'));
    this.choice.addEventListener('change', () => state.set({
      dir: this.choice?.value ?? '', way: '' }));
    const heavy = make('button', '', 'Open the heaviest path');
    heavy.type = 'button';
    heavy.addEventListener('click', () => this.openHeaviest());
    this.tools.append(this.choice, heavy);
  }

  /** @param {import('./views.js').Now} now */
  load({ s, selected }) {
    this.params = { ...selected, dir: s.dir };
    if (this.choice)
      this.choice.value = s.dir;
    this.slot.take(ask('branches', { ...this.params, way: s.way }),
      (/** @type {Branches} */ a) => this.show(a, s), this.o.fail);
  }

  /** Goes down as long as one child has most of what its parent has. */
  async openHeaviest() {
    let way = state.get().way;
    try {
      for (;;) {
        const a = /** @type {Branches} */ (await ask('branches', {
          ...this.params, way }));
        const level = a.levels[a.levels.length - 1];
        const above = a.levels.length > 1 ? this.nodeOf(a, way) : a.samples;
        if (level.n_nodes === 0 || level.nodes[1] < OPENS * above)
          break;
        way = way ? `${way}.${level.nodes[0]}` : String(level.nodes[0]);
      }
    } catch (error) {
      this.o.fail(/** @type {Error} */ (error));
    }
    state.set({ way });
  }

  /** The samples of the last node of a way. @param {Branches} a
   * @param {string} way */
  nodeOf(a, way) {
    const { nodes } = a.levels[a.levels.length - 2];
    const last = Number(way.split('.').pop());
    for (let i = 0; i < nodes.length; i += FIELDS)
      if (nodes[i] === last)
        return nodes[i + 1];
    return 0;
  }

  /** @param {Branches} a @param {state.State} s */
  show(a, s) {
    const hadFocus = this.sheet.contains(document.activeElement);
    this.samples = a.samples;
    this.rows = [];
    this.add(a, 0, '', s.way);
    const table = make('table'), body = make('tbody');
    table.setAttribute('role', 'treegrid');
    table.setAttribute('aria-label', 'Call tree');
    body.append(...this.rows.map(row => this.row(row, s)));
    table.append(this.head(), body);
    const { scrollTop } = this.sheet;
    this.sheet.replaceChildren(table);
    this.sheet.scrollTop = scrollTop;
    if (a.samples === 0)
      this.sheet.append(make('p', 'note', 'No samples are selected.'));
    const at = this.rows.findIndex(r => r.way === s.way);
    const chosen = body.children[Math.max(0, at)];
    if (chosen instanceof HTMLElement) {
      chosen.tabIndex = 0;
      if (at > 0)
        chosen.scrollIntoView({ block: 'nearest' });
      if (hadFocus)
        chosen.focus({ preventScroll: true });
    }
    this.o.say(`${nouns(a.samples, 'sample')} · ${nouns(this.rows.length,
      'row')} · right opens a row, left closes it`);
  }

  /** Rows of a level, and below the one on the way those of the next.
   * @param {Branches} a @param {number} depth @param {string} above
   * @param {string} way */
  add(a, depth, above, way) {
    const level = a.levels[depth];
    for (let i = 0; i < level.nodes.length; i += FIELDS) {
      const [key, total, self, children] = level.nodes.slice(i, i + FIELDS);
      const own = above ? `${above}.${key}` : String(key);
      this.rows.push({ key, of: a.keys[key], total, self, children, depth,
        way: own });
      if (depth + 1 < a.levels.length &&
          (way === own || way.startsWith(`${own}.`)))
        this.add(a, depth + 1, own, way);
    }
  }

  head() {
    const head = make('thead'), tr = make('tr');
    for (const [name, label] of [['', 'Total'], ['', 'Self'],
      ['', 'Samples'], ['text', 'Function']]) {
      const th = make('th', name, label);
      th.scope = 'col';
      tr.append(th);
    }
    head.append(tr);
    return head;
  }

  /** @param {Branch} row @param {state.State} s */
  row(row, s) {
    const isOpen = s.way === row.way || s.way.startsWith(`${row.way}.`);
    const tr = make('tr'), text = make('td', 'text'), key = row.of;
    tr.tabIndex = -1;
    tr.setAttribute('aria-level', String(row.depth + 1));
    tr.setAttribute('aria-selected', String(s.way === row.way));
    if (row.children > 0)
      tr.setAttribute('aria-expanded', String(isOpen));
    const total = make('td', 'share', percent(share(row.total, this.samples)));
    total.style.backgroundSize =
      `${80 * share(row.total, this.samples)}px 60%`;
    const mark = make('span', 'fold', row.children === 0 ? '' :
      isOpen ? '▾' : '▸');
    mark.style.marginLeft = `${14 * Math.min(row.depth, DEEPEST)}px`;
    text.append(mark, make('span', 'name', safe(key?.name || key?.text || '?')));
    if (key?.file && key.file !== key.name)
      text.append(make('span', 'file', place(key.file, key.line)));
    text.title = safe(key?.text ?? '');
    tr.append(total, make('td', row.self ? '' : 'dim', row.self ?
      percent(share(row.self, this.samples)) : ''),
    make('td', 'dim', count(row.total)), text);
    tr.addEventListener('click', () => this.toggle(row, isOpen));
    tr.addEventListener('contextmenu', e => {
      if (!key)
        return;
      e.preventDefault();
      openActions(key, e.clientX, e.clientY);
    });
    tr.addEventListener('keydown', e => this.press(e, row, isOpen, tr));
    return tr;
  }

  /** @param {Branch} row @param {boolean} isOpen */
  toggle(row, isOpen) {
    state.set({ way: isOpen && state.get().way === row.way ?
      outwards(row.way) : row.way }, { replace: true });
  }

  /** @param {KeyboardEvent} e @param {Branch} row @param {boolean} isOpen
   * @param {HTMLElement} tr */
  press(e, row, isOpen, tr) {
    const to = e.key === 'ArrowDown' ? tr.nextElementSibling :
      e.key === 'ArrowUp' ? tr.previousElementSibling : null;
    if (to instanceof HTMLElement)
      to.focus();
    else if (e.key === 'ArrowRight' || (e.key === 'Enter' && !isOpen))
      state.set({ way: row.way }, { replace: true });
    else if (e.key === 'ArrowLeft' || e.key === 'Enter')
      state.set({ way: isOpen && e.key === 'Enter' ? outwards(row.way) :
        isOpen && state.get().way !== row.way ? row.way :
          outwards(row.way) }, { replace: true });
    else if (!act(e, row.of))
      return;
    e.preventDefault();
    e.stopPropagation();
  }
}
