/*
 * Opens each view of a page of `bobbin view` in Firefox (puppeteer-core speaks
 * WebDriver BiDi to it), and prints what was to be seen as JSON.
 *
 *     node firefox.mjs PUPPETEER FIREFOX URL
 */
import { pathToFileURL } from 'node:url';

const [puppeteer, firefox, url] = process.argv.slice(2);
const entry = await import(pathToFileURL(
  `${puppeteer}/lib/esm/puppeteer/puppeteer-core.js`).href);
const out = { errors: [], seen: {} };
const browser = await entry.default.launch({ browser: 'firefox',
  executablePath: firefox, headless: true });
const page = await browser.newPage();
await page.setViewport({ width: 1300, height: 800 });
page.on('pageerror', e => out.errors.push(String(e)));
page.on('console', m => m.type() === 'error' && out.errors.push(m.text()));

async function settle() {
  await new Promise(r => setTimeout(r, 300));
  await page.waitForSelector('#main[aria-busy="false"]', { timeout: 60000 });
  await new Promise(r => setTimeout(r, 200));
}

/* For each canvas that is shown: is anything drawn? */
function painted() {
  return [...document.getElementById('main').children]
    .filter(e => !e.hidden)
    .flatMap(e => [...e.querySelectorAll('canvas')])
    .map(c => c.getContext('2d').getImageData(0, 0, c.width, c.height)
      .data.some(v => v !== 0));
}

/* What is late is drawn after the page has its answers. */
async function wait_for_pixels() {
  const end = Date.now() + 20000;
  while (!(await page.evaluate(painted)).every(Boolean) && Date.now() < end)
    await new Promise(r => setTimeout(r, 100));
}

await page.goto(url);
await settle();
for (const key of '12345689') {
  await page.keyboard.press(key);
  await settle();
  await wait_for_pixels();
  const [tab, seen] = await page.evaluate(() => {
    const shown = [...document.getElementById('main').children]
      .filter(e => !e.hidden);
    return [document.querySelector('#tabs [aria-selected="true"]').textContent, {
      status: document.getElementById('status').textContent,
      isBad: document.getElementById('status').classList.contains('bad'),
      rows: shown.flatMap(e => [...e.querySelectorAll('tbody tr')]).length }];
  });
  out.seen[tab] = { ...seen, painted: await page.evaluate(painted) };
}
await page.keyboard.press('3');
await settle();
await page.keyboard.press('r');
await settle();
out.address = await page.evaluate(() => decodeURIComponent(location.hash));
await page.goBack();
await settle();
out.back = await page.evaluate(() => decodeURIComponent(location.hash));
await browser.close();
process.stdout.write(JSON.stringify(out));
