// What a calibration is of.
import type { Calibrated, Controls, Model } from '../backend/backend';
import { withoutThinking } from '../inspector/effect';

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
