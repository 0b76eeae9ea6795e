// The arithmetic of the report's charts, in units of what is shown and without a pixel of layout.
import type { CalibrationCost, Reliability } from '../backend/backend';

/** The rounds of a bin: how sure the drafter was, how often it was right, and their share of the fullest bin. */
export type Mark = { predicted: number; stood: number; count: number; share: number };

/** The bins that hold something, in order. `fullest` is the most that any bin beside it holds. */
export function marks({ bins }: Reliability, fullest: number): Mark[] {
  return bins.filter(({ count }) => count > 0).map((bin) => ({ ...bin, share: bin.count / fullest }));
}

/** The rounds in the fullest bin of these. */
export function fullestOf(...all: readonly Reliability[]): number {
  return Math.max(1, ...all.flatMap(({ bins }) => bins.map(({ count }) => count)));
}

/** Where bin `index` of `bins` begins and ends. */
export function edges(index: number, bins: number): [number, number] {
  return [index / bins, (index + 1) / bins];
}

/** What a row more, or a token more, was timed at: in order, and in one kind of cost. */
export type Line = { context: number; points: readonly [number, number][] };

/** The lines of the contexts that were timed at all. */
export function lines(cost: readonly CalibrationCost[], of: 'draftS' | 'verifyS'): Line[] {
  const ordered = cost.map((bucket) => ({ context: bucket.context, points: bucket[of].toSorted(([one], [other]) => one - other) }));
  return ordered.filter(({ points }) => points.length > 0);
}

/** The numbers of rows, or of tokens, that were timed in any context. */
export function timed(cost: readonly CalibrationCost[]): number[] {
  const all = cost.flatMap(({ draftS, verifyS }) => [...draftS.map(([tokens]) => tokens + 1), ...verifyS.map(([rows]) => rows)]);
  return [...new Set(all)].toSorted((one, other) => one - other);
}

/** Heights for labels that would like to be at these, at least `apart` from each other and no lower than `lowest`. */
export function spaced(heights: readonly number[], apart: number, lowest: number): number[] {
  const order = heights.map((_, index) => index).toSorted((one, other) => heights[other]! - heights[one]!);
  const result = [...heights];
  let floor = lowest;
  for (const index of order) {
    result[index] = Math.min(heights[index]!, floor);
    floor = result[index] - apart;
  }
  return result;
}
