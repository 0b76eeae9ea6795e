// What a decoding speed is read against: plain decoding with the same target, as measured in this session.
import { SvelteMap } from 'svelte/reactivity';
import type { Outcome } from '../backend/backend';
import { decimal, milliseconds } from '../format';
import { ratio } from './reading';

/** The plain decoding of this session, added up for each target. */
export class Baseline {
  readonly #totals = new SvelteMap<string, { tokens: number; seconds: number }>();

  /** Counts an answer if it was decoded plainly. */
  add({ target, speculation, stats }: Outcome): void {
    if (speculation.kind === 'on') return;
    const { tokens, seconds } = this.#totals.get(target) ?? { tokens: 0, seconds: 0 };
    this.#totals.set(target, { tokens: tokens + stats.tokens, seconds: seconds + stats.decodeSeconds });
  }

  /** Tokens per second; null if this target has not decoded plainly. */
  speed(target: string): number | null {
    const totals = this.#totals.get(target);
    return totals ? ratio(totals.tokens, totals.seconds) : null;
  }
}

/** The words beside a speed. */
export function besidePlain({ speculation, stats }: Outcome, plain: number | null): string {
  if (speculation.kind === 'off') return 'plain decoding';
  const { plainStepSeconds: step, tokensPerSecond: speed } = stats;
  if (step !== null && speed !== null) return `${decimal(step * speed, 1)} × plain, ${milliseconds(step)} a step`;
  return plain === null ? 'plain not measured yet' : `plain ${decimal(plain, 1)} tokens/s`;
}
