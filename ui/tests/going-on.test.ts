// An answer that was cut off goes on in its own message.
import { screen, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import type { ScriptedBackend } from '../scripted/backend';
import { message, outcome, statsOf } from '../scripted/samples';
import type { Message } from '../src/lib/backend/backend';
import { ask, backendWithModels, decoding, frame, open, round } from './window';

const stopped = outcome([round('Once upon', 3, 1)], { target: 't', drafter: 'd', finish: 'cancelled' });

/** An answer that was stopped: the window, and the ids of what was said. */
async function stoppedAnswer(part: Partial<Message> = {}) {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Tell me a story.');
  end(backend, ids, { text: 'Once upon', state: 'stopped', outcome: stopped, ...part });
  await screen.findByRole('button', { name: 'Send' });
  return { backend, user, ids };
}

function end(backend: ScriptedBackend, ids: { conversation: number; message: number }, part: Partial<Message>): void {
  const ended = message({ id: ids.message, author: 'assistant', text: '', ...part });
  const shown = backend.written.get(ids.conversation)!;
  backend.written.set(ids.conversation, [...shown.slice(0, -1), ended]);
  backend.emit(frame(ids, { phase: { kind: 'ended', message: ended } }));
}

test('an answer that was stopped goes on where it ended, and says how much was there before', async () => {
  const { backend, user, ids } = await stoppedAnswer();
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(backend.said.at(-1)!.controls.maxTokens).toBe(backend.kept.controls.maxTokens);
  // Nothing of it goes while the models are loaded.
  backend.emit(frame(ids, { phase: { kind: 'loading', what: 't' } }));
  expect(screen.getByTestId('text')).toHaveTextContent(/^Once upon$/);
  backend.emit(frame(ids, { written: { thought: '', text: 'Once upon' } }));
  backend.emit(frame(ids, { rounds: [round(' a time', 3, 2)] }));
  expect(await screen.findByTestId('text')).toHaveTextContent(/^Once upon a time$/);
  expect(screen.getAllByTestId('answer')).toHaveLength(1);

  const stats = { ...statsOf([round(' a time', 3, 2)]), written: 2 };
  end(backend, ids, { text: 'Once upon a time', outcome: { ...stopped, finish: 'eos', stats } });
  const answer = await screen.findByTestId('answer');
  expect(within(answer).getByText('2 were there before')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
});

test('what was refused for lack of memory goes on all the same if the user insists', async () => {
  const { backend, user, ids } = await stoppedAnswer();
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  end(backend, ids, { text: 'Once upon', state: 'stopped', outcome: stopped, note: 'It did not go on: this needs 9 GB.', code: 'insist' });
  await user.click(await screen.findByRole('button', { name: 'Load it all the same' }));
  expect(backend.said.at(-1)).toMatchObject({ text: 'Tell me a story.', insist: true });
  expect(backend.written.get(ids.conversation)!.at(-1)!.id).toBe(ids.message);
});

test('a window that comes late has the whole of an answer that goes on', async () => {
  const { backend, user, ids } = await stoppedAnswer();
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  backend.emit(frame(ids, { written: { thought: '', text: 'Once upon' }, rounds: [round(' a time', 3, 2)], phase: decoding }));
  expect(await screen.findByTestId('text')).toHaveTextContent(/^Once upon a time$/);
});

test.each([
  ['came to its end', { outcome: { ...stopped, finish: 'eos' as const } }],
  ['has no record', { outcome: null }],
])('an answer that %s cannot go on', async (_, part) => {
  await stoppedAnswer(part);
  expect(screen.queryByRole('button', { name: 'Continue' })).toBeNull();
});

test('the newest answer can go on from the palette, and no other', async () => {
  const { backend, user } = await stoppedAnswer({ outcome: { ...stopped, finish: 'length' }, state: 'complete' });
  await user.keyboard('{Control>}k{/Control}');
  await user.keyboard('Continue the answer{Enter}');
  expect(await screen.findByRole('button', { name: 'Stop' })).toBeInTheDocument();
  expect(backend.said).toHaveLength(2);
});
