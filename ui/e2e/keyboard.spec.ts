// Whoever has no mouse gets everywhere, in every state.
import type { JSHandle, Page } from '@playwright/test';
import { expect, test } from './test';
import { states } from './states';

for (const { name, show, go } of states) {
  test(name, async ({ page, open }) => {
    await open(show);
    await go?.(page);
    const all = await usable(page);
    const missed = new Set(await all.evaluate((all) => all.map((_, at) => at)));
    // Once around, over the end of the page, from wherever the keyboard is.
    for (let left = missed.size + 2; left > 0; left -= 1) {
      await page.keyboard.press('Tab');
      missed.delete(await all.evaluate((all) => all.indexOf(document.activeElement!)));
    }
    // What has been drawn anew meanwhile, as code that got its colours, is none of these any more.
    const there = await all.evaluate((all, missed) => missed.map((at) => all[at]!).filter((each) => each.isConnected).map((each) => each.outerHTML), [...missed]);
    expect(there, 'the Tab key stops at everything that can be used').toEqual([]);
  });
}

function usable(page: Page): Promise<JSHandle<Element[]>> {
  return page.evaluateHandle(() => {
    // Nothing behind a dialog can be used while it is open.
    const within = document.querySelector('dialog:modal') ?? document;
    const all = [...within.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
    // Of a group of radio buttons one is reached so, and the others with the arrow keys.
    const checked = all.flatMap((element) => (element.matches('[type=radio]:checked') ? [(element as HTMLInputElement).name] : []));
    const other = (element: Element) => element.matches('[type=radio]:not(:checked)') && checked.includes((element as HTMLInputElement).name);
    return all.filter((element) => element.checkVisibility() && element.tabIndex >= 0 && !element.matches(':disabled') && !other(element));
  });
}
