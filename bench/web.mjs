/*
 * Opens a trace in a page as a person would, and prints how long that takes and
 * how even it moves, as JSON.
 *
 *     node web.mjs PLAYWRIGHT CHROMIUM KIND ARG...
 *
 * view BOBBIN FILE    `bobbin view FILE`, from the start of the command
 * page FILE           a page of one file, from the file system
 * speedscope DIR FILE its own page, from a server that is already there
 *
 * `ready` is the time in seconds until the first picture is there and a key was
 * answered; of speedscope until its views are there. The start of the browser
 * does not count.
 */
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, join } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [playwright, chromium, kind, ...args] = process.argv.slice(2);
const { chromium: launcher } = createRequire(import.meta.url)(playwright);
const PATIENCE = 600000;
const STEPS = 120;

const browser = await launcher.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader',
    '--no-first-run', '--disable-background-networking', '--disable-sync',
    '--disable-component-update'] });
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(PATIENCE);
/* Nothing that the browser does once in its life is counted. */
await page.goto('data:text/html,<canvas></canvas>');

const now = () => performance.now() / 1000;

async function idle() {
  await page.waitForFunction(() => document.querySelector(
    '#main[aria-busy="false"]') && document.querySelector('#overview canvas'));
}

/** Runs `what` and returns {p95, max}: Ms from one frame to the next. */
async function frames(what) {
  await page.evaluate(() => {
    window.gaps = [];
    let last = performance.now();
    const step = t => {
      window.gaps.push(t - last);
      last = t;
      window.frame = requestAnimationFrame(step);
    };
    window.frame = requestAnimationFrame(t => {
      last = t;
      window.frame = requestAnimationFrame(step);
    });
  });
  await what();
  const gaps = await page.evaluate(() => {
    cancelAnimationFrame(window.frame);
    return window.gaps.sort((a, b) => a - b);
  });
  return { p95: gaps[Math.floor(gaps.length * 0.95)], max: gaps.at(-1),
    n: gaps.length };
}

async function ready(start) {
  await idle();
  const shown = now() - start;
  await page.keyboard.press('?');
  await page.waitForSelector('#keys[open]');
  const answered = now() - start;
  await page.keyboard.press('Escape');
  return { shown, ready: answered };
}

async function box(selector) {
  const at = await page.locator(selector).first().boundingBox();
  return { x: at.x + at.width / 2, y: at.y + at.height / 2, w: at.width };
}

/** Wheel and drag in the time order, a brush in the time line. */
async function moves() {
  const out = {};
  out.still = await frames(() => page.waitForTimeout(1500));
  const line = await box('#overview canvas');
  out.brush = await frames(async () => {
    await page.mouse.move(line.x - line.w / 4, line.y);
    await page.mouse.down();
    for (let i = 0; i < STEPS; i++)
      await page.mouse.move(line.x - line.w / 4 + i * line.w / 300, line.y);
    await page.mouse.up();
  });
  await idle();
  await page.click('#whole');
  await idle();
  await page.click('[role=tab]:has-text("Time order")');
  await idle();
  const chart = await box('#main canvas:visible');
  await page.mouse.move(chart.x, chart.y);
  out.zoom = await frames(async () => {
    for (let i = 0; i < STEPS; i++)
      await page.mouse.wheel(0, i < STEPS / 2 ? -60 : 60);
  });
  await idle();
  out.pan = await frames(async () => {
    await page.mouse.wheel(0, -1200);
    await page.mouse.down();
    for (let i = 0; i < STEPS; i++)
      await page.mouse.move(chart.x + (i % 40) * 8, chart.y);
    await page.mouse.up();
  });
  await idle();
  return out;
}

/** Seconds until the inverted graph is there, and the frames meanwhile. */
async function invert() {
  await page.click('[role=tab]:has-text("Flame graph")');
  await idle();
  let took = 0;
  const gaps = await frames(async () => {
    const start = now();
    await page.click('[role=tab]:has-text("Inverted")');
    await idle();
    took = now() - start;
  });
  return { took, ...gaps };
}

async function all(start) {
  return { ...await ready(start), moves: await moves(),
    invert: await invert() };
}

async function view(bobbin, file) {
  const start = now();
  const child = spawn(bobbin, ['view', '--no-open', file],
    { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise((done, fail) => {
    let text = '';
    child.on('exit', code => fail(new Error(`view ended: ${code}`)));
    child.stdout.on('data', data => {
      text += data;
      const found = text.match(/http:\S+/);
      if (found)
        done(found[0]);
    });
  });
  const address = now() - start;
  await page.goto(url);
  const out = { address, ...await all(start) };
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  out.kib = Number(status.match(/VmHWM:\s+(\d+)/)[1]);
  child.removeAllListeners('exit');
  child.kill('SIGINT');
  return out;
}

async function oneFile(file) {
  const start = now();
  await page.goto(String(pathToFileURL(file)));
  return all(start);
}

async function speedscope(folder, file) {
  const types = { '.html': 'text/html', '.js': 'text/javascript',
    '.css': 'text/css', '.json': 'application/json',
    '.wasm': 'application/wasm' };
  const server = createServer((request, reply) => {
    const name = basename(new URL(request.url, 'http://x').pathname);
    const path = name === basename(file) ? file :
      join(folder, 'dist', 'release', name || 'index.html');
    if (!existsSync(path)) {
      reply.writeHead(404).end();
      return;
    }
    reply.writeHead(200, { 'Content-Type':
      types[path.slice(path.lastIndexOf('.'))] ?? 'application/octet-stream' });
    createReadStream(path).pipe(reply);
  });
  await new Promise(done => server.listen(0, '127.0.0.1', done));
  const base = `http://127.0.0.1:${server.address().port}`;
  const start = now();
  await page.goto(`${base}/#profileURL=${encodeURIComponent(
    `${base}/${basename(file)}`)}`);
  await page.waitForFunction(() =>
    document.body.innerText.includes('Sandwich'));
  const out = { ready: now() - start };
  server.closeAllConnections();
  server.close();
  return out;
}

const kinds = { view, page: oneFile, speedscope };
console.log(JSON.stringify(await kinds[kind](...args)));
await browser.close();
