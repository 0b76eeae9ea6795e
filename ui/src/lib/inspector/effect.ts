// Which control does something for the picked pair, what is sent for it, and what an answer was made with.
import type { Controls, Model, Outcome } from '../backend/backend';
import { decimal } from '../format';
import { ran } from './course';

/** The most tokens the drafter can propose a round; 0 without a drafter. */
export function limitOf(drafter: Model | null): number {
  return drafter?.drafts?.limit ?? 0;
}

/** How many tokens the drafter is asked for when nobody says. */
export function usualOf(drafter: Model | null): number {
  return drafter?.drafts?.usual ?? 0;
}

/** The most tokens that the next answer will propose a round. */
export function gammaFor(controls: Controls, drafter: Model | null): number {
  return Math.min(controls.gamma ?? usualOf(drafter), limitOf(drafter));
}

const drafting = new Set<keyof Controls>(['gamma', 'minConf', 'schedule']);
const drawing = new Set<keyof Controls>(['topP', 'topK', 'minP', 'seed']);

/** Why a control changes nothing right now, or null if it does something. `misfit` says why the drafter does not suit the target. */
export function withoutEffect(control: keyof Controls, controls: Controls, drafter: Model | null, misfit: string | null = null): string | null {
  if (drawing.has(control)) return controls.temperature === 0 ? 'Temperature is 0: nothing is drawn at random.' : null;
  if (!drafting.has(control)) return null;
  if (misfit !== null) return misfit;
  if (!drafter) return 'Without a drafter nothing is proposed.';
  if (limitOf(drafter) === 0) return 'This drafter cannot propose any token.';
  if (control === 'gamma') return null;
  if (gammaFor(controls, drafter) === 0) return 'γ is 0: nothing is proposed.';
  if (control === 'schedule') return null;
  if (drafter.drafts?.confident === false) return 'This drafter has no confidence in its tokens.';
  const blind = controls.schedule === 'fixed' || controls.schedule === 'adaptive';
  return blind ? `The schedule “${controls.schedule}” does not look at confidences.` : null;
}

/** Why thinking cannot be asked of this target. Whether a chat template knows how shows when it is used: the answer's note says so. */
export function withoutThinking(target: Model | null): string | null {
  return target?.chatTemplate === false ? 'A base model without a chat template does not think.' : null;
}

/** Without what changes nothing for this drafter, and with γ within its limit: the record then says what was asked for. */
export function sendable(controls: Controls, drafter: Model | null): Controls {
  if (!drafter) return controls;
  const gamma = controls.gamma === null ? null : gammaFor(controls, drafter);
  const minConf = withoutEffect('minConf', controls, drafter) === null ? controls.minConf : null;
  return { ...controls, gamma, minConf };
}

/** How a finished answer was made. */
export function conditionsOf({ drafter, controls, speculation }: Outcome): string {
  const { temperature } = controls;
  const parts = [`temperature ${decimal(temperature, temperature === 0 ? 0 : 2)}`];
  if (drafter !== null) parts.unshift(ran(speculation, controls.minConf));
  if (controls.thinking) parts.push('thinking');
  if (controls.precision === 'float32') parts.push('float32');
  return parts.join(', ');
}
