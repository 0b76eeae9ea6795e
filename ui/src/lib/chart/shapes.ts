// The chart's arithmetic: readings to bars and points, without a pixel of layout.
import type { Interval } from '../backend/backend';
import { type Reading, ratio } from './reading';

export type Bar = { position: number; proposed: number; accepted: number; rate: number | null };

/** One bar for each position that was ever proposed; its rate is accepted / proposed at that position. */
export function bars(reading: Reading): Bar[] {
  return reading.proposedAt.map((proposed, index) => {
    const accepted = reading.acceptedAt[index] ?? 0;
    return { position: index + 1, proposed, accepted, rate: ratio(accepted, proposed) };
  });
}

/** Every so many of them, the last one included: not more than are read in a table. */
export function thinned<T>(all: readonly T[], most = 30): T[] {
  const every = Math.ceil(all.length / most);
  return all.filter((_, at) => (at + 1) % every === 0 || at === all.length - 1);
}

/** The smallest whole number of tokens that the line fits under, and at least the bonus token with one above it. */
export function ceiling(perRound: readonly number[]): number {
  return perRound.reduce((most, tokens) => Math.max(most, tokens), 2);
}

/** The smallest of 1, 2 and 5, times a power of ten, that the line fits under; it begins at 0. */
export function roundCeiling(values: readonly number[]): number {
  const most = values.reduce((most, value) => Math.max(most, value), 0);
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5].map((digit) => digit * power).find((top) => top >= most) ?? 10 * power;
}

/** A number that was measured after so many steps. */
export type Measured = { step: number; value: number };

/** Each τ that was measured while a drafter learned, what it was worth before the first step, and the best of them. */
export function course(tau: readonly [number, number, boolean][]): { all: Measured[]; start: Measured | null; best: Measured | null } {
  const all = tau.map(([step, value]) => ({ step, value }));
  const best = tau.findLastIndex(([, , isBest]) => isBest);
  return { all, start: all[0] ?? null, best: all[best] ?? null };
}

/** The last that was measured up to this step. */
export function upTo(all: readonly Measured[], step: number): Measured | null {
  return all.findLast((each) => each.step <= step) ?? null;
}

/** The range that holds plain decoding and every one of these, a little wider. */
export function range(times: readonly Interval[]): { least: number; most: number } {
  const all = [1, ...times.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value])];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const room = Math.max(0.05, (most - least) * 0.06);
  return { least: least - room, most: most + room };
}
