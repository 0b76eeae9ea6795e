// What a decoding speed is read against: plain decoding with the same target, as measured in this session.
import { SvelteMap } from 'svelte/reactivity';
import type { Message, Outcome, Precision } from '../backend/backend';
import { decimal } from '../format';
import { ratio } from './reading';

/** What decodes at a speed of its own: a target, by its id, in a number type. */
export type Decoder = { target: string; precision: Precision };

const decoderOf = ({ target, controls: { precision } }: Outcome): Decoder => ({ target, precision });
const keyOf = ({ target, precision }: Decoder) => `${precision} ${target}`;

/** The plain decoding of this session, added up for each decoder. */
export class Baseline {
  readonly #totals = new SvelteMap<string, { tokens: number; seconds: number }>();

  /** Counts an answer if it was decoded plainly. */
  add(outcome: Outcome): void {
    const { speculation, stats } = outcome;
    if (speculation.kind === 'on') return;
    const key = keyOf(decoderOf(outcome));
    const { tokens, seconds } = this.#totals.get(key) ?? { tokens: 0, seconds: 0 };
    this.#totals.set(key, { tokens: tokens + stats.tokens, seconds: seconds + stats.decodeSeconds });
  }

  /** Tokens per second; null if it has not decoded plainly. */
  speed(decoder: Decoder): number | null {
    const totals = this.#totals.get(keyOf(decoder));
    return totals ? ratio(totals.tokens, totals.seconds) : null;
  }
}

/** How fast plain decoding is, tokens per second, and where that is known from. */
export type Plain = { speed: number; source: string };

/**
 * What an answer by this decoder is read against, as well as it is known: its own plain steps, else what this session decoded
 * plainly, else the answer nearest to it in its conversation that knows.
 */
export function plainOf({ id, outcome }: Message, decoder: Decoder, session: number | null, answers: readonly Message[]): Plain | null {
  const own = outcome ? measured(outcome) : null;
  if (own !== null) return { speed: own, source: 'measured in this answer, beside its drafts' };
  if (session !== null) return { speed: session, source: 'of the answers of this session that this target decoded plainly' };
  const known = answers.flatMap(({ id, outcome }) => {
    const speed = outcome && keyOf(decoderOf(outcome)) === keyOf(decoder) ? measured(outcome) : null;
    return speed === null ? [] : { id, speed };
  });
  const nearest = known.findLast((other) => other.id < id) ?? known[0];
  return nearest ? { speed: nearest.speed, source: 'measured in another answer of this conversation by this target' } : null;
}

/** How fast plain decoding was in this answer; null if there was none. */
function measured({ speculation, stats }: Outcome): number | null {
  if (stats.plainStepSeconds !== null) return 1 / stats.plainStepSeconds;
  return speculation.kind === 'off' ? stats.tokensPerSecond : null;
}

/** The words beside a speed. */
export function besidePlain({ speculation, stats }: Outcome, plain: Plain | null): string {
  if (speculation.kind === 'off') return 'plain decoding';
  return plain === null || stats.tokensPerSecond === null ? 'plain not measured yet' : timesPlain(stats.tokensPerSecond, plain.speed);
}

/** "2.00 × plain (10.0 tokens/s)". */
export function timesPlain(speed: number, plain: number): string {
  return `${decimal(speed / plain, 2)} × plain (${decimal(plain, 1)} tokens/s)`;
}
