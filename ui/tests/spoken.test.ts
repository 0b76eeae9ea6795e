import { screen } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { Sentences } from '../src/lib/chat/sentences';
import { ask, backendWithModels, frame, open, round } from './window';

/** What is said of a text that comes in these parts. */
function said(...parts: string[]): string[] {
  const sentences = new Sentences();
  let text = '';
  const heard = parts.map((part) => sentences.next((text += part), false));
  return [...heard, sentences.next(text, true)].filter((sentence) => sentence !== '');
}

test('a growing text is said in whole sentences, each once, and its end too', () => {
  expect(said('A river be', 'nds. It is', ' never straight! And', ' so on')).toEqual(['A river bends.', 'It is never straight!', 'And so on']);
  expect(said('Version 3.', '5 is out. ', 'Try it.')).toEqual(['Version 3.5 is out.', 'Try it.']);
});

test('marks are not said, links are what they say, and code is called so', () => {
  expect(said('## Why\n\n', '- *Water* is `heavy`. See [this](https://e.com/).')).toEqual(['Why', 'Water is heavy.', 'See this.']);
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
