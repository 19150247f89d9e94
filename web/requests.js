/* Routes with their counts and times, and the slowest requests: each is a range
 * of time of one thread, to open. */
import { count, make, percent, safe, share, time } from './format.js';
import * as state from './state.js';

/** @typedef {import('./types.js').Requests} Answer */

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
  const tr = make('tr');
  cells.forEach((cell, i) => tr.append(make('td',
    i === cells.length - 1 ? 'text' : '', cell)));
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
    const all = answer.routes.reduce((sum, r) => sum + r.time_us, 0);
    for (const r of answer.routes)
      routes.body.append(rowOf([(r.is_lower_bound ? '≥ ' : '') +
        count(r.requests), time(r.time_us), percent(share(r.time_us, all)),
      time(r.p50_us), time(r.p95_us), time(r.max_us), safe(r.route)]));
    const slow = tableOf(['Time', 'Began at', 'Samples', 'Slowest requests']);
    for (const r of answer.slowest) {
      const tr = rowOf([time(r.time_us), time(r.t_first_us),
        count(r.samples), safe(r.value)]);
      tr.tabIndex = 0;
      const open = () => state.set({ view: 'flame', pid: String(r.pid ?? ''),
        tid: String(r.tid ?? ''), from: String(r.t_first_us),
        to: String(r.t_first_us + Math.max(1, r.time_us)) });
      tr.addEventListener('click', open);
      tr.addEventListener('keydown', e => e.key === 'Enter' && open());
      slow.body.append(tr);
    }
    if (answer.routes.length === 0)
      this.box.replaceChildren(make('p', 'note', 'The trace says nothing of ' +
        'requests. Captures do with --request, of servers that tell.'));
    else
      this.box.replaceChildren(routes.table, slow.table);
  }
}
