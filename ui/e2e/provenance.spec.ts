// An answer of thousands of tokens, which are looked at one by one.
import { expect, test } from './test';

test('of an answer’s 4,000 tokens only those near what is looked at are drawn, and the keyboard reaches all of them', async ({ page, open }) => {
  await open('traced');
  const tokens = page.getByRole('listbox', { name: 'Tokens of the answer' }).last();
  const drawn = () => tokens.getByRole('option', { includeHidden: true }).count();
  await tokens.focus();
  const looked = () => tokens.evaluate((list) => Number(list.querySelector<HTMLElement>('[aria-selected="true"]')!.dataset['at']));
  await page.keyboard.press('End');
  const last = await looked();
  // Those that did not stand are looked at, too.
  expect(last).toBeGreaterThan(4000);
  await expect(tokens.getByRole('option', { selected: true })).toBeInViewport();

  // From one end to the other and back, as far as the keys go in a while.
  for (let times = 0; times < 400; times += 1) await page.keyboard.press('ArrowUp');
  expect(await looked()).toBeLessThan(last - 1000);
  await expect(tokens.getByRole('option', { selected: true })).toBeInViewport();
  await page.keyboard.press('Home');
  await expect(tokens.getByRole('option', { selected: true })).toBeInViewport();
  expect(await looked()).toBe(0);
  await expect(page.getByTestId('provenance').last().getByText('accepted').first()).toBeVisible();
  await page.keyboard.press('End');
  expect(await looked()).toBe(last);
  // What is taken off is told a moment later.
  await expect.poll(drawn).toBeLessThan(2500);
});
