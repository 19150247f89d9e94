/*
 * Uses the page of `bobbin view` in Chromium as a person would, and prints what
 * was to be seen after each step as JSON. Judging that is up to the caller.
 *
 *     node view_browser.mjs PLAYWRIGHT CHROMIUM URL STEPS [SHOTS]
 *
 * STEPS is a JSON list of lists: ["key", K], ["type", TEXT], ["click", CSS],
 * ["drag", CSS, from, to] (shares of its width), ["flame", CSS, x, row],
 * ["back"], ["reload"], ["goto", HASH], ["size", W, H], ["shot", NAME],
 * ["kill", PID], ["until", CSS, TEXT].
 */
import { createRequire } from 'node:module';

const [playwright, chromium, url, steps, shots] = process.argv.slice(2);
const { chromium: launcher } = createRequire(import.meta.url)(playwright);
const out = { errors: [], hosts: [], seen: [] };
const ROW = 19;

const browser = await launcher.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update',
    '--disable-sync'] });
const page = await browser.newPage({ viewport: { width: 1300, height: 800 },
  colorScheme: 'light' });
page.on('pageerror', e => out.errors.push(String(e)));
page.on('console', m => m.type() === 'error' && out.errors.push(m.text()));
page.on('dialog', d => out.errors.push('dialog ' + d.message()));
page.on('request', r => out.hosts.push(new URL(r.url()).host));

/* Waits until nothing has been asked for a while. */
async function settle() {
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForTimeout(150);
}

async function look() {
  return page.evaluate(() => {
    const text = id => document.getElementById(id).textContent;
    const shown = [...document.getElementById('main').children]
      .filter(e => !e.hidden);
    return {
      hash: decodeURIComponent(location.hash), title: text('title'),
      facts: text('facts'), selected: text('selected'), matched: text('matched'), status: text('status'),
      crumbs: [...document.querySelectorAll('#crumbs button')].map(b =>
        b.textContent),
      tab: document.querySelector('#tabs [aria-selected="true"]').textContent,
      tracks: [...document.querySelectorAll('.track > button')].map(b =>
        [b.textContent, b.getAttribute('aria-pressed')]),
      rows: shown.flatMap(e => [...e.querySelectorAll('tbody tr')].map(tr =>
        [...tr.cells].map(td => td.textContent))),
      flames: shown.flatMap(e => [...e.querySelectorAll('canvas')].map(c =>
        c.getAttribute('aria-label'))),
      head: shown.flatMap(e => [...e.querySelectorAll('h2')].map(h =>
        h.textContent)),
      painted: shown.flatMap(e => [...e.querySelectorAll('canvas')].map(c =>
        c.getContext('2d').getImageData(0, 0, c.width, c.height).data
          .some(v => v !== 0))),
      verdict: shown.map(e => e.querySelector('.verdict')?.textContent ?? '')
        .join(''),
      tip: document.getElementById('tip').hidden ? '' : text('tip'),
      dialog: document.getElementById('keys').open,
      isDark: document.documentElement.classList.contains('dark'),
      overflows: document.documentElement.scrollWidth > innerWidth,
    };
  });
}

const actions = {
  key: k => page.keyboard.press(k),
  type: t => page.keyboard.type(t),
  click: css => page.click(css),
  async drag(css, from, to) {
    const b = await page.locator(css).boundingBox();
    await page.mouse.move(b.x + from * b.width, b.y + b.height / 2);
    await page.mouse.down();
    await page.mouse.move(b.x + to * b.width, b.y + b.height / 2,
      { steps: 5 });
    await page.mouse.up();
  },
  async flame(css, x, row) {
    const b = await page.locator(css).boundingBox();
    await page.mouse.click(b.x + x * b.width, b.y + (row + 0.5) * ROW);
  },
  async hover(css, x, row) {
    const b = await page.locator(css).boundingBox();
    await page.mouse.move(b.x + x * b.width, b.y + (row + 0.5) * ROW);
  },
  kill: pid => process.kill(pid),
  until: (css, text) => page.locator(css, { hasText: text }).waitFor(),
  back: () => page.goBack(),
  reload: () => page.reload(),
  goto: hash => page.goto(url + hash),
  size: (w, h) => page.setViewportSize({ width: w, height: h }),
  shot: name => shots && page.screenshot({ path: `${shots}/${name}` }),
};

await page.goto(url);
await settle();
out.seen.push(await look());
for (const [name, ...values] of JSON.parse(steps)) {
  await actions[name](...values);
  await settle();
  out.seen.push(await look());
}
await browser.close();
process.stdout.write(JSON.stringify(out));
