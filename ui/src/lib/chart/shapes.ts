// The chart's arithmetic: readings to bars and points, without a pixel of layout.
import { type Reading, ratio } from './reading';

export type Bar = { position: number; proposed: number; accepted: number; rate: number | null };

/** One bar for each position that was ever proposed; its rate is accepted / proposed at that position. */
export function bars(reading: Reading): Bar[] {
  return reading.proposedAt.map((proposed, index) => {
    const accepted = reading.acceptedAt[index] ?? 0;
    return { position: index + 1, proposed, accepted, rate: ratio(accepted, proposed) };
  });
}

/** A stretch of consecutive rounds: their mean, and the mean of all rounds up to its end. */
export type Point = { round: number; mean: number; running: number };

/** At most `most` points; beyond that every point stands for `roundsPerPoint` rounds. */
export function points(perRound: readonly number[], most: number): { points: Point[]; roundsPerPoint: number } {
  const roundsPerPoint = Math.max(1, Math.ceil(perRound.length / most));
  const result: Point[] = [];
  let total = 0;
  let stretch = 0;
  let start = 0;
  perRound.forEach((tokens, index) => {
    total += tokens;
    stretch += tokens;
    const round = index + 1;
    if (round - start === roundsPerPoint || round === perRound.length) {
      result.push({ round, mean: stretch / (round - start), running: total / round });
      stretch = 0;
      start = round;
    }
  });
  return { points: result, roundsPerPoint };
}

/** The smallest whole number of tokens that the line fits under, and at least the bonus token with one above it. */
export function ceiling(perRound: readonly number[]): number {
  return perRound.reduce((most, tokens) => Math.max(most, tokens), 2);
}
