// What a drafter said of its drafts while they ran, beside what became of them.
import type { Round } from '../backend/backend';

/** The rounds of an answer that proposed a position: how likely they held everything up to there to stand, on average, and how often it did. */
export type Surviving = {
  position: number;
  rounds: number;
  /** As the drafter says it. */
  raw: number;
  /** As the calibration scales it; null without one. */
  calibrated: number | null;
  stood: number;
};

type Sums = { rounds: number; raw: number; calibrated: number; stood: number };

/** Adds up the confidences of rounds. */
export class Confidences {
  readonly #at: Sums[] = [];
  #calibrated = true;

  add({ proposed, accepted, confidences, calibrated }: Pick<Round, 'proposed' | 'accepted' | 'confidences' | 'calibrated'>): void {
    if (confidences.length === 0) return;
    this.#calibrated &&= calibrated.length > 0;
    let [raw, scaled] = [1, 1];
    confidences.slice(0, proposed).forEach((confidence, index) => {
      raw *= confidence;
      scaled *= calibrated[index] ?? 1;
      const sums = (this.#at[index] ??= { rounds: 0, raw: 0, calibrated: 0, stood: 0 });
      sums.rounds += 1;
      sums.raw += raw;
      sums.calibrated += scaled;
      sums.stood += index < accepted ? 1 : 0;
    });
  }

  surviving(): Surviving[] {
    return this.#at.map(({ rounds, raw, calibrated, stood }, index) => ({
      position: index + 1,
      rounds,
      raw: raw / rounds,
      calibrated: this.#calibrated ? calibrated / rounds : null,
      stood: stood / rounds,
    }));
  }
}
