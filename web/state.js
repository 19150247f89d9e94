/*
 * What is selected and shown. All of it stands in the address behind the #, so
 * that a link restores it and Back works. Views read it and ask to change it;
 * they never change each other.
 */

/**
 * @typedef {object} State
 * @property {string} view   flame, callers, table, sandwich and so on
 * @property {string} from   microseconds; '': from the beginning
 * @property {string} to     microseconds; '': to the end
 * @property {string} pid
 * @property {string} tid
 * @property {string} q      what is searched for
 * @property {string} fn     the function in focus, by its id
 * @property {string} root   the node that fills the flame graph
 * @property {string} span   the stretch of time that the time order shows, as
 *   FROM-TO in microseconds; '': what is selected
 * @property {string} rows   what has a row in the time line on top: process,
 *   runtime or route; '': thread
 * @property {string} file   the source file that is shown, by its id; '': that
 *   of the function in focus, or the heaviest
 * @property {string} line   a line of it, whose callers are shown
 * @property {string} by     function, line, file, class or module
 * @property {string} shape  what is left out of stacks (shape.js)
 * @property {string} annot  annotations that samples must have (shape.js)
 * @property {string} base   the range that the selection is compared with, as
 *   FROM-TO in microseconds; '': none
 * @property {string} way    the row of the call tree that is chosen, by the keys
 *   on the way to it
 * @property {string} dir    callers: the call tree begins with the innermost
 *   frames
 * @property {string} cols   columns of the table (columns.js)
 * @property {string} colors module or self; '': by difference if there is one
 * @property {string} sort   self or total; '': self, or of a difference what
 *   its verdict is about
 * @property {string} idle   0: without idle threads, 1: with them; '': as the
 *   command was told
 * @property {string} side   0: before, 1: after; '': after, or the only one
 * @property {string} theme  light, dark; '': as the system
 */

/** @type {State} */
const INITIAL = { view: 'flame', from: '', to: '', pid: '', tid: '', q: '',
  fn: '', root: '', span: '', rows: '', file: '', line: '', by: 'function',
  sort: '', idle: '', side: '', theme: '', shape: '', annot: '', base: '',
  way: '', dir: '', cols: '', colors: '' };

/** Nodes have other numbers in another selection. */
const UNROOT = ['from', 'to', 'pid', 'tid', 'by', 'side', 'idle', 'shape',
  'annot'];
/** Keys have other numbers. */
const UNWAY = ['by', 'shape', 'dir'];

/** @returns {State} */
function parse() {
  const given = new URLSearchParams(location.hash.slice(1));
  /** @type {State} */
  const state = { ...INITIAL };
  for (const key of /** @type {(keyof State)[]} */ (Object.keys(INITIAL)))
    state[key] = given.get(key) ?? INITIAL[key];
  return state;
}

/** @param {State} state */
function hash(state) {
  const parts = new URLSearchParams();
  for (const key of /** @type {(keyof State)[]} */ (Object.keys(INITIAL)))
    if (state[key] !== INITIAL[key])
      parts.set(key, state[key]);
  const text = parts.toString();
  return text ? `#${text}` : location.pathname;
}

/** @type {State} */
let current = parse();
/** @type {((state: State, old: State) => void)[]} */
const listeners = [];

/** @param {State} next */
function become(next) {
  const old = current;
  current = next;
  for (const listener of listeners)
    listener(current, old);
}

export function get() {
  return current;
}

/**
 * Changes the state. `replace` makes no step for Back: for what changes with
 * each key or move of the mouse.
 * @param {Partial<State>} patch @param {{replace?: boolean}} [how]
 */
export function set(patch, how = {}) {
  const next = { ...current, ...patch };
  if (!('root' in patch) && UNROOT.some(key => key in patch))
    next.root = '';
  if (!('way' in patch) && UNWAY.some(key => key in patch))
    next.way = '';
  if (!('span' in patch) && ('from' in patch || 'to' in patch))
    next.span = '';
  if (!('file' in patch) && patch.fn)
    next.file = next.line = '';
  const url = hash(next);
  if (url === hash(current))
    return;
  if (how.replace)
    history.replaceState(null, '', url);
  else
    history.pushState(null, '', url);
  become(next);
}

/** @param {(state: State, old: State) => void} listener */
export function subscribe(listener) {
  listeners.push(listener);
}

addEventListener('popstate', () => become(parse()));

/**
 * The part of the state that selects samples, as parameters of a question.
 * @param {State} s
 */
export function selection(s) {
  return { from: s.from, to: s.to, pid: s.pid, tid: s.tid, by: s.by,
    side: s.side, idle: s.idle, shape: s.shape, annot: s.annot,
    base: s.base };
}

/**
 * The side of two inputs, for what looks at all of the time: two ranges are of
 * one input, which has no sides.
 * @param {State} s
 */
export function sideOf(s) {
  return s.base ? '' : s.side;
}
