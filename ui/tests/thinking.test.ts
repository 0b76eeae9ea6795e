import { screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { message, outcome } from '../scripted/samples';
import { duration } from '../src/lib/format';
import { ask, backendWithModels, composer, frame, open, round } from './window';

const thinking = () => screen.getByRole('switch', { name: 'Thinking' });
const thought = (text: string) => ({ ...round('', 0, 0), thought: text });

test('thinking is off until it is asked for, and then it is sent and kept', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  expect(thinking()).not.toBeChecked();
  expect(thinking()).toHaveAccessibleDescription('Thinks before it answers: slower, often better.');
  await waitFor(() => expect(composer()).toHaveFocus());
  thinking().focus();
  await user.keyboard(' ');
  await waitFor(() => expect(backend.kept.controls.thinking).toBe(true));
  await ask(backend, user, 'Hello');
  expect(backend.said[0]?.controls.thinking).toBe(true);
});

test('a base model does not think, and the switch says why', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, target: 'b', controls: { ...backend.kept.controls, thinking: true } };
  await open(backend);
  await waitFor(() => expect(thinking()).toBeDisabled());
  expect(thinking()).not.toBeChecked();
  expect(thinking()).toHaveAccessibleDescription('A base model without a chat template does not think.');
});

test('a thought streams closed above its answer, and stays open for whoever opens it', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const answer = screen.getByTestId('answer');
  backend.emit(frame(ids, { rounds: [thought('First'), thought(' things')] }));
  const block = await within(answer).findByTestId('thought');
  expect(block).not.toHaveAttribute('open');
  expect(within(answer).queryByTestId('text')).not.toBeInTheDocument();
  await user.click(within(block).getByText('Thinking…'));
  expect(block).toHaveAttribute('open');
  expect(within(block).getByText('First things')).toBeInTheDocument();

  const rounds = [thought('First'), thought(' things'), thought(' first.'), round('Good day', 0, 0)];
  backend.emit(frame(ids, { firstRound: 2, rounds: rounds.slice(2) }));
  expect(await within(block).findByText('Thought for 0.3 s')).toBeInTheDocument();
  expect(within(answer).getByTestId('text')).toHaveTextContent('Good day');

  const end = { thought: 'First things first.', text: 'Good day!', outcome: outcome(rounds) };
  const ended = message({ id: ids.message, author: 'assistant', ...end });
  backend.emit(frame(ids, { firstRound: 4, phase: { kind: 'ended', message: ended } }));
  expect(await within(answer).findByText('Good day!')).toBeInTheDocument();
  expect(within(answer).getByTestId('thought')).toBe(block);
  expect(block).toHaveAttribute('open');
  expect(block).toHaveTextContent('First things first.');
});

test('an answer without a thought has no block for one', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  backend.emit(frame(ids, { rounds: [thought('\n'), round('Good day', 0, 0)] }));
  expect(await screen.findByText('Good day')).toBeInTheDocument();
  expect(screen.queryByTestId('thought')).not.toBeInTheDocument();
});

test('a thought without an answer is marked incomplete, with the reason', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const rounds = [thought('First')];
  const note = 'The budget was used up while the model was thinking.';
  const cut = outcome(rounds, { finish: 'length', unfinished: 'thought' });
  const end = message({ id: ids.message, author: 'assistant', thought: 'First', text: '', note, outcome: cut });
  backend.emit(frame(ids, { rounds, phase: { kind: 'ended', message: end } }));
  expect(await screen.findByText('incomplete: ended at max tokens')).toBeInTheDocument();
  expect(screen.getByText(note)).toBeInTheDocument();
  expect(screen.getByTestId('thought')).toHaveTextContent('Thought for 0.1 s');
});

test('what the model really wrote is shown when asked for', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const raw = '<|channel>thought\nFirst<channel|>Good day<turn|>';
  const end = message({ id: ids.message, author: 'assistant', text: 'Good day', outcome: outcome([], { raw }) });
  backend.emit(frame(ids, { phase: { kind: 'ended', message: end } }));
  await user.click(await screen.findByRole('button', { name: 'Show raw', expanded: false }));
  expect(screen.getByTestId('raw').textContent).toBe(raw);
  await user.click(screen.getByRole('button', { name: 'Hide raw', expanded: true }));
  expect(screen.queryByTestId('raw')).not.toBeInTheDocument();
});

test('a duration is as exact as it is short', () => {
  const read = [0, 0.04, 1.26, 9.94, 9.96, 59.4, 59.6, 61, 750].map(duration);
  expect(read).toEqual(['0.1 s', '0.1 s', '1.3 s', '9.9 s', '10 s', '59 s', '1 min 0 s', '1 min 1 s', '12 min 30 s']);
});
