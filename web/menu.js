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
 * @property {() => void} run
 */

/** @typedef {{label: string, items: Item[]}} Group */

export class Menu {
  /** @param {HTMLElement} button @param {() => Group[]} groups */
  constructor(button, groups) {
    this.button = button;
    this.groups = groups;
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

  open() {
    this.box.replaceChildren(...this.groups().filter(g => g.items.length > 0)
      .map(g => this.group(g)));
    this.box.hidden = false;
    this.button.setAttribute('aria-expanded', 'true');
    this.items()[0]?.focus();
  }

  close() {
    if (this.box.hidden)
      return;
    const hasFocus = this.box.contains(document.activeElement);
    this.box.hidden = true;
    this.button.setAttribute('aria-expanded', 'false');
    if (hasFocus)
      this.button.focus();
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
  item({ label, note, why, run }) {
    const button = make('button', '', label);
    button.type = 'button';
    button.tabIndex = -1;
    button.setAttribute('role', 'menuitem');
    if (note || why)
      button.append(make('span', '', why ?? note));
    if (why)
      button.setAttribute('aria-disabled', 'true');
    button.addEventListener('click', () => {
      if (why)
        return;
      this.close();
      run();
    });
    return button;
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
