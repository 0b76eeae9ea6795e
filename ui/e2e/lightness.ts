// How light the window is: `npm run lightness -- 600` measures a stream of so many seconds, prints a table, and writes the
// same to `e2e/results/lightness.json`. With the path of the app behind it, it starts that too: on Linux, with a screen.
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { appStarts } from './app';
import browser from './browser';
import { held, measure, scrolling, spread, work } from './measuring';
import { servePage } from './page';

type Rows = Record<string, unknown>;

export default async function lightness(seconds = '600', app?: string): Promise<string> {
  const { address, close } = await servePage();
  const chrome = await chromium.launch({ executablePath: browser() });
  try {
    const rows: Rows = {
      ...(app ? { 'app: start to sidebar, ms': spread(await appStarts(app, 10)) } : {}),
      ...(await starting(chrome, address)),
      ...(await conversation(chrome, `${address}?show=long`)),
      ...(await hidden(chrome, `${address}?show=stream`)),
      ...(await streaming(chrome, `${address}?show=stream`, Number(seconds))),
      ...(await ending(chrome, `${address}?show=stream-on`)),
    };
    mkdirSync('e2e/results', { recursive: true });
    writeFileSync('e2e/results/lightness.json', `${JSON.stringify(rows, null, 2)}\n`);
    return Object.entries(rows).map(([what, value]) => `${what.padEnd(52)} ${JSON.stringify(value)}`).join('\n');
  } finally {
    await chrome.close();
    await close();
  }
}

async function open(chrome: Browser, address: string): Promise<{ page: Page; cdp: CDPSession }> {
  const page = await chrome.newPage({ viewport: { width: 1280, height: 800 } });
  await measure(page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(address);
  await page.waitForFunction(() => window.measured.ready !== null);
  return { page, cdp };
}

const ready = (page: Page) => page.evaluate(() => window.measured.ready!);

async function starting(chrome: Browser, address: string): Promise<Rows> {
  const { page } = await open(chrome, address);
  const all: number[] = [];
  for (let at = 0; at < 10; at += 1) {
    await page.reload();
    await page.waitForFunction(() => window.measured.ready !== null);
    all.push(await ready(page));
  }
  await page.close();
  return { 'start to usable, warm, ms': spread(all) };
}

async function conversation(chrome: Browser, address: string): Promise<Rows> {
  const { page, cdp } = await open(chrome, address);
  const opened = await ready(page);
  const rows = {
    '2,000 messages: start to usable, ms': Math.round(opened),
    '2,000 messages: held': await held(cdp),
    '2,000 messages: between frames, slowly, ms': spread(await scrolling(page, 300, 60)),
    '2,000 messages: between frames, fast, ms': spread(await scrolling(page, 300, 2000)),
  };
  await page.close();
  return rows;
}

/** What is done in ten seconds while nobody sees the page, at rest and in a stream. */
async function hidden(chrome: Browser, address: string): Promise<Rows> {
  const { page, cdp } = await open(chrome, address);
  const meanwhile = async () => {
    const before = await work(page, cdp);
    await page.waitForTimeout(10_000);
    const after = await work(page, cdp);
    return Object.fromEntries(Object.entries(after).map(([what, value]) => [what, Math.round((value - before[what as keyof typeof before]) * 1000) / 1000]));
  };
  const atRest = await meanwhile();
  await see(page, false);
  const unseen = await meanwhile();
  await see(page, true);
  await page.keyboard.type('Go on.\n');
  const seen = await meanwhile();
  await see(page, false);
  const running = await meanwhile();
  await page.close();
  const what = 's of work in 10 s';
  return { [`at rest: ${what}`]: atRest, [`at rest, hidden: ${what}`]: unseen, [`streaming: ${what}`]: seen, [`streaming, hidden: ${what}`]: running };
}

/** A browser without a screen hides no page, so the page is told so. */
function see(page: Page, visible: boolean): Promise<void> {
  return page.evaluate((visible) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => !visible });
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (visible ? 'visible' : 'hidden') });
    document.dispatchEvent(new Event('visibilitychange'));
  }, visible);
}

/** Somebody types into the composer while an answer comes at 500 tokens a second. */
async function streaming(chrome: Browser, address: string, seconds: number): Promise<Rows> {
  const { page, cdp } = await open(chrome, address);
  await page.keyboard.type('Go on.\n');
  const begin = Date.now();
  const passed = () => (Date.now() - begin) / 1000;
  const heap: unknown[] = [];
  const parts: unknown[] = [];
  for (let part = 1; part <= 10; part += 1) {
    await page.evaluate(() => (window.measured.inputs = []));
    while (passed() < (seconds * part) / 10) {
      await page.keyboard.type('and then it flows on ', { delay: 90 });
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.press('Delete');
    }
    parts.push({ second: Math.round(passed()), ...spread(await page.evaluate(() => window.measured.inputs)) });
    heap.push({ second: Math.round(passed()), ...(await held(cdp)) });
  }
  const events = spread(await page.evaluate(() => window.measured.events));
  const rounds = await page.getByTestId('acceptance').getAttribute('data-rounds');
  await page.close();
  return {
    'stream: seconds, rounds': [Math.round(passed()), Number(rounds)],
    ...Object.fromEntries(parts.map((part, at) => [`stream: input to paint, ms, part ${at + 1} of 10`, part])),
    'stream: keydown as the browser tells it, from 16 ms': events,
    ...Object.fromEntries(heap.map((part, at) => [`stream: held, part ${at + 1} of 10`, part])),
  };
}

/** A window that comes back to an answer of nine minutes, and how long it takes to show it as a whole once it is stopped. */
async function ending(chrome: Browser, address: string): Promise<Rows> {
  const { page, cdp } = await open(chrome, address);
  const until = async (begin: () => Promise<void>, state: string) => {
    const began = Date.now();
    await begin();
    await page.locator(`[data-testid=answer][data-state=${state}] .page`).last().waitFor();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    return Date.now() - began;
  };
  const rows = {
    'answer of nine minutes: to show it, ms': await until(() => page.keyboard.type('Go on.\n'), 'running'),
    'answer of nine minutes: between frames, fast, ms': spread(await scrolling(page, 300, 2000)),
    'answer of nine minutes: to end it, ms': await until(() => page.keyboard.press('ControlOrMeta+.'), 'stopped'),
    'answer of nine minutes: held': await held(cdp),
  };
  await page.close();
  return rows;
}
