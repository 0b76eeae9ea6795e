// Every state of every view that is looked at: what the demo begins with, and what is done then.
import type { Page } from '@playwright/test';

export type State = {
  name: string;
  /** One of the scenes in `scripted/scenes.ts`. */
  show?: string;
  /** Goes there from the first view. */
  go?: (page: Page) => Promise<unknown>;
};

const view = (page: Page, name: string) => page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name, exact: false }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

async function discover(page: Page, text = ''): Promise<void> {
  await view(page, 'Models');
  await press(page, 'Discover');
  await page.getByRole('searchbox', { name: 'Search the Hub' }).fill(text);
  // What is typed is asked for after a while.
  if (text !== '') await page.getByText(/^(1 repo|2 repos|Nothing was found|Offline: the search)/).waitFor();
}

async function offer(page: Page): Promise<void> {
  await discover(page, 'dspark');
  await page.getByTestId('hit').first().click();
  await page.getByTestId('get').waitFor();
}

/** What is further down in a view. */
async function below(page: Page, name: string, text: string | RegExp): Promise<void> {
  await view(page, name);
  await page.getByRole('main').getByText(text).first().scrollIntoViewIfNeeded();
}

async function trash(page: Page): Promise<void> {
  await view(page, 'Models');
  await page.getByText(/^Trash/).click();
  await page.getByTestId('empty-trash').scrollIntoViewIfNeeded();
}

async function details(page: Page): Promise<void> {
  await view(page, 'Models');
  await page.getByText('Details').first().click();
}

/** What lies over the view, once that is there. */
async function sheet(page: Page, keys: string): Promise<void> {
  await page.getByTestId('conversation').first().waitFor();
  await page.keyboard.press(keys);
  await page.getByRole('dialog').waitFor();
}

async function find(page: Page, text: string): Promise<void> {
  await sheet(page, 'Control+k');
  await page.keyboard.type(text);
}

async function order(page: Page, name: string, what: string): Promise<void> {
  await view(page, name);
  await page.getByTestId(`new-${what}`).click();
  await weighed(page, what);
}

/** What a form takes is asked for after a while: it is there, or cannot be told, or there is nothing to ask for yet. */
async function weighed(page: Page, what: string): Promise<void> {
  const form = page.getByTestId(`${what}-form`);
  await form.getByTestId('estimate').filter({ hasNotText: 'Estimating…' }).waitFor();
}

/** What a comparison can be told besides, where tokens are drawn. */
async function drawn(page: Page): Promise<void> {
  await order(page, 'Compare', 'comparison');
  await page.getByTestId('comparison-form').getByText('More', { exact: true }).click();
  await page.getByRole('spinbutton', { name: 'Temperature' }).fill('0.7');
  await page.keyboard.press('Enter');
  await weighed(page, 'comparison');
  await page.getByRole('spinbutton', { name: 'Seed' }).scrollIntoViewIfNeeded();
}

/** Every answer as its tokens, and what is known of one that did not stand. */
async function provenance(page: Page): Promise<void> {
  await page.getByTestId('conversation').first().waitFor();
  await page.keyboard.press('Control+p');
  const tokens = page.getByRole('listbox', { name: 'Tokens of the answer' }).first();
  await tokens.focus();
  for (let at = 0; at < 3; at += 1) await page.keyboard.press('ArrowDown');
}

/** Away from formulas, which have a font of the system's, and not before they are as high as they are going to be. */
async function markdown(page: Page): Promise<void> {
  await page.locator('.markdown math').first().waitFor({ state: 'attached' });
  await page.getByText('The same in Rust').scrollIntoViewIfNeeded();
}

async function timeline(page: Page): Promise<void> {
  await press(page, 'Timeline');
  await page.getByTestId('timeline').evaluate((shown) => shown.scrollIntoView({ block: 'center' }));
}

/** What was deleted, which can come back, and what is asked before one of it cannot. */
async function deleted(page: Page): Promise<void> {
  await page.getByText(/^Recently deleted/).click();
  await page.getByRole('button', { name: /^Delete “Names/ }).click();
}

/** What was done just now, for as long as somebody points at it. */
async function toast(page: Page): Promise<void> {
  await page.getByTestId('conversation').nth(3).click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Delete/ }).click();
  await page.getByTestId('toast').hover();
}

async function instructions(page: Page): Promise<void> {
  await press(page, 'Instructions');
  await page.getByRole('combobox', { name: 'Preset' }).selectOption('Geographer');
}

async function preset(page: Page): Promise<void> {
  await instructions(page);
  await press(page, 'Save as a preset…');
  await page.keyboard.type('editor');
}

async function attached(page: Page): Promise<void> {
  await press(page, 'Attach text files');
  await page.getByRole('list', { name: 'Attached files' }).last().waitFor();
}

async function verified(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Verify' }).last().click();
  await page.getByTestId('proof').waitFor();
}

/** The end of what stands beside the chat. */
const charts = (page: Page) => page.getByRole('complementary', { name: 'Inspector' }).evaluate((all) => all.scrollTo(0, all.scrollHeight));

/** In the smallest window that there is. */
const small = (go: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await page.setViewportSize({ width: 900, height: 600 });
  await go(page);
};

