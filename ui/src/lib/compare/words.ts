import type { CalibrationMode } from '../backend/backend';
import type { Comparison, ComparisonEstimate, Contender, Lane } from '../backend/comparing';
import { modeOf, sameMode } from '../calibrate/words';
import { count, dash, dateAndTime, decimal, plural, roughly } from '../format';

export function sameContender(one: Contender, other: Contender): boolean {
  return one.drafter === other.drafter && sameMode(one.mode, other.mode);
}

/** What each column is called, plain decoding first. */
export function columnsOf({ contenders }: Pick<Comparison, 'contenders'>, name: (id: string) => string): string[] {
  return ['Plain', ...contenders.map(({ drafter, mode }) => (mode.mode === 'auto' ? name(drafter) : `${name(drafter)}, ${modeOf(mode)}`))];
}

/** The ways in which a drafter can draft, in order. */
export function waysOf(drafts: { limit: number; confident: boolean } | null): CalibrationMode[] {
  const fixed = Array.from({ length: drafts?.limit ?? 0 }, (_, index) => ({ mode: 'fixed' as const, gamma: index + 1 }));
  return [{ mode: 'auto' }, ...fixed, ...(drafts?.confident ? [{ mode: 'thresholds' as const }] : [])];
}

/** How a comparison that is not done stands, part by part. `ahead` says that another one runs. */
export function progress({ state, done, of, secondsLeft }: Comparison, ahead: boolean): string[] {
  const far = `${count(done)} of ${plural(of, 'answer')}`;
  if (state === 'running') return [far, ...(secondsLeft === null ? [] : [`${roughly(secondsLeft)} left`])];
  if (state === 'waiting') return [ahead ? 'waits for the comparison before it' : 'waits for its turn'];
  return [state, far];
}

/** How tokens are chosen, part by part. */
export function choosing({ temperature, seed }: Comparison): string[] {
  if (temperature === null) return [];
  const parts = [`temperature ${decimal(temperature, temperature % 1 === 0 ? 0 : 1)}`];
  return temperature > 0 && seed !== null ? [...parts, `seed ${seed}`] : parts;
}

/** What a comparison asks, and how long that takes. */
export function taking({ prompts, answers, seconds }: ComparisonEstimate): string {
  const time = seconds === null ? 'how long is known once this target wrote something' : roughly(seconds);
  return `${plural(prompts, 'prompt')}, ${plural(answers, 'answer')} in all columns; ${time}.`;
}

/** What the row of a comparison is called: there may be several of the same drafters. */
export function titled(drafters: string, { createdAt }: Comparison): string {
  return `${drafters}, ${dateAndTime(createdAt)}`;
}

/** What became of a comparison, in a sentence. */
export function news(drafters: string, { state, failure, verdict }: Comparison): string {
  if (state === 'failed') return `The comparison of ${drafters} has failed: ${failure ?? ''}`;
  return `The comparison of ${drafters} is done. ${verdict ?? ''}`.trimEnd();
}

/** How a column stands. */
export function standing({ stage, tokens, rounds, seconds }: Lane): string {
  if (stage === 'waiting') return 'waits for its turn';
  if (stage === 'warmingUp') return 'warming up, not timed';
  return rate({ tokens, rounds, seconds });
}

/** "31.2 tokens/s · τ 2.40" */
export function rate({ tokens, rounds, seconds }: Pick<Lane, 'tokens' | 'rounds' | 'seconds'>): string {
  return speedOf(seconds > 0 ? tokens / seconds : null, rounds > 0 ? tokens / rounds : null);
}

export function speedOf(tokensPerSecond: number | null, tau: number | null): string {
  return `${decimal(tokensPerSecond, 1)} tokens/s · τ ${decimal(tau, 2)}`;
}

/** "71 48 30" of a hundred, from the first position on, as far as anything was proposed. */
export function acceptance(shares: readonly (number | null)[]): string {
  const known = shares.filter((share) => share !== null);
  return known.length === 0 ? dash : known.map((share) => count(100 * share)).join(' ');
}
