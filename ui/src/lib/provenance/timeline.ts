// Where the time of an answer went.
import type { Stats } from '../backend/backend';
import { type Spent, total } from './spent';

export type Part = {
  name: string;
  /** What it is, where the name does not say it. */
  what: string | null;
  seconds: number;
};

/** The parts of an answer in order, those that took no time left out; its rounds are one if it is not known what each did. */
export function partsOf(stats: Stats, spent: Spent | null): Part[] {
  const part = (name: string, seconds: number, what: string | null = null): Part => ({ name, what, seconds });
  const before = [
    part('loading', stats.loadSeconds, 'the models, from the disk'),
    part('prefill', stats.prefillSeconds, 'reading the prompt'),
    part('measuring', stats.measuringSeconds, 'what rounds cost here, once'),
  ];
  const rounds = spent
    ? [
        part('draft', spent.draft, 'until the draft was there'),
        part('verify', spent.verify, 'one pass of the target, choosing tokens included: both are one wait'),
        part('draft and verify', spent.together, 'nothing waits between them, so they cannot be told apart'),
        part('plain steps', spent.plain, 'the target alone; nothing was drafted'),
        part('between rounds', Math.max(0, stats.decodeSeconds - total(spent))),
      ]
    : [part('rounds', stats.decodeSeconds, 'what each did was not kept')];
  return [...before, ...rounds].filter(({ seconds }) => seconds >= 0.00005);
}

/** The share of it in which the device had nothing to do, because the program had not asked for anything yet. */
export function own(spent: Spent): number {
  return Math.max(0, total(spent) - spent.device);
}
