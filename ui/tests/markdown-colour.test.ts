import { waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { grammars } from '../src/lib/markdown/grammars';
import type { Order, Reply, Run } from '../src/lib/markdown/highlight';
import { type Language, languageOf, named } from '../src/lib/markdown/languages';
import { paint } from '../src/lib/markdown/paint';
import { Parts } from '../src/lib/markdown/parts';
import { show } from './markdown';

async function coloursOf(language: Language, ...parts: string[]): Promise<(readonly Run[])[]> {
  const painted: (readonly Run[])[] = [];
  await paint({ language, parts }, (runs) => painted.push(runs));
  return painted;
}

const written = (runs: readonly Run[]) => runs.map(({ kind, text }) => `${kind}:${text}`);

test('keywords, text, numbers and comments are told apart', async () => {
  const [runs] = await coloursOf('rust', 'let x = "a"; // why\nfn y() -> u8 { 5 }');
  expect(written(runs!)).toEqual([
    'keyword:let', 'plain: x = ', 'string:"a"', 'plain:; ', 'comment:// why\n', 'keyword:fn', 'plain: y() -> u8 { ', 'literal:5', 'plain: }',
  ]);
});

test('a comment that goes on in the next part is one there, too', async () => {
  const [first, second] = await coloursOf('c', 'int a; /* one', 'two */ int b;');
  expect(written(first!).at(-1)).toBe('comment: /* one');
  expect(written(second!)[0]).toBe('comment:two */');
});

test('a very long line, and what would turn the direction, are only text', async () => {
  const [runs] = await coloursOf('javascript', `let a\n${'let '.repeat(500)}\nlet\u202E`);
  expect(written(runs!)[0]).toBe('keyword:let');
  expect(written(runs!).at(-1)).toMatch(/⟨U\+202E⟩$/);
  expect(runs!.length).toBeLessThan(6);
});

test('every language has a grammar that reads, and loses nothing', async () => {
  const code = 'x = "a" # b\n<a b="c">d</a> { e: 1 } // f\n- g\n';
  for (const language of Object.keys(grammars) as Language[]) {
    const [runs] = await coloursOf(language, code);
    expect(runs!.map(({ text }) => text).join(''), language).toBe(code);
  }
});

test('a language is known by its other names, in any letters', () => {
  expect(['RS', 'py', 'bash', 'c++', 'TSX', 'nothing'].map(languageOf)).toEqual(['rust', 'python', 'shellscript', 'cpp', 'tsx', undefined]);
  expect(['rs', 'c++', 'nothing'].map(named)).toEqual(['Rust', 'C++', 'nothing']);
});

test('code that grows is divided at ends of lines, and what was divided stays', () => {
  const text = 'a line of code\n'.repeat(2000) + 'x'.repeat(10_000) + '😀'.repeat(5000);
  const parts = new Parts();
  const early = parts.read(text.slice(0, 20_000));
  const late = parts.read(text);
  expect(late.slice(0, early.length - 1)).toEqual(early.slice(0, -1));
  expect(late).toEqual(new Parts().read(text));
  expect(Math.max(...late.map(({ length }) => length))).toBeLessThanOrEqual(4096);
  expect(late.every((part) => !/^[\uDC00-\uDFFF]/.test(part))).toBe(true);
  expect(late.slice(0, 7).join('\n')).toBe(text.slice(0, late.slice(0, 7).join('\n').length));
});

/** Stands in for the worker, which outlives a test. */
class Stand {
  static answers = (_order: Order) => true;
  static orders: Order[] = [];
  static ended = 0;
  onmessage: (event: { data: Reply }) => void = () => {};

  postMessage(order: Order): void {
    Stand.orders.push(order);
    if (Stand.answers(order)) void paint(order, (data) => this.onmessage({ data }));
  }

  terminate(): void {
    Stand.ended += 1;
  }
}

beforeEach(() => {
  vi.stubGlobal('Worker', Stand);
  Stand.answers = () => true;
  Stand.orders = [];
  Stand.ended = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('code is coloured once its fence is closed, and not while it is being written', async () => {
  const { $, grow } = show('```js\nlet a', true);
  await grow('```js\nlet a = "b"');
  expect(Stand.orders).toEqual([]);
  await grow('```js\nlet a = "b"\n```\n');
  await waitFor(() => expect($('.part .keyword')).toHaveTextContent('let'));
  expect($('.part .string')).toHaveTextContent('"b"');
  expect($('code')!.textContent).toBe('let a = "b"');
  await grow('```js\nlet a = "b"\n```\nmore');
  expect(Stand.orders).toHaveLength(1);
});

test('code that takes too long stays plain, and the next is coloured', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  Stand.answers = ({ parts }) => parts[0] !== 'let slow';
  const { $$ } = show('```js\nlet slow\n```\n\n```js\nlet fast\n```\n');
  await vi.waitFor(() => expect(Stand.orders).toHaveLength(1));
  await vi.advanceTimersByTimeAsync(10_000);
  await waitFor(() => expect($$('figure')[1]!.querySelector('.keyword')).toHaveTextContent('let'));
  expect(Stand.ended).toBe(1);
  expect($$('figure')[0]!.querySelector('.keyword')).toBeNull();
});
