import type { Message } from '../backend/backend';
import type { Surviving } from '../calibrate/confidences';
import { type Reading, nothingYet, readingOf } from '../chart/reading';
import type { Known } from '../provenance/provenance.svelte';
import type { Answer } from './answer.svelte';

/** What is drawn of an answer: what it was worth, and how sure its drafter was. */
export type Charted = { reading: Reading; surviving: readonly Surviving[] };

export const nothingCharted: Charted = { reading: nothingYet, surviving: [] };

/** An answer as it was just watched, or else as it was kept. */
export function charted({ outcome }: Message, live: Answer | null, known: Known | null): Charted {
  const stats = outcome?.stats;
  if (live) {
    const { final, reading, surviving } = live;
    return { reading: final && stats ? readingOf(stats, reading.course) : reading, surviving };
  }
  if (!stats) return nothingCharted;
  // The numbers of one that went on are those of its rest.
  const rounds = known?.kind === 'known' ? known.traced?.last(stats.rounds) : null;
  return { reading: readingOf(stats, rounds?.course ?? null), surviving: rounds?.surviving ?? [] };
}
