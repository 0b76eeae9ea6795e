// Walks through the mock build in Chromium. SHOTS names a folder for pictures of every stop, light and dark.
import { type Browser, chromium, type Page } from 'playwright-core';
import { preview, type PreviewServer } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: PreviewServer;
let browser: Browser;
let address: string;

beforeAll(async () => {
  server = await preview({
    mode: 'mock',
    build: { outDir: 'dist-mock' },
    preview: { port: 0, host: '127.0.0.1', strictPort: false },
  });
  address = server.resolvedUrls?.local[0] ?? '';
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

async function shoot(page: Page, name: string): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  async function open(show = '', size = { width: 1200, height: 800 }): Promise<Page> {
    const page = await browser.newPage({ viewport: size, colorScheme, deviceScaleFactor: 2, reducedMotion: 'reduce' });
    page.on('pageerror', (error) => expect.unreachable(error.message));
    await page.goto(`${address}${show}`);
    return page;
  }

  test('an answer streams, its chart fills, and it ends with its numbers', async () => {
    const page = await open();
    await page.getByTestId('answer').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('And who decides where the next bend will be?');
    await page.keyboard.press('Enter');
    const answer = page.getByTestId('answer').last();
    await page.getByText('Reading the prompt').waitFor();
    await shoot(page, `${colorScheme}-prefill`);
    await page.waitForFunction(() => {
      const rounds = document.querySelector<HTMLElement>('[data-testid=acceptance]')?.dataset.rounds;
      return Number(rounds) >= 20 && document.querySelector('[data-testid=answer][data-state=running]') !== null;
    });
    await shoot(page, `${colorScheme}-streaming`);
    await page.locator('[data-testid=answer][data-state=complete] >> nth=1').waitFor();
    expect(await answer.innerText()).toContain('bonus included');
    expect(await page.getByTestId('bar').count()).toBe(5);
    await shoot(page, `${colorScheme}-answered`);
    await page.close();
  });

  test('every other place can be looked at', async () => {
    const page = await open();
    await page.getByTestId('conversation').nth(1).click();
    await page.getByText('it is now fourteen degrees').waitFor();
    await shoot(page, `${colorScheme}-states`);
    await page.getByTestId('conversation').nth(3).click();
    await page.getByText('it continues your text').waitFor();
    await shoot(page, `${colorScheme}-base`);
    await page.getByLabel('Drafter', { exact: true }).selectOption({ label: 'dspark-270m-long' });
    await page.getByText('More', { exact: true }).click();
    await shoot(page, `${colorScheme}-more`);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('A river');
    await page.keyboard.press('Enter');
    await page.locator('[data-testid=answer][data-state=complete]').waitFor();
    expect(await page.getByTestId('bar').count()).toBe(12);
    await page.getByText('As a table').click();
    await shoot(page, `${colorScheme}-long`);
    await page.getByRole('button', { name: 'Models' }).click();
    await page.getByLabel('Folder').fill('/Users/ada/Desktop');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByTestId('add-failure').waitFor();
    await page.getByRole('button', { name: 'Remove gemma-3-270m', exact: true }).click();
    await shoot(page, `${colorScheme}-models`);
    await page.close();
  });

  test('a reader who scrolls up is left alone', async () => {
    const page = await open('', { width: 900, height: 600 });
    await page.getByRole('textbox', { name: 'Message' }).fill('Go on');
    await page.keyboard.press('Enter');
    const scroller = page.locator('.scroller');
    const top = () => scroller.evaluate((element) => element.scrollTop);
    const gap = () => scroller.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);
    await expect.poll(top, { timeout: 20_000 }).toBeGreaterThan(150);
    expect(await gap()).toBeLessThan(4);
    await scroller.hover();
    await page.mouse.wheel(0, -60);
    await page.getByRole('button', { name: 'To the newest text' }).waitFor();
    await expect.poll(gap, { timeout: 20_000 }).toBeGreaterThan(100);
    await shoot(page, `${colorScheme}-reading`);
    await page.getByRole('button', { name: 'To the newest text' }).click();
    expect(await gap()).toBeLessThan(4);
    await page.locator('[data-testid=answer][data-state=complete] >> nth=1').waitFor();
    expect(await gap()).toBeLessThan(4);
    await page.close();
  });

  test('it says what to do first, and what is wrong', async () => {
    const first = await open('?show=first', { width: 900, height: 600 });
    await first.getByText('Add a target to begin').waitFor();
    await shoot(first, `${colorScheme}-first`);
    await first.close();
    const broken = await open('?show=broken', { width: 900, height: 600 });
    await broken.getByText('disk is full').waitFor();
    await shoot(broken, `${colorScheme}-broken`);
    await broken.close();
    const small = await open('', { width: 900, height: 600 });
    await small.getByTestId('answer').waitFor();
    await shoot(small, `${colorScheme}-small`);
    await small.close();
  });
});
