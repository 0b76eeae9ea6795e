import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { ask, backendWithModels, composer, open } from './window';

test('Ctrl 1 to Ctrl 6 change the view', async () => {
  const user = await open(backendWithModels());
  await user.keyboard('{Control>}2{/Control}');
  expect(screen.getByRole('main', { name: 'Models' })).toBeInTheDocument();
  await user.keyboard('{Control>}3{/Control}');
  expect(screen.getByRole('main', { name: 'Compare' })).toBeInTheDocument();
  await user.keyboard('{Control>}4{/Control}');
  expect(screen.getByRole('main', { name: 'Calibrate' })).toBeInTheDocument();
  await user.keyboard('{Control>}5{/Control}');
  expect(screen.getByRole('main', { name: 'Train' })).toBeInTheDocument();
  await user.keyboard('{Control>}6{/Control}');
  expect(screen.getByRole('main', { name: 'Settings' })).toBeInTheDocument();
  await user.keyboard('{Control>}1{/Control}');
  expect(screen.getByRole('main', { name: 'Chat' })).toBeInTheDocument();
});

test('Ctrl L goes to the composer from anywhere', async () => {
  const user = await open(backendWithModels());
  await user.keyboard('{Control>}2{/Control}{Control>}l{/Control}');
  await waitFor(() => expect(composer()).toHaveFocus());
});

test('Ctrl N starts a new chat', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await ask(backend, user, 'Hello');
  await user.keyboard('{Control>}n{/Control}');
  expect(await screen.findByRole('heading', { name: 'New chat' })).toBeInTheDocument();
  await waitFor(() => expect(composer()).toHaveFocus());
});

test('Ctrl . stops an answer and does nothing otherwise', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await user.keyboard('{Control>}.{/Control}');
  expect(backend.stops).toBe(0);
  await ask(backend, user, 'Hello');
  await user.keyboard('{Control>}.{/Control}');
  await waitFor(() => expect(backend.stops).toBe(1));
});

test('a window that cannot start says why and tries again', async () => {
  const backend = new ScriptedBackend();
  backend.failing.set('preferences', 'The database cannot be opened.');
  const opened = open(backend);
  expect(await screen.findByText('The database cannot be opened.')).toBeInTheDocument();
  backend.failing.clear();
  screen.getByRole('button', { name: 'Try again' }).click();
  await opened;
});
