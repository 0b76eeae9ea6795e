// What a decoding speed is read against: plain decoding with the same target, as measured in this session.
import type { Outcome } from '../backend/backend';
import { decimal } from '../format';
import { ratio } from './reading';

/** Tokens per second over all answers in which nothing was proposed; null if there is none. */
export function plainSpeed(outcomes: Iterable<Outcome | null>, target: string): number | null {
  let tokens = 0;
  let seconds = 0;
  for (const outcome of outcomes) {
    if (outcome?.target !== target || outcome.stats.proposed > 0) continue;
    tokens += outcome.stats.tokens;
    seconds += outcome.stats.decodeSeconds;
  }
  return ratio(tokens, seconds);
}

/** The words beside a speed. */
export function besidePlain(proposed: number, plain: number | null): string {
  if (proposed === 0) return 'plain decoding';
  return plain === null ? 'plain not measured yet' : `plain ${decimal(plain, 1)} tokens/s`;
}
