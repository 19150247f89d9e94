/*
 * Opens a profile in speedscope's own page and prints what its Sandwich view
 * shows, as JSON: profiles by name, and the rows of the table. The page learns
 * the file's name, by which it chooses a reader.
 *
 *     node speedscope.mjs PLAYWRIGHT CHROMIUM SPEEDSCOPE FILE [SHOT.png]
 */
import { createServer } from 'node:http';
import { createReadStream, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createRequire } from 'node:module';

const [playwright, chromium, speedscope, file, shot] = process.argv.slice(2);
const { chromium: launcher } = createRequire(import.meta.url)(playwright);
const app = join(speedscope, 'dist', 'release');
const types = { '.html': 'text/html', '.js': 'text/javascript',
  '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm' };
const seen = { errors: [] };

/* The page and the profile, on this machine alone. */
const server = createServer((request, reply) => {
  const name = basename(new URL(request.url, 'http://x').pathname);
  const path = name === basename(file) ? file :
    join(app, name || 'index.html');
  if (!existsSync(path)) {
    reply.writeHead(404).end();
    return;
  }
  reply.writeHead(200, { 'Content-Type':
    types[path.slice(path.lastIndexOf('.'))] || 'application/octet-stream' });
  createReadStream(path).pipe(reply);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const base = `http://127.0.0.1:${server.address().port}`;

const browser = await launcher.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader',
    '--disable-background-networking', '--disable-component-update',
    '--no-first-run', '--disable-sync'] });
/* High enough for all rows: the table draws only what can be seen. */
const page = await browser.newPage({
  viewport: shot ? { width: 1100, height: 480 } :
    { width: 1400, height: 6000 } });
page.on('pageerror', e => seen.errors.push(String(e)));
page.on('dialog', d => {
  seen.errors.push('dialog ' + d.message());
  d.dismiss();
});
await page.goto(`${base}/#profileURL=${encodeURIComponent(
  `${base}/${basename(file)}`)}`);
await page.waitForFunction(() => document.body.innerText.includes('Sandwich'),
  null, { timeout: 120000 });
/* Two tables: the hidden one to choose a profile in, and the one with bars.
 * A key that comes before the page listens is lost, hence again and again. */
for (let i = 0; i < 120; i++) {
  await page.keyboard.press('3');
  await page.waitForTimeout(500);
  if (await page.$('td > div > div'))
    break;
}
const tables = await page.$$eval('table tr', rows => rows.map(row =>
  [...row.querySelectorAll('td')].map(cell => {
    const bar = cell.querySelector('div > div');
    return { text: cell.innerText || cell.textContent, title: cell.title,
      width: bar && parseFloat(bar.style.width) };
  })).filter(cells => cells.length === 3));
seen.rows = tables.filter(([cell]) => cell.width !== null).map(
  ([total, self, name]) => ({ name: name.text, file: name.title,
    total: total.text, self: self.text, totalPart: total.width,
    selfPart: self.width }));
seen.profiles = tables.filter(([cell]) => cell.width === null).map(
  cells => cells[1].text);
if (shot)
  await page.screenshot({ path: shot });
await browser.close();
server.close();
console.log(JSON.stringify(seen));
