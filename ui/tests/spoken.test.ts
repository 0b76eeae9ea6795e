import { fireEvent, screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { Sentences } from '../src/lib/chat/sentences';
import { Source } from '../src/lib/markdown/source.svelte';
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
