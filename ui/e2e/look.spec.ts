// Every state in light and dark: as it was looked at last, and with nothing in the way of whoever cannot see it, or should
// see nothing move. `npm run e2e -- --update-snapshots` makes the snapshots anew.
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './test';
import { states } from './states';

for (const { name, show, go } of states) {
  test(name, async ({ page, open }) => {
    await open(show);
    await go?.(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expect.soft(page).toHaveScreenshot(`${name}-${colorScheme}.png`);
      const axe = new AxeBuilder({ page });
      // Nothing else is another in the dark.
      if (colorScheme === 'dark') axe.withRules('color-contrast');
      const { violations } = await axe.analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      const found = serious.flatMap(({ help, nodes }) => nodes.map(({ target, failureSummary }) => [help, target, failureSummary]));
      expect.soft(found, 'axe finds nothing serious').toEqual([]);
    }
    expect(await page.evaluate(() => document.getAnimations().length), 'nothing moves').toBe(0);
  });
}
