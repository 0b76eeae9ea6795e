import { screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { message, outcome } from '../scripted/samples';
import { show } from './markdown';
import { ask, backendWithModels, frame, open } from './window';

test('words are emphasised, lines are kept, and headings come below those of the page', () => {
  const { html } = show('# One\n\n## Two\n\n#### Four\n\nsome **bold**, *leaning*, ~~struck~~ `code`\nnext');
  expect(html()).toBe(
    '<h3>One</h3><h4>Two</h4><h6>Four</h6>' +
      '<p>some <strong>bold</strong>, <em>leaning</em>, <s>struck</s> <code>code</code><br>next</p>',
  );
});

test('lists keep their numbers, and quotes and rules are what they are', () => {
  const { html } = show('3. a\n4. b\n   - c\n\n> wise\n\ntext\n---\nmore');
  expect(html()).toBe(
    '<ol start="3"><li>a</li><li>b<ul><li>c</li></ul></li></ol><blockquote><p>wise</p></blockquote>' +
      '<p>text</p><hr><p>more</p>',
  );
});

test('a table scrolls in a box that takes the keyboard', () => {
  const { $ } = show('| a | b |\n|:-:|--:|\n| 1 | **2** |');
  const box = $('[role=group]')!;
  expect(box).toHaveAccessibleName('Table');
  expect(box).toHaveAttribute('tabindex', '0');
  const [first, second] = within(box as HTMLElement).getAllByRole('cell');
  expect(first).toHaveAttribute('data-align', 'center');
  expect(second!.querySelector('strong')).toHaveTextContent('2');
});

test('a block of code says its language, scrolls in its box, and is copied as it was written', async () => {
  const user = userEvent.setup();
  const { $ } = show('```rs title="x"\nfn a() {\n\tb\n}\n```\n\nend');
  expect($('figure')).toHaveAccessibleName('Code, Rust');
  expect($('pre')).toHaveAccessibleName('Rust code');
  expect($('pre')).toHaveAttribute('tabindex', '0');
  expect($('code')!.textContent).toBe('fn a() {\n\tb\n}');
  await user.click(screen.getByRole('button', { name: 'Copy code' }));
  expect(await navigator.clipboard.readText()).toBe('fn a() {\n\tb\n}');
  expect(screen.getByRole('status')).toHaveTextContent('Copied');
});

test('code in a list is a block like any other', () => {
  const { $ } = show('1. first:\n   ```py\n   a\n     b\n   ```\n2. second');
  expect($('li figure')).toHaveAccessibleName('Code, Python');
  expect($('li figure code')!.textContent).toBe('a\n  b');
});

test('code of a language that nobody knows is shown plainly, under its name', () => {
  const { $ } = show('```brainfudge\n+++\n```\n');
  expect($('figure')).toHaveAccessibleName('Code, brainfudge');
  expect($('figcaption span')).toHaveTextContent('brainfudge');
});

test.each([
  ['$x^2$', ''],
  ['\\(x^2\\)', ''],
  ['$$x^2$$', 'block'],
  ['$$\nx^2\n$$', 'block'],
  ['\\[\nx^2\n\\]', 'block'],
])('%j is set as a formula', async (source, display) => {
  const { $ } = show(source);
  await waitFor(() => expect($('math msup')).not.toBeNull());
  expect($('math')!.getAttribute('display') ?? '').toBe(display);
  expect($('math msup')!.textContent).toBe('x2');
  expect($('code')).toBeNull();
});

test.each(['It costs $5, not $10.', 'from $5 to $6', 'a $ b $ c', '5$ and 6$', '\\$x\\$'])('%j is about money', (source) => {
  const { $ } = show(source);
  expect($('math, code')).toBeNull();
  expect($('p')!.textContent).toBe(source.replaceAll('\\', ''));
});

test('what is not TeX is shown as it was written', async () => {
  const { $ } = show('$\\frac{1}$ and $a$');
  await waitFor(() => expect($('math')).not.toBeNull());
  expect($('code')!.textContent).toBe('\\frac{1}');
});

test('a link shows its address, and opens it outside', async () => {
  const { $, visit } = show('see [the docs](https://example.com/a?b=c) or https://example.org/x.');
  const link = screen.getByRole('link', { name: 'the docs' });
  expect(link).toHaveAttribute('title', 'https://example.com/a?b=c');
  await userEvent.click(link);
  expect(visit).toHaveBeenCalledExactlyOnceWith('https://example.com/a?b=c');
  expect($('a:last-of-type')).toHaveTextContent('https://example.org/x');
});

test('a click on a link goes nowhere by itself, and a refusal is said', async () => {
  const { $, visit } = show('[a](https://example.com/)');
  visit.mockRejectedValueOnce(new Error('No browser could be opened.'));
  const click = new MouseEvent('click', { bubbles: true, cancelable: true });
  expect($('a')!.dispatchEvent(click)).toBe(false);
  expect(await screen.findByRole('alert')).toHaveTextContent('No browser could be opened.');
  const middle = new MouseEvent('auxclick', { bubbles: true, cancelable: true, button: 1 });
  expect($('a')!.dispatchEvent(middle)).toBe(false);
  expect(visit).toHaveBeenCalledOnce();
});

test('a question stays as it was typed; an answer and a thought are Markdown, and the answer is copied as such', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, '**Why**?');
  expect(screen.getByTestId('question')).toHaveTextContent('You:**Why**?');
  const end = { thought: '*so*', text: '**Because** [it](https://example.com/) is.', outcome: outcome([]) };
  const phase = { kind: 'ended' as const, message: message({ id: ids.message, author: 'assistant', ...end }) };
  backend.emit(frame(ids, { phase }));
  const answer = await screen.findByTestId('text');
  await waitFor(() => expect(answer.querySelector('strong')).toHaveTextContent('Because'));
  expect(screen.getByTestId('thought').querySelector('em')).toHaveTextContent('so');
  await user.click(screen.getByRole('button', { name: 'Copy the answer' }));
  expect(await navigator.clipboard.readText()).toBe(end.text);
  await user.click(within(answer).getByRole('link'));
  expect(backend.opened).toEqual(['https://example.com/']);
});
