/*
 * The door to the engine of a page that is a file (web/engine/worker.js). What
 * the page carries stands in elements that `convert -o page.html` has written.
 */
import { byId } from './format.js';

/** Milliseconds after which a question with a pattern is given up: there are
 * patterns that never end. */
const LIMIT = 10000;

/**
 * @typedef {object} PageFacts
 * @property {string} title
 * @property {boolean} hidesIdle
 * @property {import('./types.js').Figure[]} [times]  of what was read, which the
 *   page does not carry all of; of two inputs those of the second
 * @property {string} [missing]  the same
 * @property {{times: import('./types.js').Figure[], missing: string}} [before]
 *   the same of the first of two inputs
 * @property {number} gaps  that recovery has left
 * @property {number} lost  samples in them, as far as known
 * @property {number} bin_us  stretches within which equal stacks were joined; 0:
 *   all samples are where they were
 * @property {boolean} has_times  false: they were dropped, to save room
 * @property {Record<string, string>} state  how it begins
 */

/** What is said about the page; null: a server gave it. */
export const page = /** @type {PageFacts|null} */ (JSON.parse(
  document.getElementById('page-facts')?.textContent ?? 'null'));

/** @typedef {{resolve: (answer: any) => void, reject: (error: Error) => void,
 *   timer: number}} Waiting */

/** @type {Worker|null} */
let worker = null;
/** @type {Promise<void>} */
let isReady;
/** @type {Map<number, Waiting>} */
const waiting = new Map();
let n = 0;

/** @param {string} id */
function text(id) {
  return byId(id).textContent ?? '';
}

/** @param {MessageEvent} event */
function take({ data }) {
  const question = waiting.get(data.id);
  waiting.delete(data.id);
  clearTimeout(question?.timer);
  if (data.error !== undefined)
    question?.reject(new Error(data.error));
  else
    question?.resolve(JSON.parse(data.text));
}

/** @param {PageFacts} facts */
function start(facts) {
  const url = URL.createObjectURL(new Blob([text('worker')],
    { type: 'text/javascript' }));
  const made = worker = new Worker(url);
  URL.revokeObjectURL(url);
  isReady = new Promise((resolve, reject) => {
    made.onmessage = ({ data }) => {
      made.onmessage = take;
      if (data.ready)
        resolve();
      else
        reject(new Error(data.error));
    };
    made.onerror = e => reject(new Error(e.message ||
      'The browser runs no worker for this page.'));
  });
  made.postMessage({ open: { engine: text('engine'),
    traces: [...document.querySelectorAll('script.trace')].map(
      e => e.textContent), title: facts.title, hidesIdle: facts.hidesIdle } });
}

/** Ends the worker with all that it was asked. @param {string} why */
function stop(why) {
  worker?.terminate();
  worker = null;
  for (const question of waiting.values()) {
    clearTimeout(question.timer);
    question.reject(new Error(why));
  }
  waiting.clear();
}

/**
 * @param {string} name a question of cli/view/answers.h
 * @param {Record<string, string>} params
 * @returns {Promise<any>}
 */
export async function ask(name, params) {
  if (!worker && page)
    start(page);
  await isReady;
  return new Promise((resolve, reject) => {
    const id = ++n;
    const timer = params.match || params.hide ? setTimeout(stop, LIMIT,
      'The pattern takes too long.') : 0;
    waiting.set(id, { resolve, reject, timer });
    worker?.postMessage({ id, name, params: Object.entries(params).flat() });
  });
}
