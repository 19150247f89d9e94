/*
 * Uses the page of `bobbin view` in Chromium as a person would, and prints what
 * was to be seen after each step as JSON. Judging that is up to the caller.
 *
 *     node view_browser.mjs PLAYWRIGHT CHROMIUM URL STEPS [SHOTS]
 *
 * STEPS is a JSON list of lists: ["key", K], ["type", TEXT], ["click", CSS],
 * ["drag", CSS, from, to] (shares of its width), ["flame", CSS, x, row],
 * ["back"], ["reload"], ["goto", HASH], ["size", W, H], ["shot", NAME],
 * ["point", CSS, x, y, "move"|"click"|"dblclick"|"wheel", n] (a share of its
 * width, pixels from its top, how far the wheel turns), ["kill", PID], ["until", CSS, TEXT], ["views"] (each tab, one after the
 * other), ["meanwhile", VIEW] (opens the view, then asks for the list of keys;
 * `order` is what came first), ["save", LABEL] (an entry of the menu Export),
 * ["menu", CSS, x, y, LABEL] (a right click at a place as in "point", then an
 * entry; "": none), ["choose", CSS, VALUE] (of a list), ["pick", BUTTON, LABEL]
 * (an entry of the menu of a button), ["focus", CSS], ["copied"] (`copied` is
 * what the clipboard has), ["axe", FILE] (`axe` is what this script complains
 * about).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [playwright, chromium, url, steps, shots] = process.argv.slice(2);
const { chromium: launcher } = createRequire(import.meta.url)(playwright);
const out = { errors: [], hosts: [], seen: [], saved: [] };
const ROW = 19;
/* Ms for the longest question, on a machine that has much else to do. */
const PATIENCE = 100000;

const browser = await launcher.launch({ executablePath: chromium,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update',
    '--disable-sync'] });
const page = await browser.newPage({ viewport: { width: 1300, height: 800 },
  colorScheme: 'light', permissions: ['clipboard-read', 'clipboard-write'] });
page.on('pageerror', e => out.errors.push(String(e)));
page.on('console', m => m.type() === 'error' && out.errors.push(m.text()));
page.on('dialog', d => out.errors.push('dialog ' + d.message()));
page.on('request', r => out.hosts.push(new URL(r.url()).host));

/* Waits until nothing has been asked for a while, and all is answered. */
async function settle() {
  await page.waitForLoadState('networkidle').catch(() => {});
  await page.waitForTimeout(150);
  await page.waitForFunction(() => document.querySelector(
    '#main[aria-busy="false"], #status.bad'), null, { timeout: PATIENCE });
  await page.waitForTimeout(50);
}

