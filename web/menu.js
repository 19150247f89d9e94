/*
 * A button that opens a menu. Keys, in the menu: up and down, Home and End move,
 * Enter chooses, Esc closes and gives the focus back to the button.
 */
import { make } from './format.js';

/**
 * @typedef {object} Item
 * @property {string} label
 * @property {string} [note]  a few words more
 * @property {string} [why]  why it cannot be chosen now
 * @property {boolean} [isOn]  it is one that is on or off; the menu stays
 * @property {() => void} run
 */

/** @typedef {{label: string, items: Item[]}} Group */

export class Menu {
  /** @param {HTMLElement} button @param {() => Group[]|Promise<Group[]>} groups
   */
  constructor(button, groups) {
    this.button = button;
    this.groups = groups;
    /** @type {Element|null} what had the focus */
    this.before = null;
    this.box = make('div', 'menu');
    this.box.hidden = true;
    this.box.setAttribute('role', 'menu');
    this.box.setAttribute('aria-label', button.textContent ?? '');
    button.setAttribute('aria-haspopup', 'menu');
    button.setAttribute('aria-expanded', 'false');
    button.after(this.box);
    button.addEventListener('click', () => this.box.hidden ? this.open() :
      this.close());
    button.addEventListener('keydown', e => {
      if (e.key === 'ArrowDown' && this.box.hidden) {
        e.preventDefault();
        this.open();
      }
    });
    this.box.addEventListener('keydown', e => this.press(e));
    addEventListener('pointerdown', e => {
      if (e.target instanceof Node && !this.box.contains(e.target) &&
          !button.contains(e.target))
        this.close();
    });
    this.box.addEventListener('focusout', e => {
      if (e.relatedTarget instanceof Node && e.relatedTarget !== button &&
          !this.box.contains(e.relatedTarget))
        this.close();
    });
  }

  async open() {
    if (this.box.hidden)
      this.before = document.activeElement;
    await this.fill();
    this.box.hidden = false;
    this.button.setAttribute('aria-expanded', 'true');
    this.place();
    this.items()[0]?.focus({ preventScroll: true });
  }

  async fill() {
    const groups = await this.groups();
    this.box.replaceChildren(...groups.filter(g => g.items.length > 0)
      .map(g => this.group(g)));
  }

  /** Keeps it on the screen. */
  place() {
    this.box.style.transform = '';
    const r = this.box.getBoundingClientRect();
    const dx = r.left < 4 ? 4 - r.left :
      Math.min(0, innerWidth - 4 - r.right);
    const dy = Math.min(0, innerHeight - 4 - r.bottom);
    this.box.style.transform = `translate(${dx}px, ${dy}px)`;
  }

  close() {
    if (this.box.hidden)
      return;
    const hasFocus = this.box.contains(document.activeElement);
    this.box.hidden = true;
    this.button.setAttribute('aria-expanded', 'false');
    const to = this.before instanceof HTMLElement &&
      this.before.isConnected && this.before !== document.body ?
      this.before : this.button;
    if (hasFocus)
      to.focus({ preventScroll: true });
  }

  /** @param {Group} group */
  group({ label, items }) {
    const box = make('div', 'group');
    box.setAttribute('role', 'group');
    box.setAttribute('aria-label', label);
    const head = make('p', '', label);
    head.setAttribute('aria-hidden', 'true');
    box.append(head, ...items.map(item => this.item(item)));
    return box;
  }

  /** @param {Item} item */
  item({ label, note, why, isOn, run }) {
    const button = make('button'), words = make('span', '', label);
    button.append(words);
    button.type = 'button';
    words.title = label;
    button.tabIndex = -1;
    button.setAttribute('role', isOn === undefined ? 'menuitem' :
      'menuitemcheckbox');
    if (isOn !== undefined)
      button.setAttribute('aria-checked', String(isOn));
    if (note || why)
      button.append(make('span', 'more', why ?? note));
    if (why)
      button.setAttribute('aria-disabled', 'true');
    button.addEventListener('click', () => {
      if (why)
        return;
      if (isOn === undefined)
        this.close();
      run();
      if (isOn !== undefined)
        this.refill(label);
    });
    return button;
  }

  /** After an entry was turned on or off. @param {string} label */
  async refill(label) {
    await this.fill();
    this.items().find(i => i.firstChild?.textContent === label)?.focus();
  }

  items() {
    return [...this.box.querySelectorAll('button')];
  }

  /** @param {KeyboardEvent} e */
  press(e) {
    const items = this.items();
    const at = items.findIndex(item => item === document.activeElement);
    const to = { ArrowDown: (at + 1) % items.length,
      ArrowUp: (at + items.length - 1) % items.length, Home: 0,
      End: items.length - 1 }[e.key];
    /* Keys of the page mean nothing here. */
    e.stopPropagation();
    if (to !== undefined)
      items[to].focus();
    else if (e.key === 'Escape' || e.key === 'Tab')
      this.close();
    else
      return;
    if (e.key !== 'Tab')
      e.preventDefault();
  }
}

/** @type {Menu|null} */
let floating = null;
/** @type {Group[]} */
let floatingGroups = [];

/** A menu at a place of the page. @param {Group[]} groups
 * @param {number} x @param {number} y */
export function openMenu(groups, x, y) {
  floatingGroups = groups;
  if (!floating) {
    const place = make('div', 'menu-place floating'), button = make('button');
    button.tabIndex = -1;
    button.setAttribute('aria-label', 'Actions');
    place.append(button);
    document.body.append(place);
    floating = new Menu(button, () => floatingGroups);
  }
  const place = /** @type {HTMLElement} */ (floating.button.parentElement);
  place.style.left = `${x}px`;
  place.style.top = `${y}px`;
  floating.close();
  floating.open();
}
