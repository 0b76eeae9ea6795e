import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { conversation } from '../scripted/samples';
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
