// The rounds of an answer as a line of a few points, however many they are.

/** A stretch of consecutive rounds: their mean, and the mean of all rounds up to its end. */
export type Point = { round: number; mean: number; running: number };

/** Stretches of `roundsPerPoint` rounds each; the last one may be shorter. `most` is the most tokens that a round made. */
export type Stretches = { points: readonly Point[]; roundsPerPoint: number; most: number };

/** Adds rounds up in stretches that become twice as long whenever there are too many. */
export class Line {
  /** The tokens of each stretch. */
  #sums: number[] = [];
  #roundsPerPoint = 1;
  #rounds = 0;
  #most = 0;
  readonly #mostPoints: number;

  constructor(mostPoints = 116) {
    this.#mostPoints = mostPoints;
  }

  /** Adds a round that made so many tokens. */
  add(tokens: number): void {
    if (this.#rounds === this.#mostPoints * this.#roundsPerPoint) {
      this.#sums = this.#sums.flatMap((sum, at) => (at % 2 === 0 ? [sum + (this.#sums[at + 1] ?? 0)] : []));
      this.#roundsPerPoint *= 2;
    }
    const at = Math.floor(this.#rounds / this.#roundsPerPoint);
    this.#sums[at] = (this.#sums[at] ?? 0) + tokens;
    this.#rounds += 1;
    this.#most = Math.max(this.#most, tokens);
  }

  stretches(): Stretches {
    let total = 0;
    const points = this.#sums.map((sum, at) => {
      const round = Math.min((at + 1) * this.#roundsPerPoint, this.#rounds);
      total += sum;
      return { round, mean: sum / (round - at * this.#roundsPerPoint), running: total / round };
    });
    return { points, roundsPerPoint: this.#roundsPerPoint, most: this.#most };
  }
}
