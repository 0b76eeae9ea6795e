import type { Calibrated, Calibration, CalibrationEstimate, CalibrationMode, CalibrationPhase, CalibrationPosition, Interval } from '../backend/backend';
import { count, dateAndTime, day, decimal, plural, roughly } from '../format';

export const phases: readonly { value: CalibrationPhase; label: string; does: string }[] = [
  { value: 'collect', label: 'Collect', does: 'The target answers prompts with drafts of full length: what the drafter said of each token, and whether it stood.' },
  { value: 'fit', label: 'Fit', does: 'For each position, what makes the confidence true is looked for.' },
  { value: 'cost', label: 'Cost', does: 'Drafting and verifying are timed on this machine.' },
  { value: 'measure', label: 'Measure', does: 'Held-out prompts are answered in every way of drafting, in turn. Speeds are truest while the machine does nothing else.' },
];

export const phaseOf = (phase: CalibrationPhase) => phases.find(({ value }) => value === phase)!;

/** How a calibration that is not done stands, part by part. `ahead` says that another one runs. */
export function progress({ state, phase, done, of, secondsLeft }: Calibration, ahead: boolean): string[] {
  const { label } = phaseOf(phase);
  const counted = of > 0 && (phase === 'collect' || phase === 'measure');
  const far = counted ? [`${label}: ${count(done)} of ${plural(of, 'answer')}`] : [label];
  const begun = phase !== 'collect' || done > 0;
  const left = phase === 'measure' ? 'left' : 'left of this phase';
  if (state === 'running') return [...far, ...(secondsLeft === null ? [] : [`${roughly(secondsLeft)} ${left}`])];
  if (state === 'waiting') return [ahead ? 'waits for the calibration before it' : 'waits for its turn', ...(begun ? far : [])];
  return [state, ...far];
}

/** What a calibration asks, and how long that takes. */
export function taking({ prompts, heldOut, seconds }: CalibrationEstimate): string {
  const time = seconds === null ? 'how long is known once this target wrote something' : roughly(seconds);
  return `${plural(prompts, 'prompt')}, ${count(heldOut)} of them answered in every way of drafting; ${time}.`;
}

/** Whether a calibration that is done is used. */
export function use({ inForce, stale, appliedAt, revertedAt }: Calibration): string {
  if (stale !== null) return 'stale';
  if (appliedAt === null) return 'not applied';
  if (inForce) return `in force since ${day(appliedAt)}`;
  if (revertedAt !== null) return `applied ${day(appliedAt)}, reverted ${day(revertedAt)}`;
  return `applied ${day(appliedAt)}, not in force`;
}

/** What the row of a calibration is called: there may be several of one pair. */
export function titled(pair: string, { createdAt }: Calibration): string {
  return `${pair}, ${dateAndTime(createdAt)}`;
}

/** What became of a calibration, in a sentence. */
export function news(pair: string, { state, failure, recommendation }: Calibration): string {
  if (state === 'failed') return `The calibration of ${pair} has failed: ${failure ?? ''}`;
  return `The calibration of ${pair} is done. ${recommendation?.sentence ?? ''}`.trimEnd();
}

/** What was done to follow what a calibration recommends. */
export function followed(pair: string, mode: CalibrationMode, applied: boolean): string {
  const how = mode.mode === 'fixed' ? `a fixed γ of ${mode.gamma}` : `the schedule ${modeOf(mode)}`;
  const now = mode.mode === 'plain' ? 'Chats now decode plainly: γ is 0.' : `Chats now use ${pair} with ${how}.`;
  return applied ? `The calibration is in force. ${now}` : now;
}

/** What else has to be set for a calibration to be used, if something has. */
export function lacking({ thinking, precision }: Calibrated, next: Calibrated | null): string | null {
  const other = [
    ...(next?.thinking === thinking ? [] : [`thinking ${thinking ? 'on' : 'off'}`]),
    ...(next?.precision === precision ? [] : [`the number type ${precision === 'float32' ? 'float32' : 'as stored'}`]),
  ];
  return other.length === 0 ? null : `It holds with ${other.join(' and ')}, which you set in the inspector.`;
}

/** What goes when a calibration is forgotten. */
export function loss({ inForce, state, writing }: Calibration): string {
  if (writing === 'done') return 'Its samples and its report are deleted. What it wrote into dspark.json stays there, and can be taken out only before.';
  if (inForce) return 'It is in force: the one that was applied before it takes its place, or none. Its samples and its report are deleted.';
  return state === 'done' ? 'Its samples and its report are deleted.' : 'Its samples are deleted, so it cannot go on.';
}

export function modeOf(mode: CalibrationMode): string {
  if (mode.mode === 'fixed') return `γ ${mode.gamma}`;
  return { plain: 'Plain', thresholds: 'Thresholds', auto: 'Auto' }[mode.mode];
}

export const sameMode = (one: CalibrationMode, other: CalibrationMode) => modeOf(one) === modeOf(other);

/** "1.31 to 1.49", or nothing where there were too few prompts, or it is what everything is held against. */
export function spread({ low, high }: Interval, digits: number): string {
  return low === null || high === null || low === high ? '' : `${decimal(low, digits)} to ${decimal(high, digits)}`;
}

/** "0.131 → 0.024" */
export function change(raw: number | null, calibrated: number | null, digits: number): string {
  return `${decimal(raw, digits)} → ${decimal(calibrated, digits)}`;
}

/** A threshold, and what its ends mean. */
export function thresholdOf({ position, threshold }: CalibrationPosition): string {
  if (threshold === 0) return position === 1 ? 'always kept' : 'keeps all';
  return threshold >= 1 ? 'keeps none' : decimal(threshold, 2);
}
