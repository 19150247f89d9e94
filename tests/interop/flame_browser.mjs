/*
 * Opens a flame graph in Chromium, does what people do with it, and prints
 * what was then to be seen as JSON. Judging that is up to the caller.
 *
 *     node flame_browser.mjs PLAYWRIGHT CHROMIUM FILE [SHOT.png]
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [playwright, chromium, file, shot] = process.argv.slice(2);
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

const boxes = () => page.$$eval('#boxes > g', list => list.map(g => {
  const rect = g.querySelector('rect'), text = g.querySelector('text');
  return [Number(rect.getAttribute('x')), Number(rect.getAttribute('y')),
    Number(rect.getAttribute('width')), Number(rect.getAttribute('height')),
    rect.getAttribute('fill'), g.querySelector('title').textContent,
    text ? text.textContent : null];
}));
const textOf = id => page.textContent('#' + id);

async function use() {
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

await use();
if (shot)
  await page.screenshot({ path: shot });
await browser.close();
console.log(JSON.stringify(seen));
