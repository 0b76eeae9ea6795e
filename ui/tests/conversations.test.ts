import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { message, outcome } from '../scripted/samples';
import { backendWithTalks, entries } from './talks';
import { ask, backendWithModels, composer, frame, open, round } from './window';

test('no conversation yet is said', async () => {
  await open(new ScriptedBackend());
  expect(await screen.findByText(/None yet\. What you write is kept here/)).toBeInTheDocument();
});

test('conversations stand newest first; a selected one brings its messages and its pair', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await screen.findByText('Newer');
  expect(entries().map((entry) => entry.textContent?.slice(0, 5))).toEqual(['Newer', 'Older']);
  await user.click(screen.getByText('Older'));
  expect(await screen.findByText('Me.')).toBeInTheDocument();
  expect(screen.getByText(/^Interrupted: Slipstream was closed/)).toBeInTheDocument();
  expect(screen.getByTestId('answer')).toHaveAttribute('data-state', 'interrupted');
  await waitFor(() => expect(backend.kept).toMatchObject({ conversation: 1, target: 'b', drafter: 'd' }));
});

test('the conversation of last time opens with the window', async () => {
  const backend = backendWithTalks();
  backend.kept = { ...backend.kept, conversation: 1 };
  await open(backend);
  expect(await screen.findByText('Me.')).toBeInTheDocument();
});

test('a double click renames; Escape leaves it', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await user.dblClick(await screen.findByText('Newer'));
  await user.keyboard('Nothing{Escape}');
  expect(backend.talks[1]?.title).toBe('Newer');
  await user.dblClick(screen.getByText('Newer'));
  await user.keyboard('Renamed{Enter}');
  await waitFor(() => expect(backend.talks[1]?.title).toBe('Renamed'));
  expect(await screen.findByText('Renamed')).toBeInTheDocument();
});

test('what cannot be renamed says why', async () => {
  const backend = backendWithTalks();
  backend.failing.set('renameConversation', 'The disk is full.');
  const user = await open(backend);
  await user.dblClick(await screen.findByText('Newer'));
  await user.keyboard('Renamed{Enter}');
  expect(await screen.findByText('The disk is full.')).toBeInTheDocument();
  expect(screen.getByText('Newer')).toBeInTheDocument();
});

test('the first message makes the conversation', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  expect(screen.queryAllByTestId('conversation')).toEqual([]);
  await ask(backend, user, 'Hello there');
  expect(await screen.findByRole('button', { name: /^Hello there/ })).toHaveAttribute('aria-current', 'true');
  await waitFor(() => expect(backend.kept.conversation).toBe(backend.said[0]?.conversation));
});

test('a window that loads again resumes the answer that runs', async () => {
  const backend = backendWithTalks();
  const ids = { conversation: 1, message: 13 };
  backend.written.get(1)!.push(message({ id: 13, author: 'assistant', text: '', state: 'running' }));
  backend.kept = { ...backend.kept, conversation: 1 };
  backend.running = true;
  await open(backend);
  await screen.findByText('Me.');
  backend.emit(frame(ids, { rounds: [round('So', 2, 1), round(' far', 2, 2)] }));
  expect(await screen.findByText('So far')).toBeInTheDocument();
  backend.emit(frame(ids, { firstRound: 2, rounds: [round(' so good', 2, 0)] }));
  expect(await screen.findByText('So far so good')).toBeInTheDocument();
  expect(screen.getByTestId('acceptance')).toHaveAttribute('data-rounds', '3');
});

test('while one conversation is answered, another waits and can stop it', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  await user.click(screen.getByText('Older'));
  expect(await screen.findByText('An answer is running in another conversation.')).toBeInTheDocument();
  await user.type(composer(), 'Me too{Enter}');
  expect(backend.said).toHaveLength(1);
  expect(screen.getByRole('button', { name: 'Stop' })).toBeInTheDocument();
  const end = message({ id: ids.message, author: 'assistant', text: 'Hi.', outcome: outcome([round('Hi.', 2, 1)]) });
  backend.emit(frame(ids, { phase: { kind: 'ended', message: end } }));
  expect(await screen.findByRole('button', { name: 'Send' })).toBeEnabled();
  expect(screen.queryByText('Hi.')).not.toBeInTheDocument();
});

test('a first message that is refused leaves no conversation, and may be sent again', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  backend.failing.set('say', 'Another answer is running.');
  await user.type(composer(), 'Hello{Enter}');
  await screen.findByTestId('refusal');
  expect(screen.queryAllByTestId('conversation')).toEqual([]);
  expect(backend.talks).toEqual([]);
  backend.failing.clear();
  await user.type(composer(), '{Enter}');
  expect(await screen.findAllByTestId('conversation')).toHaveLength(1);
  expect(screen.queryByTestId('refusal')).not.toBeInTheDocument();
});

test('each conversation keeps what is typed and not sent', async () => {
  const user = await open(backendWithTalks());
  await user.type(composer(), 'for a new chat');
  await user.click(screen.getByText('Older'));
  expect(composer()).toHaveValue('');
  await user.type(composer(), 'for the older one');
  await user.click(screen.getByText('Newer'));
  expect(composer()).toHaveValue('');
  await user.click(screen.getByText('Older'));
  expect(composer()).toHaveValue('for the older one');
  await user.click(screen.getByRole('button', { name: /^New chat/ }));
  expect(composer()).toHaveValue('for a new chat');
});
