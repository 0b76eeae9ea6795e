// A conversation of any length: only what is read is drawn, and it stays where it is read.
import { waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { conversation } from '../scripted/samples';
import { long } from '../scripted/threads';
import { Excerpt } from '../src/lib/chat/excerpt.svelte';
import { Hold } from '../src/lib/chat/hold.svelte';
import { Thread } from '../src/lib/chat/thread.svelte';
import { backendWithModels, open } from './window';

function backendWithLong(count: number) {
  const backend = backendWithModels();
  backend.talks = [conversation({ id: 9, title: 'Long' })];
  backend.written.set(9, long(count));
  backend.kept = { ...backend.kept, conversation: 9 };
  return backend;
}

async function excerptOf(count: number) {
  const thread = new Thread(backendWithLong(count));
  await thread.open(9);
  const excerpt = new Excerpt(thread);
  const range = () => [excerpt.shown[0]!.id - 10_000, excerpt.shown.at(-1)!.id - 10_000];
  return { thread, excerpt, range };
}

test('a long conversation opens at its end, and never draws more than 100 messages', async () => {
  const { excerpt, range } = await excerptOf(2000);
  expect(range()).toEqual([1960, 1999]);
  for (let count = 0; count < 400; count += 1) {
    excerpt.earlier();
    expect(excerpt.shown.length).toBeLessThanOrEqual(100);
  }
  expect(range()[0]).toBe(0);
  expect(excerpt.ends).toBe(false);
  for (let count = 0; count < 400; count += 1) {
    excerpt.later();
    expect(excerpt.shown.length).toBeLessThanOrEqual(100);
  }
  expect(range()[1]).toBe(1999);
  expect(excerpt.ends).toBe(true);
});

test('every message can be brought into it, with some before and behind', async () => {
  const { excerpt, range } = await excerptOf(2000);
  for (const at of [0, 1, 999, 1998, 1999]) {
    excerpt.reveal(10_000 + at);
    const [from, to] = range();
    expect(from).toBeLessThanOrEqual(Math.max(0, at - 1));
    expect(to).toBeGreaterThanOrEqual(Math.min(1999, at + 1));
  }
  excerpt.end();
  expect(range()).toEqual([1960, 1999]);
});

test('a short conversation is drawn as a whole', async () => {
  const { excerpt, range } = await excerptOf(6);
  expect(range()).toEqual([0, 5]);
  excerpt.earlier();
  excerpt.later();
  expect(range()).toEqual([0, 5]);
});

test('what is drawn stays when a message comes behind it', async () => {
  const { thread, excerpt, range } = await excerptOf(200);
  excerpt.reveal(10_050);
  const before = range();
  thread.messages = [...thread.messages, { ...thread.messages[0]!, id: 10_200, siblings: [10_200] }];
  expect(range()).toEqual(before);
  excerpt.end();
  expect(range()[1]).toBe(200);
});

test('the window draws the end of a long conversation', async () => {
  await open(backendWithLong(2000));
  await waitFor(() => expect(document.querySelectorAll('[data-message]')).toHaveLength(40));
  expect(document.querySelector('[data-message="11999"]')).toBeInTheDocument();
});

/** A page where elements have the tops that are said of them, and what scrolls has the heights. */
function page(tops: number[], heights: { clientHeight: number; scrollHeight: number }) {
  const scroller = document.createElement('div');
  const list = document.createElement('ol');
  for (const [key, value] of Object.entries(heights)) Object.defineProperty(scroller, key, { configurable: true, value });
  tops.forEach((_, index) => {
    const each = document.createElement('li');
    each.getBoundingClientRect = () => new DOMRect(0, tops[index]! - scroller.scrollTop, 100, 100);
    list.append(each);
  });
  scroller.append(list);
  document.body.append(scroller);
  return { scroller, list, tops };
}

test('the message that is read stays where it is when others before it come or grow', async () => {
  const { excerpt } = await excerptOf(2000);
  const hold = new Hold(excerpt);
  const { scroller, list, tops } = page([0, 100, 200, 300], { clientHeight: 10, scrollHeight: 400 });
  hold.scroller(scroller);
  hold.list(list);
  hold.keep();
  expect(scroller.scrollTop).toBe(400);
  scroller.scrollTop = 250;
  hold.scrolled();
  expect(hold.atEnd).toBe(false);
  for (const index of [2, 3]) tops[index]! += 70;
  hold.keep();
  expect(scroller.scrollTop).toBe(320);
});

test('the end is held until the reader scrolls up, and again once they are back', async () => {
  const { excerpt } = await excerptOf(6);
  const hold = new Hold(excerpt);
  const { scroller, list } = page([0, 100], { clientHeight: 100, scrollHeight: 500 });
  hold.scroller(scroller);
  hold.list(list);
  hold.keep();
  scroller.scrollTop = 300;
  hold.scrolled();
  expect(hold.atEnd).toBe(false);
  scroller.scrollTop = 400;
  hold.scrolled();
  expect(hold.atEnd).toBe(true);
});
