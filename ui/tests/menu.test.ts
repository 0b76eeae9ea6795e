import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ask, backendWithModels, open } from './window';

test('the menu has every action once, and no two of them have the same keys', async () => {
  const backend = backendWithModels();
  await open(backend);
  expect(backend.menus.map(({ title }) => title)).toEqual(['Slipstream', 'Chat', 'Answer', 'Models', 'View', 'Help']);
  const actions = backend.menus.flatMap(({ actions }) => actions);
  const ids = actions.map(({ id }) => id);
  const keys = actions.flatMap(({ key }) => key ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(keys).size).toBe(keys.length);
  // Quit, and what every text field knows.
  for (const taken of ['q', 'w', 'a', 'c', 'v', 'x', 'z', 'h', 'm']) expect(keys).not.toContain(taken);
});

test('what is picked in the menu is done', async () => {
  const backend = backendWithModels();
  await open(backend);
  backend.pickInMenu('settings');
  expect(await screen.findByRole('main', { name: 'Settings' })).toBeInTheDocument();
  backend.pickInMenu('about');
  await waitFor(() => expect(screen.getByRole('heading', { name: 'About' })).toHaveFocus());
});

test('the menu offers to stop an answer only while one runs', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await waitFor(() => expect(backend.enabled).toContain('newChat'));
  expect(backend.enabled).not.toContain('stop');
  await ask(backend, user, 'Hello');
  await waitFor(() => expect(backend.enabled).toContain('stop'));
  backend.pickInMenu('stop');
  await waitFor(() => expect(backend.stops).toBe(1));
});
