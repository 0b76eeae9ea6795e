// The schedules to choose from, with a word on each.
import type { CalibrationMode, Controls, Model, Schedule } from '../backend/backend';
import { gammaFor } from './effect';

type Choice = { value: Schedule; label: string; does: string; judges: boolean };

export const schedules: readonly Choice[] = [
  { value: 'auto', label: 'Auto', does: 'As long as it pays here; parked while it loses.', judges: false },
  { value: 'fixed', label: 'Fixed', does: 'Always γ tokens.', judges: false },
  { value: 'thresholds', label: 'Thresholds', does: 'Ends where a confidence is too low; the first token stays.', judges: true },
  { value: 'gate', label: 'Gate', does: 'Ends where a confidence is below minConf, the first too.', judges: true },
  { value: 'adaptive', label: 'Adaptive', does: 'Longer while drafts stand, shorter while they fail.', judges: false },
];

/** Whether this drafter can follow the schedule. */
export function fits({ judges }: Choice, drafter: Model | null): boolean {
  return !judges || drafter?.drafts?.confident !== false;
}

/** The schedule that settles how long drafts are: where auto is given a length or a threshold, that is obeyed instead. */
export function settled({ schedule, gamma, minConf }: Controls, drafter: Model | null): Schedule {
  if (schedule !== 'auto' || (gamma === null && minConf === null)) return schedule;
  return drafter?.drafts?.confident === false ? 'fixed' : 'thresholds';
}

/** What the chosen schedule does, or what it lacks. */
export function scheduleDoes({ schedule, gamma, minConf }: Controls, drafter: Model | null): string {
  const chosen = schedules.find(({ value }) => value === schedule);
  if (!chosen) return '';
  if (!fits(chosen, drafter)) return 'It needs a confidence, and this drafter has none: pick another.';
  if (schedule === 'gate' && minConf === null) return 'It needs a threshold: set minConf.';
  if (schedule === 'auto' && (gamma !== null || minConf !== null)) return 'γ or minConf is set, and decides.';
  return chosen.does;
}

/** What a chat is set to, to draft in this way. */
export function controlsOf(mode: CalibrationMode): Partial<Controls> {
  if (mode.mode === 'plain') return { schedule: 'fixed', gamma: 0 };
  if (mode.mode === 'fixed') return { schedule: 'fixed', gamma: mode.gamma };
  return { schedule: mode.mode, gamma: null, minConf: null };
}

/** Whether the next answer drafts in this way. */
export function draftsBy(mode: CalibrationMode, controls: Controls, drafter: Model | null): boolean {
  const { schedule, gamma, minConf } = { ...controls, ...controlsOf(mode) };
  const long = gamma === null ? controls.gamma === null : gammaFor(controls, drafter) === gamma;
  return long && controls.schedule === schedule && controls.minConf === minConf;
}
