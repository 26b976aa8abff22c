// BASIC programs in a real headless Chromium: node shop.test.mjs MAINSTAY CHROMIUM FOLDER-FOR-SCREENSHOTS SOURCE
//
// MAINSTAY is the command, SOURCE the folder of this file. Two shops are served, the screens of shop/ and the sample
// application; each types its steps, which screens.py types on a pseudo-terminal, too. The exit code is 1 if a case failed.

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [mainstay, browserPath, screenshots, source] = process.argv.slice(2);
const PATIENCE = 20_000;
const NAMED = /^(Enter|Tab|Escape|Backspace|Delete|Insert|Arrow(Up|Down|Left|Right)|Home|End|Page(Up|Down)|F\d+)$/;

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
let failed = false;

/** Serves a copy of programs; `address` is the one that the log has for the first login. */
async function serve(programs) {
  const folder = mkdtempSync(join(tmpdir(), 'mainstay-shop-'));
  cpSync(programs, join(folder, 'programs'), { recursive: true });
  const process = spawn(mainstay, ['serve', folder, '--console', '127.0.0.1:0', '--tds', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const address = await new Promise((resolve, reject) => {
    let log = '';
    process.stderr.on('data', (text) => {
      log += text;
      const found = /address="(http\S+#invitation=\w+)"/.exec(log);
      if (found && log.includes('event=ready')) resolve(found[1]);
    });
    process.on('exit', () => reject(new Error(`the server has ended: ${log}`)));
  });
  const stop = async () => {
    process.removeAllListeners('exit');
    const ended = new Promise((resolve) => process.once('exit', resolve));
    process.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, stop };
}

/** Everything that a user can read, with single blanks between words. */
const visibleText = (page) => page.evaluate(() => {
  const shown = (element) => !element.hidden;
  const fields = [...document.querySelectorAll('.screen input, .screen textarea')].filter(shown).map((field) => field.value);
  // Rows and runs of the text plane stand at their places; their order is that of the page.
  const rows = [...document.querySelectorAll('.screen .row')].map((row) => [...row.children].map((run) => run.textContent).join(' '));
  const lines = [...document.querySelectorAll('.list .line, .heads')].filter((line) => shown(line) && shown(line.closest('.list')));
  const texts = lines.map((line) => [...line.children].map((cell) => cell.textContent).join(' ') || line.textContent);
  const boxes = [...document.querySelectorAll('dialog[open], .menu-panel, .notice')].filter(shown).map((box) => box.innerText);
  return [...rows, ...texts, ...fields, ...boxes].join('\n').replace(/\s+/g, ' ');
});

async function type(page, steps) {
  for (const [number, { keys, shows = [], hides = [] }] of steps.entries()) {
    for (const key of keys) await (NAMED.test(key) ? page.keyboard.press(key) : page.keyboard.type(key));
    const until = Date.now() + PATIENCE;
    let text = '';
    for (;;) {
      text = await visibleText(page);
      if (shows.every((part) => text.includes(part)) && !hides.some((part) => text.includes(part))) break;
      if (Date.now() > until) throw new Error(`step ${number + 1} ${JSON.stringify(keys)}: the page does not show ${JSON.stringify(shows)} without ${JSON.stringify(hides)}: ${text}`);
      await page.waitForTimeout(30);
    }
  }
}

async function runSteps(name, programs, start, stepsFile, options = {}, ended = async () => {}) {
  const { address, stop } = await serve(join(source, programs));
  const context = await browser.newContext({ viewport: { width: 1100, height: 760 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !/status of 401/.test(message.text())) complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(String(error)));
  try {
    await page.goto(address);
    await page.getByRole('button', { name: start.name, exact: true }).waitFor();
    await page.getByText(start.about).waitFor();
    await page.screenshot({ path: `${screenshots}/${name}-programs.png` });
    await page.getByRole('button', { name: start.name, exact: true }).click();
    const steps = JSON.parse(readFileSync(join(source, stepsFile), 'utf8'));
    for (const [at, step] of steps.entries()) {
      await type(page, [step]).catch((error) => { throw new Error(`step ${at + 1}: ${error.message}`); });
      await page.screenshot({ path: `${screenshots}/${name}-${String(at + 1).padStart(2, '0')}.png` });
    }
    await page.getByText('The program has ended').waitFor();
    await ended(page);
    // The address of the first login is used up; it says so.
    await context.clearCookies();
    await page.goto('about:blank');
    await page.goto(address);
    await page.getByRole('alert').getByText('is not valid any more').waitFor();
    if (complaints.length) throw new Error(`complaints of the browser: ${complaints.join('; ')}`);
  } finally {
    await context.close();
    await stop();
  }
}

/** The report that the sample application has printed, as text and as PDF. */
async function readReport(page) {
  await page.getByText('(1 page)').waitFor();
  const read = async (form) => {
    const href = await page.getByRole('link', { name: `${form} of ` }).first().getAttribute('href');
    return (await page.request.get(new URL(href, page.url()).href)).text();
  };
  const text = await read('Text');
  for (const part of ['ORDERS BY CUSTOMER', 'BRANDT Brandt Coffee House', '109.50']) {
    if (!text.includes(part)) throw new Error(`the report has no ${part}: ${text}`);
  }
  if (!(await read('PDF')).startsWith('%PDF-')) throw new Error('the report is no PDF');
}

const cases = {
  'the screens of a shop by the keyboard': () => runSteps('shop', 'shop/programs', { name: 'start', about: 'Menu of the shop' }, 'shop/steps.json'),
  'the screens of a shop on the width of a phone': () => runSteps('shop-phone', 'shop/programs', { name: 'start', about: 'Menu of the shop' }, 'shop/steps.json', { viewport: { width: 390, height: 780 } }),
  'the sample application by the keyboard': () => runSteps('sample', '../../sample/programs', { name: 'menu', about: 'Order entry of a small wholesaler' }, 'sample.json', {}, readReport),
};

const only = process.env.CONSOLE_CASE;
for (const [name, run] of Object.entries(cases)) {
  if (only && !name.includes(only)) continue;
  const begin = Date.now();
  try {
    await run();
    console.log(`PASS ${name} (${Date.now() - begin} ms)`);
  } catch (error) {
    failed = true;
    console.log(`FAIL ${name}: ${error.message}`);
  }
}
await browser.close();
process.exitCode = failed ? 1 : 0;
