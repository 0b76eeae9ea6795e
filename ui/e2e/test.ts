import { test as base, expect } from '@playwright/test';

/** When everything happens: what is shown of a time is the same in every run. */
const now = new Date('2026-11-30T10:00:00Z');

type Fixtures = {
  /** Opens the window, with one of the scenes. */
  open: (show?: string) => Promise<void>;
};

export const test = base.extend<Fixtures>({
  open: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on('console', (said) => said.type() === 'error' && complaints.push(said.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    // Browsers ask for one by themselves.
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    await page.clock.setFixedTime(now);
    await use(async (show) => {
      await page.goto(`${process.env['SLIPSTREAM_PAGE']}${show === undefined ? '' : `?show=${show}`}`);
      await page.evaluate(() => document.fonts.ready);
    });
    expect(complaints, 'the page complains of nothing').toEqual([]);
  },
});

export { expect };
