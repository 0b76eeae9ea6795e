import { fireEvent, screen, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { Sentences } from '../src/lib/chat/sentences';
import { Source } from '../src/lib/markdown/source.svelte';
import { message } from '../scripted/samples';
import { backendWithTalks } from './talks';
import { ask, backendWithModels, frame, open, round } from './window';

/** What is said of a text that comes in these parts. */
function said(...parts: string[]): string[] {
  const sentences = new Sentences();
  let text = '';
  const heard = parts.map((part) => sentences.next(Source.of((text += part)), false));
  return [...heard, sentences.next(Source.of(text), true)].filter((sentence) => sentence !== '');
}

test('a growing text is said in whole sentences, each once, and its end too', () => {
  expect(said('A river be', 'nds. It is', ' never straight! And', ' so on')).toEqual(['A river bends.', 'It is never straight!', 'And so on']);
  expect(said('Version 3.', '5 is out. ', 'Try it.')).toEqual(['Version 3.5 is out.', 'Try it.']);
});

test('marks are not said, links are what they say, and code is called so', () => {
  expect(said('## Why\n\n', '- *Water* is `heavy`. See [this](https://e.com/).')).toEqual(['Why\n\nWater is heavy.', 'See this.']);
  expect(said('Do this.\n```sh\nls. A', '\nrm. B\n```\nDone. ', 'Yes.')).toEqual(['Do this.', 'A piece of code.', 'Done.', 'Yes.']);
  expect(said('```\nnever. closed')).toEqual(['A piece of code.']);
});

test('a screen reader hears an answer sentence by sentence, calmly', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  const ids = await ask(backend, user, 'Hello');
  backend.emit(frame(ids, { rounds: [round('One. Two', 0, 0)] }));
  expect(screen.getByTestId('spoken')).toHaveTextContent(/^$/);
  await vi.advanceTimersByTimeAsync(4000);
  expect(screen.getByTestId('spoken')).toHaveTextContent('One.');
  backend.emit(frame(ids, { firstRound: 1, rounds: [round('. Three. Fo', 0, 0)] }));
  expect(screen.getByTestId('spoken')).toHaveTextContent(/^One\.$/);
  await vi.advanceTimersByTimeAsync(4000);
  expect(screen.getByTestId('spoken')).toHaveTextContent(/^Two\. Three\.$/);
  vi.useRealTimers();
});

test('a page that nobody sees rests, and has what it missed at once when it is seen again', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const hidden = vi.spyOn(document, 'hidden', 'get');
  const see = async (seen: boolean) => {
    hidden.mockReturnValue(!seen);
    await fireEvent(document, new Event('visibilitychange'));
  };
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  const ids = await ask(backend, user, 'Hello');
  backend.emit(frame(ids, { rounds: [round('One. Two', 0, 0)] }));
  await see(false);
  expect(backend.isSeen).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
  backend.emit(frame(ids, { firstRound: 1, rounds: [round('. Three. Fo', 0, 0)] }));
  await vi.advanceTimersByTimeAsync(8000);
  expect(screen.getByTestId('text')).toHaveTextContent(/Two$/);
  await see(true);
  expect(screen.getByTestId('text')).toHaveTextContent(/Three. Fo$/);
  await vi.advanceTimersByTimeAsync(4000);
  expect(screen.getByTestId('spoken')).toHaveTextContent(/^One\. Two\. Three\.$/);
  hidden.mockRestore();
  vi.useRealTimers();
});

test('who comes back to an answer that is being written hears only what comes from then on', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  const ids = await ask(backend, user, 'Hello');
  backend.emit(frame(ids, { rounds: [round('One. Two. ', 0, 0)] }));
  await user.keyboard('{Control>}2{/Control}{Control>}1{/Control}');
  backend.emit(frame(ids, { firstRound: 1, rounds: [round('Three. Fo', 0, 0)] }));
  await vi.advanceTimersByTimeAsync(4000);
  expect(screen.getByTestId('spoken')).toHaveTextContent(/^Three\.$/);
  vi.useRealTimers();
});

test('a window that loads again in the middle of an answer does not begin anew', async () => {
  const backend = backendWithTalks();
  const ids = { conversation: 1, message: 13 };
  backend.written.get(1)!.push(message({ id: 13, author: 'assistant', text: '', state: 'running' }));
  backend.kept = { ...backend.kept, conversation: 1 };
  backend.running = true;
  backend.soFar = frame(ids, { rounds: [round('One. Two. ', 0, 0)] });
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  await open(backend);
  await screen.findByText('One. Two.');
  backend.emit(frame(ids, { firstRound: 1, rounds: [round('Three. Fo', 0, 0)] }));
  await vi.advanceTimersByTimeAsync(4000);
  expect(screen.getByTestId('spoken')).toHaveTextContent(/^Three\.$/);
  vi.useRealTimers();
});

test('of reading the prompt only that it is read is said', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  backend.emit(frame(ids, { phase: { kind: 'prefill', done: 512, total: 1536 } }));
  const phase = within(await screen.findByTestId('phase'));
  expect(await phase.findByText('512 of 1,536 tokens')).toBeInTheDocument();
  expect(phase.getByRole('status')).toHaveTextContent(/^Reading the prompt$/);
});
