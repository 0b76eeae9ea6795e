// What an answer's rounds amount to: the numbers behind the chart.
import type { Round, Stats } from '../backend/backend';
import { Line, type Stretches } from './line';

export type Reading = {
  rounds: number;
  tokens: number;
  proposed: number;
  accepted: number;
  /** Rounds that proposed a token at this position. */
  proposedAt: readonly number[];
  /** Rounds that accepted the token at this position. */
  acceptedAt: readonly number[];
  /** Its rounds in order; null where only the totals are known. */
  course: Stretches | null;
  /** τ: emitted tokens per round, the bonus token included. */
  tokensPerRound: number | null;
  /** Decoding speed, without loading and prefill. */
  tokensPerSecond: number | null;
};

export function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}

/** Adds rounds up, one at a time and in order. */
export class Tally {
  readonly #line = new Line();
  readonly #proposedAt: number[] = [];
  readonly #acceptedAt: number[] = [];
  #rounds = 0;
  #tokens = 0;
  #proposed = 0;
  #accepted = 0;
  #seconds = 0;

  add(round: Round): void {
    this.#line.add(round.tokens);
    this.#rounds += 1;
    this.#tokens += round.tokens;
    this.#proposed += round.proposed;
    this.#accepted += round.accepted;
    this.#seconds += round.seconds;
    for (let position = 0; position < round.proposed; position += 1) {
      const accepted = position < round.accepted ? 1 : 0;
      this.#proposedAt[position] = (this.#proposedAt[position] ?? 0) + 1;
      this.#acceptedAt[position] = (this.#acceptedAt[position] ?? 0) + accepted;
    }
  }

  /** A copy: what is drawn compares identities, and must see every round as news. */
  reading(): Reading {
    return {
      rounds: this.#rounds,
      tokens: this.#tokens,
      proposed: this.#proposed,
      accepted: this.#accepted,
      proposedAt: [...this.#proposedAt],
      acceptedAt: [...this.#acceptedAt],
      course: this.#line.stretches(),
      tokensPerRound: ratio(this.#tokens, this.#rounds),
      tokensPerSecond: ratio(this.#tokens, this.#seconds),
    };
  }
}

/** The totals of an answer that is over, with its rounds where they are known. */
export function readingOf(stats: Stats, course: Stretches | null): Reading {
  const { rounds, tokens, proposed, accepted, proposedAt, acceptedAt, tokensPerRound, tokensPerSecond } = stats;
  return { rounds, tokens, proposed, accepted, proposedAt, acceptedAt, course, tokensPerRound, tokensPerSecond };
}

export const nothingYet: Reading = new Tally().reading();
