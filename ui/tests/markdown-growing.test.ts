import { expect, test } from 'vitest';
import { hostile, showcase } from '../scripted/markdown';
import { type Block, Blocks } from '../src/lib/markdown/blocks';
import { blocksOf, type Paged, Paging } from '../src/lib/markdown/paging';
import { Source } from '../src/lib/markdown/source.svelte';
import { show } from './markdown';

function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

const pieces = '# |## |- |  - |1. |2. |> |```|```js|~~~|\n|\n|\n\n|\n\n|    |  |**|*|_|`|$|$$|\\(|\\)|\\[|\\]|[|](|)|!|a|b c|d.|---|===|\\|a\\|b\\||\\|-\\|-\\||\\||<b>|https://x.y|&amp;|\t|\r\n|\r'
  .split(/(?<!\\)\|/)
  .map((piece) => piece.replaceAll('\\|', '|'));

function textOf(random: (below: number) => number, length: number): string {
  return Array.from({ length }, () => pieces[random(pieces.length)]).join('');
}

/** Reads a text as it comes in, in steps of up to `most` characters. */
function gradually(text: string, random: (below: number) => number, most: number): readonly Block[] {
  const blocks = new Blocks();
  for (let at = 0; at < text.length; at += 1 + random(most)) blocks.read(text.slice(0, at), true);
  return blocks.read(text, false);
}

const whole = (text: string) => new Blocks().read(text, false);

test('a text that came piece by piece reads as if it had come at once', () => {
  const random = randomly(11);
  for (const text of [showcase, hostile]) expect(gradually(text, random, 7)).toEqual(whole(text));
  for (let run = 0; run < 1500; run += 1) {
    const text = textOf(random, 1 + random(40)).replaceAll('\r', '');
    expect(gradually(text, random, 4), JSON.stringify(text)).toEqual(whole(text));
  }
});

test('blocks that are too long are cut at the same places however they came', () => {
  const random = randomly(5);
  for (const line of ['word '.repeat(20) + '\n', '- item\n', '| a | b |\n', '> quote\n', 'x']) {
    const text = '| a | b |\n|--|--|\n' + line.repeat(90_000 / line.length);
    const blocks = whole(text);
    expect(blocks.length).toBeGreaterThan(2);
    expect(gradually(text, random, 9000)).toEqual(blocks);
  }
});

const paged = (text: string) => new Paging().read(Source.of(text), false);

/** Reads a text as it comes in, in steps of up to `most` characters. */
function pagedGradually(text: string, random: (below: number) => number, most: number): Paged {
  const [paging, source] = [new Paging(), new Source()];
  for (let at = 0; at < text.length; ) {
    const step = 1 + random(most);
    source.append(text.slice(at, (at += step)));
    paging.read(source, true);
  }
  return paging.read(source, false);
}

test('a long text is divided into the same pages however it came, and they are the text', () => {
  const random = randomly(7);
  for (const text of [showcase.repeat(30), hostile.repeat(8), textOf(random, 60_000), 'x'.repeat(50_000), '# a\n'.repeat(9000)]) {
    const all = paged(text);
    expect(pagedGradually(text, random, 900)).toEqual(all);
    const shown = Source.of(text);
    expect(shown.begins(all.pages)).toBe(true);
    // Drawn once more, a page is what it was.
    const blocks = [...all.pages.flatMap(blocksOf), ...all.open].map(({ node }) => node);
    expect(blocks).toEqual(whole(shown.from(0)).map(({ node }) => node));
  }
});

test('what was streamed and what is stored in its place share their pages', () => {
  const [paging, source] = [new Paging(), Source.of(showcase.repeat(20))];
  const { pages } = paging.read(source, true);
  expect(paging.read(Source.of(showcase.repeat(20)), false).pages).toBe(pages);
  expect(paging.read(Source.of('Another one.'), false).pages).toEqual([]);
});

test('a growing text shows no blanks before and behind it', () => {
  const random = randomly(9);
  for (let run = 0; run < 500; run += 1) {
    const text = Array.from({ length: random(12) }, () => [' ', '\n', 'a', '\r\n'][random(4)]).join('');
    const source = new Source();
    for (const character of text) source.append(character);
    const clean = text.replaceAll('\r', '').replace(/^\s*\n/, '').replace(/^ (?=\S)/, '').trimEnd();
    expect([source.from(0), source.length]).toEqual([clean, clean.length]);
  }
});

