import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { Found } from '../src/lib/backend/backend';
import { Search } from '../src/lib/sidebar/search.svelte';
import { answers, backendWithTalks, questions, titles } from './talks';
import { composer, frame, open } from './window';

const field = () => screen.getByRole('searchbox', { name: 'Search conversations' });
const passages = () => screen.getAllByTestId('passage');

test('Ctrl F goes to the search; what is found stands with its conversation, and the hit is marked', async () => {
  const user = await open(backendWithTalks());
  await waitFor(() => expect(composer()).toHaveFocus());
  await user.keyboard('{Control>}f{/Control}');
  await waitFor(() => expect(field()).toHaveFocus());
  await user.keyboard('who');
  expect(await screen.findByText('Found in 1 conversation')).toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'Older' })).toBeInTheDocument();
  expect(passages().map(({ textContent }) => textContent?.trim())).toEqual(['Who?']);
  expect(within(passages()[0]!).getByText('Who').tagName).toBe('MARK');
  expect(titles()).toEqual([]);
  await user.keyboard('{Escape}');
  expect(titles()).toEqual(['Newer', 'Older']);
});

test('what is found opens its conversation at its message, and the results stay', async () => {
  const user = await open(backendWithTalks());
  await user.type(field(), 'me');
  await user.click((await screen.findAllByTestId('passage'))[0]!);
  await waitFor(() => expect(answers()).toEqual(['Me.']));
  await waitFor(() => expect(document.activeElement).toHaveAttribute('data-message', '12'));
  expect(passages()).not.toHaveLength(0);
});

test('a title that is found opens the conversation as it was', async () => {
  const user = await open(backendWithTalks());
  await user.type(field(), 'older');
  const [title] = await screen.findAllByTestId('passage');
  expect(title).toHaveTextContent('Title: Older');
  await user.click(title!);
  await waitFor(() => expect(answers()).toEqual(['Me.']));
  await waitFor(() => expect(composer()).toHaveFocus());
});

test('a message is found on a branch that is not shown, which is shown then', async () => {
  const backend = backendWithTalks();
  backend.kept = { ...backend.kept, conversation: 1 };
  const user = await open(backend);
  await screen.findByText('Me.');
  const { question, answer } = await backend.editMessage(11, 'Where?', { target: 't', drafter: null }, backend.kept.controls, { insist: false, observe: false });
  backend.emit(frame({ conversation: 1, message: answer.id }, { phase: { kind: 'ended', message: { ...answer, state: 'complete', text: 'Here.' } } }));
  const pieces = [{ text: 'Who', matches: true }, { text: '?', matches: false }];
  backend.search = async () => [{ conversation: backend.talks[0]!, passages: [{ message: 11, pieces }] }];
  expect(question.siblings).toContain(11);
  await user.type(field(), 'who');
  await user.click((await screen.findAllByTestId('passage'))[0]!);
  await waitFor(() => expect(questions()).toEqual(['Who?']));
  await waitFor(() => expect(document.activeElement).toHaveAttribute('data-message', '11'));
});

test('the arrows lead from the field into what was found, and back', async () => {
  const user = await open(backendWithTalks());
  await user.type(field(), 'er');
  await waitFor(() => expect(passages()).toHaveLength(2));
  await user.keyboard('{ArrowDown}');
  expect(passages()[0]).toHaveFocus();
  await user.keyboard('{ArrowDown}');
  expect(passages()[1]).toHaveFocus();
  await user.keyboard('{ArrowUp}{ArrowUp}');
  await waitFor(() => expect(field()).toHaveFocus());
});

test('what is found nowhere is said, and so is why nothing could be looked for', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await user.type(field(), 'zebra');
  expect(await screen.findByText('No conversation has all of these words. The last one may be a beginning.')).toBeInTheDocument();
  backend.failing.set('search', 'The database is locked.');
  await user.type(field(), 's');
  expect(await screen.findByText('The database is locked.')).toBeInTheDocument();
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Nothing found')).toBeInTheDocument();
});

test('while one search runs, the last of what is typed is looked for next, and nothing in between', async () => {
  const backend = backendWithTalks();
  const asked: [string, (found: Found[]) => void][] = [];
  backend.search = (words) => new Promise((resolve) => asked.push([words, resolve]));
  const search = new Search(backend);
  for (const words of ['a', 'ab', 'abc']) search.words = words;
  asked[0]![1]([]);
  await waitFor(() => expect(asked.map(([words]) => words)).toEqual(['a', 'abc']));
  asked[1]![1]([]);
  await waitFor(() => expect(search.found?.words).toBe('abc'));
});
