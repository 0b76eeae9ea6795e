// The controls that are numbers to type, with a word on each.
import type { Controls } from '../backend/backend';

type Numbers = 'topP' | 'topK' | 'minP' | 'repetition' | 'presence' | 'frequency' | 'seed' | 'maxTokens' | 'context';

/** A control that is a number; `unset` is typed for one that may be nothing. */
export type Field = { name: Numbers & keyof Controls; label: string; does: string; min: number; max: number; step: number; unset?: number };

export const sampling: readonly Field[] = [
  { name: 'topP', label: 'Top-p', does: 'Keeps the likeliest tokens up to this share. 1 keeps all.', min: 0.01, max: 1, step: 0.01 },
  { name: 'topK', label: 'Top-k', does: 'Keeps this many of the likeliest tokens. 0 keeps all.', min: 0, max: 1000, step: 1 },
  { name: 'minP', label: 'Min-p', does: 'Keeps tokens this likely beside the likeliest. 0 keeps all.', min: 0, max: 1, step: 0.01 },
  { name: 'repetition', label: 'Repetition', does: 'Makes tokens rarer that stand there. 1 is off.', min: 0.01, max: 100, step: 0.05 },
  { name: 'presence', label: 'Presence', does: 'Taken off their logit once. 0 is off.', min: -100, max: 100, step: 0.1 },
  { name: 'frequency', label: 'Frequency', does: 'Taken off for each time they stand there. 0 is off.', min: -100, max: 100, step: 0.1 },
  { name: 'seed', label: 'Seed', does: 'The same seed draws the same text again.', min: 0, max: 4294967295, step: 1 },
];

export const maxTokens: Field = {
  name: 'maxTokens',
  label: 'Max tokens',
  does: 'Where an answer ends at the latest.',
  min: 1,
  max: 131072,
  step: 1,
};

export const context: Field = {
  name: 'context',
  label: 'Context',
  does: 'The most tokens of prompt and answer. 0: as many as the target can read.',
  min: 0,
  max: 1048576,
  step: 1,
  unset: 0,
};
