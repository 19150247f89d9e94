/*
 * The engine of a page that is a file: the module web/engine makes of the C
 * sources, in a worker. It unpacks the traces of the page, and answers the
 * questions that otherwise the server of `bobbin view` answers.
 *
 * Messages: {open: Contents} first, answered by {ready: true} or {error}; then
 * {id, name, params}, answered by {id, text} or {id, error}.
 */

/**
 * @typedef {object} Contents
 * @property {string} engine  the module, packed
 * @property {string[]} traces  the same; two are compared
 * @property {string} title
 * @property {boolean} hidesIdle
 */

/**
 * What web/engine/door.c gives.
 * @typedef {object} Engine
 * @property {WebAssembly.Memory} memory
 * @property {() => void} _initialize
 * @property {(n: number) => number} engine_room
 * @property {(side: number) => number} engine_add
 * @property {() => number} engine_error
 * @property {(isDiff: number, hidesIdle: number) => number} engine_begin
 * @property {() => number} engine_ask
 * @property {() => number} engine_answer_size
 * @property {() => number} engine_answer_is_error
 */

/** @type {Engine} */
let engine;

/** @param {number} at @param {number} n */
function bytes(at, n) {
  return new Uint8Array(engine.memory.buffer, at >>> 0, n);
}

/* --- patterns: bytes as the characters with the same numbers --- */

/** @type {Map<number, RegExp>} */
const patterns = new Map();
let nPatterns = 0;

/** @param {number} at @param {number} n */
function latin(at, n) {
  let text = '';
  for (const all = bytes(at, n); text.length < n;)
    text += String.fromCharCode(...all.subarray(text.length,
      text.length + 8192));
  return text;
}

const pattern = {
  /** @param {number} at @param {number} n @param {number} why
   * @param {number} room */
  compile(at, n, why, room) {
    const text = latin(at, n), ignoresCase = text.startsWith('(?i)');
    try {
      patterns.set(++nPatterns, new RegExp(ignoresCase ? text.slice(4) : text,
        ignoresCase ? 'is' : 's'));
      return nPatterns;
    } catch (error) {
      const words = new TextEncoder().encode(String(error)).slice(0, room - 1);
      bytes(why, words.length + 1).set([...words, 0]);
      return 0;
    }
  },
  /** @param {number} number @param {number} at @param {number} n */
  test: (number, at, n) => patterns.get(number)?.test(latin(at, n)) ? 1 : 0,
  /** @param {number} number */
  drop: number => void patterns.delete(number),
};

/* --- what the C library asks its system for: there are no files --- */

const EBADF = 8;

const wasi = {
  /** @param {number} at @param {number} n */
  random_get(at, n) {
    crypto.getRandomValues(bytes(at, n));
    return 0;
  },
  /** @param {number} _id @param {bigint} _precision @param {number} at */
  clock_time_get(_id, _precision, at) {
    new DataView(engine.memory.buffer).setBigUint64(at,
      BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  },
};
const system = new Proxy(wasi, { get: (own, name) =>
  Reflect.get(own, name) ?? (() => EBADF) });

/* --- the questions --- */

/** @param {string} text base64 of gzip */
async function unpack(text) {
  const raw = atob(text), packed = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++)
    packed[i] = raw.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(
    new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {Uint8Array} data */
function hand(data) {
  const at = engine.engine_room(data.length);
  if (at === 0)
    throw new Error('There is not enough memory for the trace of this page.');
  bytes(at, data.length).set(data);
}

function lastError() {
  const at = engine.engine_error();
  const all = bytes(at, engine.memory.buffer.byteLength - at);
  return new TextDecoder().decode(all.subarray(0, all.indexOf(0)));
}

/** @param {Contents} page */
async function open(page) {
  const { instance } = await WebAssembly.instantiate(
    await unpack(page.engine), { pattern, wasi_snapshot_preview1: system });
  engine = /** @type {Engine} */ (/** @type {unknown} */ (instance.exports));
  engine._initialize();
  for (const [side, trace] of page.traces.entries()) {
    hand(await unpack(trace));
    if (engine.engine_add(side) < 0)
      throw new Error(lastError());
  }
  hand(new TextEncoder().encode(page.title));
  if (engine.engine_begin(page.traces.length - 1, page.hidesIdle ? 1 : 0) < 0)
    throw new Error(lastError());
}

/** @param {string} name @param {string[]} params names and values by turns */
function ask(name, params) {
  hand(new TextEncoder().encode([name, ...params].map(
    word => word.replaceAll('\0', '') + '\0').join('')));
  const at = engine.engine_ask();
  if (at === 0)
    throw new Error(`This page cannot answer the question '${name}'.`);
  const text = new TextDecoder().decode(bytes(at,
    engine.engine_answer_size()));
  if (engine.engine_answer_is_error())
    throw new Error(JSON.parse(text).error);
  return text;
}

onmessage = async ({ data }) => {
  try {
    if (data.open) {
      await open(data.open);
      postMessage({ ready: true });
    } else
      postMessage({ id: data.id, text: ask(data.name, data.params) });
  } catch (error) {
    postMessage({ id: data.id,
      error: error instanceof Error ? error.message : String(error) });
  }
};