test('code of any length is one block', () => {
  const text = `\`\`\`\n${'line\n'.repeat(50_000)}\`\`\`\nend`;
  expect(gradually(text, randomly(3), 40_000)).toEqual(whole(text));
  expect(whole(text)).toHaveLength(2);
});

test('another text is read from its beginning', () => {
  const blocks = new Blocks();
  blocks.read('one\n\ntwo\n\nthree\n\nfour', false);
  expect(blocks.read('one\n\nzwei', false)).toEqual(whole('one\n\nzwei'));
});

test('what is finished stays in the page as it is, while the rest comes', async () => {
  const { $, $$, grow } = show('# Title\n\nfirst\n\n```js\nlet a\n```\n\nsec', true);
  const before = [$('h3'), $('p'), $('figure')];
  await grow('# Title\n\nfirst\n\n```js\nlet a\n```\n\nsecond\n\nthird\n\n- fourth');
  expect([$('h3'), $('p'), $('figure')]).toEqual(before);
  expect($$('p').map((p) => p.textContent)).toEqual(['first', 'second', 'third']);
  before.forEach((element, at) => expect([$('h3'), $('p'), $('figure')][at]).toBe(element));
});

test('the block that is being written keeps the elements it has', async () => {
  const { $, grow } = show('- one\n- two **bo', true);
  const [list, strong] = [$('ul'), $('strong')];
  await grow('- one\n- two **bold** and\n- three');
  expect($('ul')).toBe(list);
  expect($('strong')).toBe(strong);
  expect(strong).toHaveTextContent('bold');
});

test.each([
  ['some **bold te', '<p>some <strong>bold te</strong></p>'],
  ['some **bold *and', '<p>some <strong>bold <em>and</em></strong></p>'],
  ['some **bold**', '<p>some <strong>bold</strong></p>'],
  ['*a _b* c', '<p><em>a _b</em> c</p>'],
  ['some **', '<p>some</p>'],
  ['2 * 3', '<p>2 * 3</p>'],
  ['call `foo', '<p>call <code>foo</code></p>'],
  ['call `foo` and', '<p>call <code>foo</code> and</p>'],
  ['see [the docs', '<p>see [the docs</p>'],
  ['see [the docs](https://exa', '<p>see the docs</p>'],
  ['words\n-', '<p>words</p>'],
  ['1. one\n2', '<ol><li>one</li></ol>'],
  ['text\n\n#', '<p>text</p>'],
])('%j looks as it will', (source, html) => {
  expect(show(source, true).html()).toBe(html);
});

test('once the text is over, what was never closed is what was written', async () => {
  const { html, grow } = show('some **bold `te', true);
  expect(html()).toBe('<p>some <strong>bold <code>te</code></strong></p>');
  await grow('some **bold `te', false);
  expect(html()).toBe('<p>some **bold `te</p>');
});

test('a paragraph that is over is not closed at its end by what comes behind it', () => {
  expect(show('an **open one\n\n```\ncode', true).$('p')).toHaveTextContent('an **open one');
});

test('a table is one from its first line on', async () => {
  const { $, $$, grow } = show('| a | b |', true);
  const table = $('table');
  expect($$('th')).toHaveLength(2);
  for (const rest of ['\n', '\n|', '\n|--', '\n|--|--|', '\n|--|--|\n| 1', '\n|--|--|\n| 1 | **2']) {
    await grow(`| a | b |${rest}`);
    expect($('table')).toBe(table);
    expect($$('p')).toHaveLength(0);
  }
  expect($$('td').map((cell) => cell.textContent)).toEqual(['1', '2']);
});

test('code is in its box as soon as its fence is there, and the fence itself never is', async () => {
  const { $, grow } = show('```py\n', true);
  const box = $('figure');
  await grow('```py\na = 1\n``');
  await grow('```py\na = 1\n```');
  expect($('figure')).toBe(box);
  expect($('code')!.textContent).toBe('a = 1');
  await grow('```py\na = 1\n```\n\nThat');
  expect($('figure')).toBe(box);
  expect($('p')).toHaveTextContent('That');
});

test('a formula is shown as it is written until it is whole', async () => {
  const { $, grow } = show('so \\(x^', true);
  expect($('code')!.textContent).toBe('x^');
  await grow('so \\(x^2\\) is\n\n$$\n\\frac{1}{');
  expect($('.display code')!.textContent).toBe('\\frac{1}{');
});
