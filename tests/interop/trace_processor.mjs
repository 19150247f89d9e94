/*
 * Loads a trace into Perfetto's trace processor, the engine of its page, and
 * prints what a query finds, as JSON: an object per row.
 *
 *     node trace_processor.mjs PACKAGE FILE QUERY
 *
 * PACKAGE holds engine_bundle.js, a worker for browsers that also knows node,
 * and its WebAssembly. It is spoken to in protobuf (TraceProcessorRpcStream).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';

const [folder, file, query] = process.argv.slice(2);

/* ---- protobuf ---- */

const varint = n => {
  const out = [];
  for (; n > 127; n = Math.floor(n / 128))
    out.push(n % 128 | 128);
  return Buffer.from([...out, n]);
};
const number = (field, n) => Buffer.concat([varint(field * 8), varint(n)]);
const bytes = (field, b) => Buffer.concat([varint(field * 8 + 2),
  varint(b.length), b]);

function getVarint(b, at) {
  let n = 0n, shift = 0n;
  for (;; shift += 7n) {
    const byte = b[at++];
    n |= BigInt(byte & 127) << shift;
    if (byte < 128)
      return [Number(BigInt.asIntN(64, n)), at];
  }
}

/* {field: [values]} */
function message(b) {
  const found = {};
  for (let at = 0, key, value; at < b.length;) {
    [key, at] = getVarint(b, at);
    if (key % 8 === 0) {
      [value, at] = getVarint(b, at);
    } else {
      let size;
      [size, at] = key % 8 === 2 ? getVarint(b, at) : [8, at];
      value = b.subarray(at, at + size);
      at += size;
    }
    (found[Math.floor(key / 8)] ||= []).push(value);
  }
  return found;
}

function packed(b = []) {
  const out = [];
  for (let at = 0, n; at < b.length; out.push(n))
    [n, at] = getVarint(b, at);
  return out;
}

/* ---- the engine ---- */

const APPEND = 1, FINALIZE = 2, QUERY = 3; /* TraceProcessorMethod */
const ANSWERS = { [APPEND]: 201, [FINALIZE]: 202, [QUERY]: 203 };
const worker = {};
const trace = readFileSync(file);
const rows = [];
let row = [];
let seq = 0, columns = [], answered;

const port = {
  postMessage: data => {
    for (const rpc of message(Buffer.from(data))[1] || [])
      answered(message(rpc));
  },
};

function fail(why) {
  console.error(why);
  process.exit(1);
}

/* One request; resolves with its last answer. A query has many. */
function ask(method, ...fields) {
  return new Promise(done => {
    answered = rpc => {
      if (rpc[5])
        fail(String(rpc[5][0]));
      const answer = message(rpc[ANSWERS[method]]?.[0] || Buffer.alloc(0));
      if (method !== QUERY || take(answer))
        done(answer);
    };
    const rpc = Buffer.concat([number(1, ++seq), number(2, method),
      ...fields]);
    port.onmessage({ data: new Uint8Array(bytes(1, rpc)) });
  });
}

/* QueryResult; true at its last batch. */
function take(result) {
  if (result[2] && result[2][0].length)
    fail(String(result[2][0]));
  columns = columns.concat((result[1] || []).map(String));
  let isLast = false;
  for (const batch of (result[3] || []).map(message)) {
    const ints = packed(batch[2]?.[0]);
    const floats = batch[3]?.[0];
    const strings = batch[5] ? String(batch[5][0]).split('\0') : [];
    let nextFloat = 0;
    for (const cell of packed(batch[1]?.[0])) {
      row.push(cell === 1 ? null : cell === 2 ? ints.shift() :
        cell === 3 ? floats.readDoubleLE(8 * nextFloat++) : strings.shift());
      if (row.length === columns.length) {
        rows.push(Object.fromEntries(columns.map((c, i) => [c, row[i]])));
        row = [];
      }
    }
    isLast ||= batch[6]?.[0] === 1;
  }
  return isLast;
}

const source = readFileSync(join(folder, 'engine_bundle.js'), 'utf8');
process.chdir(folder); /* where the engine looks for its WebAssembly */
console.log = console.warn = () => {};
runInThisContext(`(function (self, require, __dirname) {${source}\n})`)(
  worker, createRequire(import.meta.url), folder);
worker.onmessage({ data: { enginePort: port } });
/* It compiles at once, and is ready before a timer fires. */
await new Promise(done => setTimeout(done));
await ask(APPEND, bytes(101, trace));
await ask(FINALIZE);
await ask(QUERY, bytes(103, bytes(1, Buffer.from(query))));
process.stdout.write(JSON.stringify(rows) + '\n', () => process.exit(0));
