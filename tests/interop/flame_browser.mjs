/*
 * Opens a flame graph in Chromium, does what people do with it, and prints
 * what was then to be seen as JSON. Judging that is up to the caller.
 *
 *     node flame_browser.mjs PLAYWRIGHT CHROMIUM svg|html FILE [SHOT.png]
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [playwright, chromium, kind, file, shot] = process.argv.slice(2);
const { chromium: launcher } = createRequire(import.meta.url)(playwright);
const seen = { errors: [], requests: [] };

const browser = await launcher.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update',
    '--disable-sync'] });
const page = await browser.newPage({ viewport: { width: 1300, height: 900 },
  colorScheme: 'light' });
page.on('pageerror', e => seen.errors.push(String(e)));
page.on('console', m => m.type() === 'error' && seen.errors.push(m.text()));
page.on('dialog', d => seen.errors.push('dialog ' + d.message()));
page.on('request', r => seen.requests.push(r.url()));
await page.goto(pathToFileURL(file).href);

/* --- the picture --- */

const boxes = () => page.$$eval('#boxes > g', list => list.map(g => {
  const rect = g.querySelector('rect'), text = g.querySelector('text');
  return [Number(rect.getAttribute('x')), Number(rect.getAttribute('y')),
    Number(rect.getAttribute('width')), Number(rect.getAttribute('height')),
    rect.getAttribute('fill'), g.querySelector('title').textContent,
    text ? text.textContent : null];
}));
const textOf = id => page.textContent('#' + id);

async function useSvg() {
  seen.boxes = await boxes();
  seen.notes = await textOf('notes');
  const second = page.locator('#boxes > g').nth(1);
  await second.hover();
  seen.hover = await textOf('about');
  await page.mouse.move(5, 5);
  seen.unhover = await textOf('about');
  const target = page.locator('#boxes > g', { has: page.locator(
    'text', { hasText: /^target$/ }) }).last();
  await target.click();
  seen.zoomed = await boxes();
  await page.click('#reset');
  seen.reset = await boxes();
  await page.keyboard.press('Control+f');
  await page.keyboard.type('^(target|other)$');
  seen.matched = await textOf('matched');
  seen.n_matches = await page.locator('#boxes > .match').count();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  seen.unmatched = await textOf('matched');
  await page.keyboard.press('/');
  await page.keyboard.type('(');
  seen.bad = await textOf('matched');
  await page.keyboard.press('Escape');
  await page.click('#invert');
  seen.inverted = await boxes();
  await page.click('#invert');
  await page.click('#flip');
  seen.flipped = await boxes();
}

/* --- the page --- */

const rowsOf = id => page.$$eval('#' + id + ' tbody tr', list =>
  list.map(tr => [...tr.cells].map(td => td.firstChild.textContent)));

/* True when some of the canvas is painted. */
const painted = () => page.$eval('#canvas', c => c.getContext('2d')
  .getImageData(0, 0, c.width, c.height).data.some(v => v !== 0));

/* A point of the graph: so many rows above its root. */
async function clickRow(row, share) {
  const b = await page.locator('#canvas').boundingBox();
  await page.mouse.click(b.x + b.width * share,
    b.y + b.height - 19 * row - 9);
}

async function useHtml() {
  seen.shift = await page.evaluate(() => new Promise(done => {
    let sum = 0;
    new PerformanceObserver(list => {
      for (const e of list.getEntries())
        sum += e.value;
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => done(sum), 300);
  }));
  seen.painted = await painted();
  seen.facts = await textOf('facts');
  seen.rows = await rowsOf('functions');
  seen.tracks = await page.$$eval('#track option', list => list.map(o =>
    [o.value, o.textContent]));
  await page.keyboard.press('/');
  await page.keyboard.type('^(target|other)$');
  seen.matched = await textOf('matched');
  seen.search_hash = await page.evaluate(() => location.hash);
  await page.keyboard.press('Escape');
  seen.unmatched = await textOf('matched');
  await clickRow(1, 0.3);
  seen.crumbs = await textOf('crumbs');
  seen.zoom_hash = await page.evaluate(() => location.hash);
  seen.chosen = await textOf('chosen');
  seen.callers = await rowsOf('callers');
  seen.callees = await rowsOf('callees');
  await page.click('#functions tbody tr:first-child');
  seen.recursive = [await textOf('chosen'), await rowsOf('callers'),
    await rowsOf('callees')];
  await page.goBack();
  seen.back = await textOf('crumbs');
  await page.goForward();
  seen.forward = await textOf('crumbs');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowUp');
  seen.walked = await textOf('status');
  await page.keyboard.press('Enter');
  seen.entered = await textOf('crumbs');
  await page.keyboard.press('Escape');
  await page.keyboard.press('i');
  seen.inverted_hash = await page.evaluate(() => location.hash);
  await clickRow(1, 0.8);
  seen.inverted_crumbs = await textOf('crumbs');
  await page.reload();
  seen.reloaded_crumbs = await textOf('crumbs');
  await page.keyboard.press('Escape');
  if (seen.tracks.length > 2) {
    await page.selectOption('#track', seen.tracks.at(-1)[0]);
    seen.track_facts = await textOf('facts');
    await page.selectOption('#track', '');
  }
  await page.fill('#filter', '^other$');
  seen.filtered = await rowsOf('functions');
  await page.fill('#filter', '');
  await page.click('#functions th:nth-child(5) button');
  seen.by_total = await rowsOf('functions');
  await page.click('#theme');
  seen.dark = await page.$eval('body', b => getComputedStyle(b)
    .backgroundColor);
}

await (kind === 'svg' ? useSvg() : useHtml());
if (shot)
  await page.screenshot({ path: shot });
await browser.close();
console.log(JSON.stringify(seen));
