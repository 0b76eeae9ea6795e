// Which control does something for the picked pair, what is sent for it, and what an answer was made with.
import type { Controls, Model, Outcome } from '../backend/backend';
import { decimal, percent } from '../format';

/** The most tokens the drafter can propose a round; 0 without a drafter. */
export function limitOf(drafter: Model | null): number {
  return drafter?.limit ?? 0;
}

/** γ as the next answer will use it: the drafter's own limit unless something smaller was asked for. */
export function gammaFor(controls: Controls, drafter: Model | null): number {
  const limit = limitOf(drafter);
  return Math.min(controls.gamma ?? limit, limit);
}

/** Why a control changes nothing right now, or null if it does something. */
export function withoutEffect(control: keyof Controls, controls: Controls, drafter: Model | null): string | null {
  if (control === 'gamma' && !drafter) return 'Without a drafter nothing is proposed.';
  if (control === 'gamma' && limitOf(drafter) === 0) return 'This drafter cannot propose any token.';
  if (control === 'minConf' && !drafter) return 'Without a drafter nothing is proposed.';
  if (control === 'minConf' && gammaFor(controls, drafter) === 0) return 'γ is 0: nothing is proposed.';
  const sampling = control === 'topP' || control === 'topK' || control === 'seed';
  if (sampling && controls.temperature === 0) return 'Temperature is 0: nothing is drawn at random.';
  return null;
}

/** Why thinking cannot be asked of this target. Whether a chat template knows how shows when it is used: the answer's note says so. */
export function withoutThinking(target: Model | null): string | null {
  return target?.chatTemplate === false ? 'A base model without a chat template does not think.' : null;
}

/** With γ as a number and within this drafter's limit, so that the answer's record says it. The engine would cut it and say so. */
export function sendable(controls: Controls, drafter: Model | null): Controls {
  return drafter ? { ...controls, gamma: gammaFor(controls, drafter) } : controls;
}

/** The controls that a finished answer was made with. */
export function conditionsOf({ drafter, controls }: Outcome): string {
  const { gamma, minConf, temperature } = controls;
  const parts = [`temperature ${decimal(temperature, temperature === 0 ? 0 : 2)}`];
  if (drafter !== null && minConf !== null) parts.unshift(`minConf ${percent(minConf)}`);
  if (drafter !== null && gamma !== null) parts.unshift(`γ ${gamma}`);
  if (controls.thinking) parts.push('thinking');
  if (controls.precision === 'float32') parts.push('float32');
  return parts.join(', ');
}
