// How a pair stands: whether a calibration is in force for it, and if none is, why.
import type { Calibration, Controls, Model } from '../backend/backend';
import { withoutThinking } from '../inspector/effect';

/** What a calibration is of, besides this machine. */
export type Calibrated = Pick<Calibration, 'target' | 'drafter' | 'precision' | 'thinking'>;

export type PairState =
  | { kind: 'calibrated'; calibration: Calibration }
  | { kind: 'stale'; calibration: Calibration; reason: string }
  /** With the latest that is done, if there is one that nobody has applied. */
  | { kind: 'none'; calibration: Calibration | null };

const alike = (one: Calibrated, other: Calibrated) =>
  one.target === other.target && one.drafter === other.drafter && one.precision === other.precision && one.thinking === other.thinking;

/** The calibrations are the latest first. */
export function stateOf(pair: Calibrated, all: readonly Calibration[]): PairState {
  const ours = all.filter((calibration) => alike(calibration, pair));
  const inForce = ours.find((calibration) => calibration.inForce);
  if (inForce) return { kind: 'calibrated', calibration: inForce };
  const stale = ours.find(({ stale, appliedAt }) => stale !== null && appliedAt !== null);
  if (stale) return { kind: 'stale', calibration: stale, reason: stale.stale! };
  return { kind: 'none', calibration: ours.find(({ state, stale }) => state === 'done' && stale === null) ?? null };
}

/** What the next answer would have to be calibrated for; null where no confidence is asked. */
export function calibratedFor(controls: Controls, target: Model | null, drafter: Model | null): Calibrated | null {
  if (!target || !drafter || withoutConfidence(drafter) !== null) return null;
  const thinking = controls.thinking && withoutThinking(target) === null;
  return { target: target.id, drafter: drafter.id, precision: controls.precision, thinking };
}

/** Why there is nothing to calibrate in a drafter. */
export function withoutConfidence(drafter: Model): string | null {
  return drafter.drafts?.confident ? null : 'has no confidence';
}