async function look() {
  return page.evaluate(() => {
    const unsafe = new RegExp('[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b\\u2028\\u2029' +
      '\\u202a-\\u202e\\u2066-\\u2069]');
    const raw = [], walker = document.createTreeWalker(document.body,
      NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let n = walker.nextNode(); n; n = walker.nextNode())
      for (const words of n.nodeType === 3 ? [n.data] :
        ['title', 'aria-label'].map(a => n.getAttribute(a) ?? ''))
        if (unsafe.test(words) && n.parentElement?.tagName !== 'SCRIPT')
          raw.push(words.slice(0, 80));
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
      lines: shown.flatMap(e => [...e.querySelectorAll(
        '.code tbody tr:not(.gap)')].map(tr => [...tr.cells].map(td =>
        td.textContent))),
      callers: shown.flatMap(e => [...e.querySelectorAll(
        '.callers:not([hidden]) tbody tr')].map(tr => [...tr.cells].map(td =>
        td.textContent))),
      notes: shown.map(e => e.querySelector('.notes')?.textContent ?? '')
        .join(''),
      verdict: shown.map(e => e.querySelector('.verdict')?.textContent ?? '')
        .join(''),
      chips: [...document.querySelectorAll('.chip > span')].map(c =>
        c.textContent),
      legend: document.getElementById('legend').hidden ? [] :
        [...document.querySelectorAll('#legend-entries > *')].map(e =>
          e.textContent),
      columns: shown.flatMap(e => [...e.querySelectorAll('thead th')].map(th =>
        th.textContent)),
      levels: shown.flatMap(e => [...e.querySelectorAll(
        'tbody tr[aria-level]')].map(tr => [Number(tr.getAttribute(
        'aria-level')), tr.getAttribute('aria-expanded'),
      tr.querySelector('.name').textContent])),
      sparks: shown.flatMap(e => [...e.querySelectorAll('td.spark > div')].map(
        d => d.style.clipPath !== '')),
      copied: window.copied ?? '', axe: window.axeFound ?? [],
      tip: document.getElementById('tip').hidden ? '' : text('tip'),
      dialog: document.getElementById('keys').open,
      menu: [...document.querySelectorAll('.menu:not([hidden]) button')].map(
        b => [b.firstChild.textContent, b.getAttribute('aria-disabled')]),
      focus: document.activeElement.firstChild?.textContent ??
        document.activeElement.id,
      isBad: document.getElementById('status').classList.contains('bad'),
      order: window.order ?? [], raw,
      /* Nothing that a page of ours has in its body; scripts of a file stand
       * there with an id or a class, or are modules. */
      foreign: [...document.body.querySelectorAll('img, iframe, object, embed, ' +
        'svg, b > *, i, form, script:not([id], .trace, [type="module"])')]
        .map(e => e.outerHTML.slice(0, 80)),
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
  async point(css, x, y, what, n) {
    const b = await page.locator(css).boundingBox();
    await page.mouse.move(b.x + x * b.width, b.y + y);
    if (what === 'wheel')
      await page.mouse.wheel(0, n);
    else if (what !== 'move')
      await page.mouse[what](b.x + x * b.width, b.y + y);
    await page.waitForTimeout(600);
  },
  kill: pid => process.kill(pid),
  until: (css, text) => page.locator(css, { hasText: text }).waitFor(),
  async views() {
    for (const tab of await page.locator('#tabs button:visible').all()) {
      await tab.click();
      await settle();
      out.seen.push(await look());
    }
  },
  meanwhile: view => page.evaluate(view => new Promise(done => {
    const order = window.order = [];
    const note = (what, of, attributeFilter) => new MutationObserver(() => {
      if (!order.includes(what))
        order.push(what);
      if (order.length === 2)
        done();
    }).observe(of, { subtree: true, attributeFilter });
    note('view', document.getElementById('main'), ['aria-label']);
    note('key', document.getElementById('keys'), ['open']);
    document.querySelector(`#tabs [data-view="${view}"]`).click();
    setTimeout(() => document.body.dispatchEvent(new KeyboardEvent('keydown',
      { key: '?', bubbles: true })));
  }), view),
  async save(label) {
    await page.keyboard.press('e');
    const [file] = await Promise.all([page.waitForEvent('download'),
      page.getByRole('menuitem', { name: new RegExp(`^${label}`) }).click()]);
    out.saved.push([file.suggestedFilename(),
      readFileSync(await file.path()).toString('base64')]);
  },
  async menu(css, x, y, label) {
    const b = await page.locator(css).boundingBox();
    await page.mouse.click(b.x + x * b.width, b.y + y, { button: 'right' });
    if (label)
      await page.getByRole('menuitem', { name: new RegExp(`^${label}`) })
        .click();
  },
  choose: (css, value) => page.selectOption(css, value),
  async pick(css, label) {
    await page.click(css);
    await page.getByRole('menuitemcheckbox', { name: new RegExp(`^${label}`) })
      .click();
    await page.keyboard.press('Escape');
  },
  focus: css => page.focus(css),
  copied: () => page.evaluate(async () => {
    window.copied = await navigator.clipboard.readText();
  }),
  async axe(file) {
    await page.evaluate(readFileSync(file, 'utf8'));
    await page.evaluate(async () => {
      const { violations } = await window.axe.run(document, { runOnly: [
        'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] });
      window.axeFound = violations.flatMap(v => v.nodes.map(n =>
        `${v.id}: ${n.target.join(' ')}: ${n.failureSummary}`));
    });
  },
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
