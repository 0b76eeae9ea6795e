import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { conversation, message } from '../scripted/samples';
import { answer, backendWithTalks } from './talks';
import { type Entry, matching } from '../src/lib/palette/entries';
import { ask, backendWithModels, composer, open } from './window';

const field = () => screen.findByRole('combobox', { name: 'Find actions, conversations and models' });
const found = () => screen.getAllByTestId('entry').map((entry) => entry.querySelector('.title')!.textContent);
const entry = (title: string, kind = 'Conversation'): Entry => ({ id: title, title, kind, keys: null, run: () => {} });

test('the palette finds an action by a part of its name and runs it with Enter', async () => {
  const user = await open(backendWithModels());
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await field(), 'calib');
  expect(found()[0]).toBe('Calibrate');
  await user.keyboard('{Enter}');
  expect(screen.getByRole('main', { name: 'Calibrate' })).toBeInTheDocument();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('it opens a conversation by its title, and picks a model', async () => {
  const backend = backendWithModels();
  backend.talks = [conversation({ id: 7, title: 'Why do rivers bend?' })];
  const user = await open(backend);
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await field(), 'bend rivers{Enter}');
  await waitFor(() => expect(backend.kept.conversation).toBe(7));
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await field(), 'dspark{Enter}');
  await waitFor(() => expect(backend.kept.drafter).toBe('d'));
});

test('the arrows go round, and the field says which one is chosen', async () => {
  const user = await open(backendWithModels());
  await user.keyboard('{Control>}k{/Control}');
  const chosen = async () => document.getElementById((await field()).getAttribute('aria-activedescendant')!)?.textContent;
  const first = await chosen();
  await user.keyboard('{ArrowUp}');
  expect(await chosen()).toContain('plain decoding');
  await user.keyboard('{ArrowDown}');
  expect(await chosen()).toBe(first);
});

test('what cannot be done now is not offered', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await user.keyboard('{Control>}k{/Control}');
  expect((await field()) && found()).not.toContain('Stop the answer');
  await user.keyboard('{Control>}k{/Control}');
  await ask(backend, user, 'Hello');
  await user.keyboard('{Control>}k{/Control}');
  expect((await field()) && found()).toContain('Stop the answer');
});

/** Runs the first of what the palette finds. */
async function run(user: Awaited<ReturnType<typeof open>>, text: string): Promise<void> {
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await field(), `${text}{Enter}`);
}

test('what is done with the conversation on screen is found there, and leads to its row', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await user.keyboard('{Control>}k{/Control}');
  expect((await field()) && found()).not.toContain('Rename the conversation…');
  await user.keyboard('{Control>}k{/Control}');
  await user.click(await screen.findByText('Older'));
  // Its row may be away at first.
  await user.type(screen.getByRole('searchbox'), 'other words');
  await run(user, 'rename conversation');
  expect(screen.getByRole('textbox', { name: 'Title of the conversation' })).toHaveFocus();
  await user.keyboard('Renamed{Enter}');
  await waitFor(() => expect(backend.talks.find(({ id }) => id === 1)?.title).toBe('Renamed'));
  await run(user, 'pin unpin');
  await waitFor(() => expect(backend.talks.find(({ id }) => id === 1)?.pinned).toBe(true));
  await run(user, 'delete conversation');
  expect(await screen.findByTestId('toast')).toHaveTextContent('Deleted “Renamed”.');
});

test('what is done with the newest answer is found there, as far as it can be done', async () => {
  const backend = backendWithTalks();
  backend.written.get(1)!.push(message({ id: 13, author: 'user', text: 'And who else?' }), answer(14, 'You.'));
  const user = await open(backend);
  await user.click(await screen.findByText('Older'));
  await screen.findByText('You.');
  await run(user, 'show timeline');
  expect(screen.getAllByRole('button', { name: 'Hide timeline' })).toHaveLength(1);
  await run(user, 'edit question');
  expect(screen.getByRole('textbox', { name: 'Edit the question' })).toHaveFocus();
  await user.keyboard('{Escape}');
  await run(user, 'copy answer');
  expect(await screen.findByTestId('toast')).toHaveTextContent('Copied the answer.');
  expect(await navigator.clipboard.readText()).toBe('You.');
  await user.keyboard('{Control>}2{/Control}{Control>}k{/Control}');
  expect((await field()) && found()).not.toContain('Copy the answer');
});

test('instructions, a preset, new work and the appearance are found there', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  await run(user, 'instructions');
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Instructions' })).toHaveFocus());
  await run(user, 'save preset');
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Name of the preset' })).toHaveFocus());
  await run(user, 'new calibration');
  await waitFor(() => expect(screen.getByRole('combobox', { name: 'Target' })).toHaveFocus());
  await run(user, 'appearance dark');
  await waitFor(() => expect(backend.worn).toBe('dark'));
});

test('a text that nothing is called is told of, and closing gives the keyboard back', async () => {
  const user = await open(backendWithModels());
  await waitFor(() => expect(composer()).toHaveFocus());
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await field(), 'qqqq');
  expect(screen.getByText(/^Nothing is called “qqqq”/)).toBeInTheDocument();
  await user.keyboard('{Control>}k{/Control}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(composer()).toHaveFocus();
});

test('words may stand in any order, and one slip of the finger is forgiven, in any script', () => {
  const entries = ['Keyboard shortcuts', 'Der Fluß im Winter', 'Γιατί στρίβουν τα ποτάμια'].map((title) => entry(title));
  const titles = (text: string) => matching(entries, text).map(({ title }) => title);
  expect(titles('shortcuts key')).toEqual(['Keyboard shortcuts']);
  expect(titles('keybaord')).toEqual(['Keyboard shortcuts']);
  expect(titles('fluß')).toEqual(['Der Fluß im Winter']);
  expect(titles('ποτάμια')).toEqual(['Γιατί στρίβουν τα ποτάμια']);
  expect(titles('')).toHaveLength(3);
});

test('the sheet of shortcuts lists every action that has keys', async () => {
  const user = await open(backendWithModels());
  await user.keyboard('{Control>}/{/Control}');
  const list = within(await screen.findByRole('region', { name: 'Shortcuts' }));
  expect(list.getByText('Find anything…').nextElementSibling).toHaveTextContent('Ctrl K');
  expect(list.getByText('Settings…').nextElementSibling).toHaveTextContent('Ctrl ,orCtrl 6');
  expect(list.getByText('Send the message')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Done' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});
