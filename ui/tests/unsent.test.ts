// What is typed and not sent yet is still there when the page is loaded again.
import { cleanup, screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { backendWithTalks } from './talks';
import { ask, composer, open } from './window';

const toggle = () => screen.getByRole('button', { name: /^Instructions/ });
const field = () => screen.getByRole('textbox', { name: 'Instructions' });

test('what is typed and attached, and what a new chat is to be told, come back with the page', async () => {
  const backend = backendWithTalks();
  backend.chosenFiles = [{ name: 'notes.txt', text: 'x' }];
  let user = await open(backend);
  await user.click(toggle());
  await user.type(field(), 'Be brief.');
  await user.type(composer(), 'Half a');
  await user.click(screen.getByRole('button', { name: 'Attach text files' }));
  await user.click(screen.getByText('Older'));
  await waitFor(() => expect(composer()).toHaveValue(''));
  await user.type(composer(), 'And then');
  const half = { conversation: null, text: 'Half a', attachments: backend.chosenFiles, system: 'Be brief.' };
  const then = { conversation: 1, text: 'And then', attachments: [], system: '' };
  await waitFor(() => expect(backend.unsent.toSorted((a) => a.conversation ?? -1)).toEqual([half, then]));

  cleanup();
  user = await open(backend);
  await waitFor(() => expect(composer()).toHaveValue('And then'));
  await user.click(screen.getByRole('button', { name: /^New chat/ }));
  await waitFor(() => expect(composer()).toHaveValue('Half a'));
  expect(screen.getByRole('list', { name: 'Attached files' })).toHaveTextContent('notes.txt');
  expect(toggle()).toHaveAccessibleName('Instructions, set');
});

test('what was sent is not kept any more', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await user.click(toggle());
  await user.type(field(), 'Be brief.');
  await waitFor(() => expect(backend.unsent).toHaveLength(1));
  await ask(backend, user, 'Hello');
  await waitFor(() => expect(backend.unsent).toEqual([]));
});

test('what cannot be kept says why', async () => {
  const backend = backendWithTalks();
  backend.failing.set('keepUnsentMessage', 'The disk is full.');
  const user = await open(backend);
  await user.type(composer(), 'Half a');
  expect(await screen.findByText('The disk is full.')).toBeInTheDocument();
  backend.failing.clear();
  await user.type(composer(), ' thought');
  await waitFor(() => expect(screen.queryByText('The disk is full.')).not.toBeInTheDocument());
});
