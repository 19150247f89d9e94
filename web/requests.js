/* Routes with their counts and times, each selects its samples; and the slowest
 * requests: each is a range of time of one thread, to open. */
import { count, make, percent, safe, share, time } from './format.js';
import * as shape from './shape.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Requests} Answer */
/** @typedef {import('./types.js').Route} Route */

/** @param {string[]} names the last one is text */
function tableOf(names) {
  const table = make('table'), head = make('thead'), tr = make('tr');
  names.forEach((name, i) => tr.append(make('th',
    i === names.length - 1 ? 'text' : '', name)));
  head.append(tr);
  const body = make('tbody');
  table.append(head, body);
  return { table, body };
}

/** @param {string[]} cells */
function rowOf(cells) {
  const tr = /** @type {HTMLTableRowElement} */ (make('tr'));
  cells.forEach((cell, i) => tr.append(make('td',
    i === cells.length - 1 ? 'text' : '', cell)));
  return tr;
}

/** @param {HTMLTableRowElement} tr @param {() => void} run */
function opens(tr, run) {
  tr.tabIndex = 0;
  tr.addEventListener('click', run);
  tr.addEventListener('keydown', e => e.key === 'Enter' && run());
}

/** @param {Route} r @param {number} all the time of all routes */
function rowOfRoute(r, all) {
  const { key } = r, tr = rowOf([(r.is_lower_bound ? '≥ ' : '') +
    count(r.requests), time(r.time_us), percent(share(r.time_us, all)),
  time(r.p50_us), time(r.p95_us), time(r.max_us), safe(r.route)]);
  if (key === undefined) {
    tr.className = 'plain';
    tr.title = 'No annotation has this route: it is made of addresses.';
    return tr;
  }
  tr.setAttribute('aria-selected', String(shape.annotations().includes(
    `${key}=${r.route}`)));
  opens(tr, () => shape.toggleAnnotation(key, r.route));
  return tr;
}

export class RequestsView {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.box = make('div', 'table');
    parent.append(this.box);
  }

  /** @param {Answer} answer */
  show(answer) {
    const routes = tableOf(['Requests', 'Time', 'Share', 'Median',
      '95 %', 'Slowest', 'Route']);
    routes.body.append(...answer.routes.map(r =>
      rowOfRoute(r, answer.time_us)));
    const slow = tableOf(['Time', 'Began at', 'Samples', 'Slowest requests']);
    for (const r of answer.slowest) {
      const tr = rowOf([time(r.time_us), time(r.t_first_us),
        count(r.samples), safe(r.value)]);
      opens(tr, () => state.set({ view: 'flame', pid: String(r.pid ?? ''),
        tid: String(r.tid ?? ''), from: String(r.t_first_us),
        to: String(r.t_first_us + Math.max(1, r.time_us)) }));
      slow.body.append(tr);
    }
    if (answer.routes.length === 0)
      this.box.replaceChildren(make('p', 'note', 'The trace says nothing of ' +
        'requests. Captures do with --request, of servers that tell.'));
    else
      this.box.replaceChildren(routes.table, slow.table);
  }
}