export const states: State[] = [
  { name: 'window-opening', show: 'opening' },
  { name: 'window-broken', show: 'broken' },
  { name: 'chat-no-models', show: 'first' },
  { name: 'chat-new', show: 'new-chat' },
  { name: 'chat-conversation' },
  { name: 'chat-raw', go: (page) => press(page, 'Show raw') },
  { name: 'chat-provenance', go: provenance },
  { name: 'chat-timeline', go: timeline },
  { name: 'chat-loading', show: 'loading' },
  { name: 'chat-prompt', show: 'prompt' },
  { name: 'chat-answering', show: 'answering' },
  { name: 'chat-thinking', show: 'thinking' },
  { name: 'chat-parked', show: 'parked' },
  { name: 'chat-failed', show: 'failed' },
  { name: 'chat-searched', go: (page) => page.getByRole('searchbox').first().fill('river') },
  { name: 'chat-misfit', show: 'misfit' },
  { name: 'chat-many', show: 'many', go: (page) => page.getByRole('button', { name: 'More conversations' }).scrollIntoViewIfNeeded() },
  { name: 'chat-menu', go: (page) => page.getByTestId('conversation').first().click({ button: 'right' }) },
  { name: 'chat-edited', go: (page) => press(page, 'Edit') },
  { name: 'chat-toast', go: toast },
  { name: 'chat-instructions', go: instructions },
  { name: 'chat-preset', go: preset },
  { name: 'chat-attached', go: attached },
  { name: 'chat-deleted', go: deleted },
  { name: 'chat-verified', go: verified },
  { name: 'chat-sampling', go: (page) => page.getByText('More sampling').click() },
  { name: 'chat-charts', show: 'answering', go: charts },
  { name: 'chat-small', go: small(async (page) => page.getByTestId('conversation').first().waitFor()) },
  { name: 'chat-instructions-small', go: small(instructions) },
  { name: 'chat-markdown', show: 'markdown', go: markdown },
  { name: 'chat-hostile', show: 'hostile', go: (page) => page.getByText('relative').scrollIntoViewIfNeeded() },
  { name: 'models-none', show: 'first', go: (page) => view(page, 'Models') },
  { name: 'models', go: (page) => view(page, 'Models') },
  { name: 'models-details', go: details },
  { name: 'models-trash', go: trash },
  { name: 'models-damaged', show: 'damaged', go: (page) => view(page, 'Models') },
  { name: 'models-failed', show: 'models-fail', go: (page) => view(page, 'Models') },
  { name: 'discover', go: discover },
  { name: 'discover-hits', go: (page) => discover(page, 'dspark') },
  { name: 'discover-nothing', go: (page) => discover(page, 'nothing') },
  { name: 'discover-offline', show: 'offline', go: (page) => discover(page, 'dspark') },
  { name: 'discover-offer', show: 'ungated', go: offer },
  { name: 'discover-gated', go: offer },
  { name: 'compare-none', show: 'first', go: (page) => view(page, 'Compare') },
  { name: 'compare', go: (page) => view(page, 'Compare') },
  { name: 'compare-running', show: 'racing', go: (page) => view(page, 'Compare') },
  { name: 'compare-running-small', show: 'racing', go: small((page) => view(page, 'Compare')) },
  { name: 'compare-ended', show: 'race-failed', go: (page) => view(page, 'Compare') },
  { name: 'compare-failed', show: 'jobs-fail', go: (page) => view(page, 'Compare') },
  { name: 'compare-loading', show: 'jobs-loading', go: (page) => view(page, 'Compare') },
  { name: 'compare-form', go: (page) => order(page, 'Compare', 'comparison') },
  { name: 'compare-form-drawn', go: drawn },
  { name: 'calibrate-none', show: 'first', go: (page) => view(page, 'Calibrate') },
  { name: 'calibrate', go: (page) => view(page, 'Calibrate') },
  { name: 'calibrate-report', go: (page) => below(page, 'Calibrate', 'Verifying, by rows') },
  { name: 'calibrate-failed', show: 'jobs-fail', go: (page) => view(page, 'Calibrate') },
  { name: 'calibrate-loading', show: 'jobs-loading', go: (page) => view(page, 'Calibrate') },
  { name: 'calibrate-form', go: (page) => order(page, 'Calibrate', 'calibration') },
  { name: 'train-none', show: 'first', go: (page) => view(page, 'Train') },
  { name: 'train', go: (page) => view(page, 'Train') },
  { name: 'train-ended', go: (page) => below(page, 'Train', 'The disk is full') },
  { name: 'train-failed', show: 'jobs-fail', go: (page) => view(page, 'Train') },
  { name: 'train-loading', show: 'jobs-loading', go: (page) => view(page, 'Train') },
  { name: 'settings-failed', show: 'settings-fail', go: (page) => view(page, 'Settings') },
  { name: 'settings', go: (page) => view(page, 'Settings') },
  { name: 'settings-about', go: (page) => below(page, 'Settings', /^About$/) },
  { name: 'palette', go: (page) => sheet(page, 'Control+k') },
  { name: 'palette-small', go: small((page) => sheet(page, 'Control+k')) },
  { name: 'palette-found', go: (page) => find(page, 'river') },
  { name: 'shortcuts', go: (page) => sheet(page, 'Control+/') },
  { name: 'train-form', go: (page) => order(page, 'Train', 'training') },
];
