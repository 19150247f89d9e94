/*
 * Where answers come from: the server that gave this page, or the engine that
 * is in it. Answers are kept until the inputs grow, as the same question is
 * asked again when somebody goes back.
 */
import * as engine from './engine.js';
import { byId } from './format.js';

const KEPT = 60;

/** @type {Map<string, Promise<any>>} */
const kept = new Map();

let nOpen = 0;

/** The page says that it is busy until all that was begun is done.
 * @param {number} more */
export function busy(more) {
  nOpen += more;
  byId('main').setAttribute('aria-busy', String(nOpen > 0));
}

/** Empty parameters are left out.
 * @param {Record<string, string|number>} params */
function queryOf(params) {
  return new URLSearchParams(Object.entries(params)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => [key, String(value)]));
}

/** @param {string} name @param {URLSearchParams} params
 * @param {AbortSignal} [signal] @returns {Promise<any>} */
async function get(name, params, signal) {
  if (engine.page)
    return engine.ask(name, Object.fromEntries(params));
  return fetched(`api/${name}?${params}`, signal);
}

/** @param {string} url @param {AbortSignal} [signal]
 * @returns {Promise<any>} */
async function fetched(url, signal) {
  const response = await fetch(url, { signal });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Error(answer.error ?? `the server answered ${response.status}`);
  return answer;
}

/**
 * @param {string} name a question of cli/view/answers.h
 * @param {Record<string, string|number>} params
 * @param {AbortSignal} [signal]  gives the question up
 * @returns {Promise<any>}
 */
export function ask(name, params = {}, signal) {
  const query = queryOf(params);
  const url = `${name}?${query}`;
  let answer = kept.get(url);
  if (!answer) {
    busy(1);
    answer = get(name, query, signal).finally(() => busy(-1));
    answer.catch(() => kept.delete(url));
    if (kept.size >= KEPT)
      kept.delete(kept.keys().next().value ?? '');
  } else
    kept.delete(url);
  kept.set(url, answer);
  return answer;
}

/** A question whose answer is large, and not asked again.
 * @param {string} name @param {Record<string, string|number>} params
 * @returns {Promise<any>} */
export function once(name, params) {
  busy(1);
  return get(name, queryOf(params)).finally(() => busy(-1));
}

/** The text of a source file, as it is now: never from memory.
 * @param {Record<string, string>} params of cli/view/source.h
 * @returns {Promise<import('./types.js').SourceText>} */
export async function sourceText(params) {
  if (engine.page)
    return { why: 'a page that is a file carries no source files',
      can_name: false };
  busy(1);
  return fetched(`source?${queryOf(params)}`).finally(() => busy(-1));
}

/** Facts about the whole, never from memory. */
export function info() {
  return /** @type {Promise<import('./types.js').Info>} */ (
    get('info', new URLSearchParams()));
}

/** The inputs have grown. */
export function forget() {
  kept.clear();
}

/**
 * Runs one question at a time for one place of the page: an answer to an older
 * question is dropped.
 */
export class Slot {
  constructor() {
    this.turn = 0;
  }

  /**
   * @template T
   * @param {Promise<T>} answer @param {(answer: T) => void} show
   * @param {(error: Error) => void} fail
   */
  take(answer, show, fail) {
    const turn = ++this.turn;
    answer.then(a => turn === this.turn && show(a),
      e => turn === this.turn && fail(e));
  }
}
