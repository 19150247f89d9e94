/* One function: a table to choose it from, its callers above, its callees
 * below. */
import { Flame } from './flame.js';
import { byId, make, nouns, percent, safe, share } from './format.js';
import { Slot, ask } from './source.js';
import { Table } from './table.js';
import * as state from './state.js';

/** @typedef {import('./types.js').FlameAnswer} FlameAnswer */

export class Sandwich {
  /**
   * @param {HTMLElement} parent
   * @param {import('./flame.js').Events} events
   * @param {import('./table.js').Events} tableEvents
   */
  constructor(parent, events, tableEvents) {
    this.box = make('div', 'split');
    this.table = new Table(this.box, tableEvents, { isSmall: true });
    const halves = make('div', 'halves');
    this.head = make('h2');
    this.callers = new Flame(halves, 'Callers', events, { isUp: true });
    halves.append(this.head);
    this.callees = new Flame(halves, 'Callees', events);
    this.box.append(halves);
    parent.append(this.box);
    this.slots = [new Slot(), new Slot()];
  }

  /**
   * @param {state.State} s @param {number} version @param {number} samples
   * @param {(error: Error) => void} fail
   */
  load(s, version, samples, fail) {
    if (!s.fn) {
      this.head.textContent = 'Choose a function in the table.';
      byId('legend').hidden = true;
      return;
    }
    [this.callers, this.callees].forEach((flame, i) => {
      const params = { ...state.selection(s), focus: s.fn, v: version,
        dir: i === 0 ? 'callers' : 'callees', px: Math.round(flame.width()) };
      this.slots[i].take(ask('flame', params), (/** @type {FlameAnswer} */ a) => {
        flame.show(a);
        if (i === 1)
          flame.legend(byId('legend-entries'));
        this.head.textContent = `${safe(s.fn)} · ` +
          `${percent(share(a.samples, samples))} of what is selected, ` +
          `${nouns(a.samples, 'sample')} · callers above, callees below`;
      }, fail);
    });
  }

  pictures() {
    return [this.callers.picture(), this.callees.picture()];
  }

  /** @param {RegExp|null} pattern */
  mark(pattern) {
    this.callers.mark(pattern);
    this.callees.mark(pattern);
  }
}
