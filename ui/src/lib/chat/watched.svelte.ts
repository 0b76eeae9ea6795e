import { SvelteMap } from 'svelte/reactivity';
import type { Message, Outcome } from '../backend/backend';
import { Baseline } from '../chart/baseline';
import { type Reading, nothingYet, readingOf } from '../chart/reading';
import type { Answer } from './answer.svelte';

/** How many answers keep their single rounds for the chart. */
const most = 50;

/** What the answers were worth that this window has watched: the store keeps only the totals of their rounds. */
export class Watched {
  readonly #baseline = new Baseline();
  readonly #readings = new SvelteMap<number, Reading>();

  /** Takes in an answer that has ended. */
  keep({ message, reading }: Answer, outcome: Outcome | null): void {
    this.#readings.set(message, outcome ? readingOf(outcome.stats, reading.course) : reading);
    const [oldest] = this.#readings.keys();
    if (oldest !== undefined && this.#readings.size > most) this.#readings.delete(oldest);
    if (outcome) this.#baseline.add(outcome);
  }

  of({ id, outcome }: Message): Reading {
    return this.#readings.get(id) ?? (outcome ? readingOf(outcome.stats, null) : nothingYet);
  }

  /** How fast this target decoded plainly in this session; null if it has not. */
  plainSpeed(target: string): number | null {
    return this.#baseline.speed(target);
  }
}
