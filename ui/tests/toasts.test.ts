import { screen, waitFor } from '@testing-library/svelte';
import { afterEach, expect, test, vi } from 'vitest';
import { Toasts } from '../src/lib/toasts/toasts.svelte';
import { backendWithTalks, entries } from './talks';
import { composer, open } from './window';

afterEach(() => void vi.useRealTimers());

async function deleted() {
  const user = await open(backendWithTalks());
  await screen.findByText('Newer');
  await waitFor(() => expect(composer()).toHaveFocus());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  entries()[0]!.focus();
  entries()[0]!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', bubbles: true }));
  await vi.waitFor(() => expect(screen.getByTestId('toast')).toBeInTheDocument());
  return user;
}

const isGone = () => screen.queryByTestId('toast') === null;

test('a toast goes by itself', async () => {
  await deleted();
  await vi.advanceTimersByTimeAsync(8000);
  expect(isGone()).toBe(true);
});

test('a toast stays as long as the keyboard is in it', async () => {
  await deleted();
  screen.getByRole('button', { name: 'Undo' }).focus();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isGone()).toBe(false);
  entries()[0]!.focus();
  await vi.advanceTimersByTimeAsync(8000);
  expect(isGone()).toBe(true);
});

test('a toast stays under the pointer', async () => {
  await deleted();
  screen.getByTestId('toast').dispatchEvent(new Event('pointerenter'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isGone()).toBe(false);
  screen.getByTestId('toast').dispatchEvent(new Event('pointerleave'));
  await vi.advanceTimersByTimeAsync(8000);
  expect(isGone()).toBe(true);
});

test('Escape in a toast closes it and gives the keyboard back to the list', async () => {
  await deleted();
  vi.useRealTimers();
  const undo = screen.getByRole('button', { name: 'Undo' });
  undo.focus();
  undo.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  await waitFor(() => expect(isGone()).toBe(true));
  await waitFor(() => expect(entries()[0]).toHaveFocus());
});

test('toasts are announced politely, in a region that was there before', async () => {
  await open(backendWithTalks());
  expect(screen.getByRole('region', { name: 'Notices' }).querySelector('[aria-live=polite]')).toBeInTheDocument();
});

test('the last three are kept', () => {
  const toasts = new Toasts();
  for (const text of ['one', 'two', 'three', 'four']) toasts.show(text);
  expect(toasts.all.map(({ text }) => text)).toEqual(['two', 'three', 'four']);
});
