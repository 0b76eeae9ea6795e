import { describe, expect, test } from 'vitest';
import { message, outcome } from '../scripted/samples';
import { Answer } from '../src/lib/chat/answer.svelte';
import { frame, round } from './window';

const ids = { conversation: 1, message: 2 };
const one = round('Once', 3, 2);
const two = round(' upon', 3, 0);
const three = round(' a time', 3, 3);

function after(...frames: Parameters<typeof frame>[1][]): Answer {
  const answer = new Answer(ids.conversation, ids.message);
  for (const part of frames) answer.apply(frame(ids, part));
  return answer;
}

/** Of each round. */
const tokensOf = ({ reading }: Answer) => reading.course?.points.map(({ mean }) => mean);

describe('a running answer', () => {
  test('is the text of its rounds', () => {
    const answer = after({ rounds: [one] }, { firstRound: 1, rounds: [two, three] });
    expect(answer.text.from(0)).toBe('Once upon a time');
    expect(answer.reading).toMatchObject({ rounds: 3, tokens: 8, proposed: 9, accepted: 5 });
    expect(tokensOf(answer)).toEqual([3, 1, 4]);
  });

  test('counts a repeated frame once', () => {
    const answer = after({ rounds: [one, two] }, { rounds: [one, two] }, { firstRound: 1, rounds: [two, three] });
    expect(answer.text.from(0)).toBe('Once upon a time');
    expect(answer.reading.rounds).toBe(3);
  });

  test('waits for a round that is late', () => {
    const early = after({ firstRound: 1, rounds: [two] });
    expect(early.text.from(0)).toBe('');
    early.apply(frame(ids, { firstRound: 2, rounds: [three] }));
    early.apply(frame(ids, { rounds: [one] }));
    expect(early.text.from(0)).toBe('Once upon a time');
    expect(tokensOf(early)).toEqual([3, 1, 4]);
  });

  test('ignores the frames of another answer', () => {
    const answer = after({ rounds: [one] });
    answer.apply(frame({ conversation: 1, message: 3 }, { firstRound: 1, rounds: [two] }));
    expect(answer.text.from(0)).toBe('Once');
  });

  test('never goes back to an earlier phase', () => {
    const answer = after({ phase: { kind: 'prefill', done: 1024, total: 2048 } });
    answer.apply(frame(ids, { phase: { kind: 'prefill', done: 512, total: 2048 } }));
    answer.apply(frame(ids, { phase: { kind: 'waiting' } }));
    expect(answer.phase).toEqual({ kind: 'prefill', done: 1024, total: 2048 });
  });

  test('ends with the stored text, whatever the rounds said, and stays ended', () => {
    const stored = message({ id: 2, author: 'assistant', text: 'Once upon a time.', outcome: outcome([one]) });
    const answer = after({ rounds: [one] }, { firstRound: 1, phase: { kind: 'ended', message: stored } });
    answer.apply(frame(ids, { firstRound: 1, rounds: [two] }));
    expect(answer.text.from(0)).toBe('Once upon a time.');
    expect(answer.final).toEqual(stored);
  });
});
