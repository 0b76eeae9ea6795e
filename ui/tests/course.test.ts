import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { message, outcome, statsOf } from '../scripted/samples';
import type { Phase, Standing } from '../src/lib/backend/backend';
import { Lengths, ran, status } from '../src/lib/inspector/course';
import { ask, backendWithModels, frame, open, round } from './window';

const standing: Standing = { tokensPerRound: 1.1, roundSeconds: 0.041, plainSeconds: 0.03 };
const auto = { kind: 'on', limit: 7, schedule: 'auto', calibrated: false } as const;

test('what runs is said with its γ, and with minConf where it counts', () => {
  expect(ran(auto)).toBe('auto, γ up to 7');
  expect(ran({ ...auto, schedule: 'fixed' }, 0.5)).toBe('fixed, γ 7');
  expect(ran({ ...auto, schedule: 'gate' }, 0.5)).toBe('gate, γ up to 7, minConf 50%');
  expect(ran({ ...auto, calibrated: true })).toBe('auto, γ up to 7, calibrated');
});

test('parking that was decided in an earlier answer has no numbers to give', () => {
  const parked = { speculation: auto, course: 'parked', standing: null, lately: null } as const;
  expect(status(parked)).toBe('parked: drafting lost time before this answer');
});

test('why drafts are shorter than they may be is said of the last ones together', () => {
  const lengths = new Lengths();
  const says = () => status({ speculation: auto, course: 'drafting', standing: null, lately: lengths.lately() });
  expect(says()).toBe('drafting, auto, γ up to 7');
  for (const proposed of [7, 7, 7]) lengths.add(round('', proposed, 0));
  expect(says()).toBe('drafting, auto, γ up to 7');
  for (const proposed of [3, 2, 2, 3, 4]) lengths.add({ ...round('', proposed, 0), bound: 'cost' });
  lengths.add({ ...round('', 1, 0), bound: 'budget' });
  lengths.add({ ...round('', 0, 0), course: 'comparing' });
  expect(says()).toBe('drafting, auto, γ up to 7; lately 4.4 tokens: one more would take longer here than it is likely to save');
  for (let more = 0; more < 40; more += 1) lengths.add({ ...round('', 1, 0), bound: 'threshold' });
  expect(says()).toContain('; lately 1.0 tokens: then its confidence is too low');
});

test('the inspector says what a running answer does, and the footer what it did', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const phase: Phase = { kind: 'decoding', speculation: auto };
  const first = { ...round('One', 7, 0), turn: standing };
  const course = () => screen.getByTestId('course');

  backend.emit(frame(ids, { phase, rounds: [round('', 7, 0)] }));
  await waitFor(() => expect(course()).toHaveTextContent('drafting, auto, γ up to 7'));
  backend.emit(frame(ids, { phase, firstRound: 1, rounds: [{ ...round('', 0, 0), course: 'comparing' }] }));
  await waitFor(() => expect(course()).toHaveTextContent('comparing: a plain step'));
  const rounds = [first, { ...round(' two', 0, 0), course: 'parked' as const }];
  backend.emit(frame(ids, { phase, firstRound: 2, rounds }));
  await waitFor(() =>
    expect(course()).toHaveTextContent('parked: 1.10 tokens a round at 41 ms, against 30 ms a plain step'),
  );

  const stats = { ...statsOf(rounds), parked: 1, plainStepSeconds: 0.03, reusedTokens: 20, tokensPerSecond: 50 };
  const readAgain = '7 of the prompt’s tokens were read once more: the drafter had not read them yet.';
  const part = { speculation: auto, stats: { ...stats, readAgain } };
  const end = message({ id: ids.message, author: 'assistant', text: 'One two', outcome: outcome(rounds, part) });
  backend.emit(frame(ids, { firstRound: 4, phase: { kind: 'ended', message: end } }));
  const answer = screen.getByTestId('answer');
  await waitFor(() => expect(answer).toHaveTextContent('1.50 × plain (33.3 tokens/s)'));
  expect(answer).toHaveTextContent('auto, γ up to 7 parked for 1 of 2 rounds');
  expect(answer).toHaveTextContent('20 of the first 27 reused');
  expect(answer).toHaveTextContent(readAgain);
  expect(screen.queryByTestId('course')).not.toBeInTheDocument();
});
