/*
 * Asks the engine in a page without a browser, and prints its answers.
 *
 *     node page_engine.mjs PAGE QUESTIONS
 *
 * QUESTIONS is a JSON list of [name, {parameter: value}]; what is printed is a
 * JSON list of {text} or {error}.
 */
import { readFileSync } from 'node:fs';

const [path, questions] = process.argv.slice(2);
const page = readFileSync(path, 'utf8');

/* Texts of the elements with this attribute. */
function texts(mark) {
  return [...page.matchAll(new RegExp(
    `<script type="[a-z/]+" ${mark}>([^<]*(?:<(?!/script>)[^<]*)*)</script>`,
    'g'))].map(found => found[1]);
}

const facts = JSON.parse(texts('id="page-facts"')[0]);
const answers = [];
let next = () => {};
globalThis.postMessage = message => next(message);
(0, eval)(texts('id="worker"')[0]);

function send(data) {
  return new Promise(resolve => {
    next = resolve;
    globalThis.onmessage({ data });
  });
}

const opened = await send({ open: { engine: texts('id="engine"')[0],
  traces: texts('class="trace"'), ...facts } });
if (opened.error)
  throw new Error(opened.error);
for (const [name, params] of JSON.parse(questions))
  answers.push(await send({ id: 1, name,
    params: Object.entries(params).flat().map(String) }));
process.stdout.write(JSON.stringify(answers));
