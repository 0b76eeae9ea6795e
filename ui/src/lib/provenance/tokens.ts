// From what a round did to tokens that can be looked at one by one.
import type { Provenance, Trace } from '../backend/backend';
import { neutral } from '../markdown/neutral';

/** Where a token comes from; one that was drafted and did not stand is rejected. */
export type Kind = Provenance | 'rejected';

export type Token = {
  kind: Kind;
  /** As it is shown: nothing in it turns or hides other text. */
  text: string;
  /** Its place in the answer, from 1; of a rejected one the place that it would have had. */
  place: number;
  /** Its place in the draft, from 1; null if it was not drafted. */
  drafted: number | null;
  /** The drafter's confidence, as it says it and as a calibration scales it; null without one. */
  confidence: number | null;
  calibrated: number | null;
  /** Its probability to the target and to the drafter; null where that was not recorded. */
  p: number | null;
  q: number | null;
  /** The number of its round, from 1. */
  round: number;
};

/** What each kind means. */
export const meanings: Record<Kind, string> = {
  accepted: 'drafted, and the target agreed',
  bonus: 'the target’s own, behind a draft that stood as a whole',
  resampled: 'the target’s own, in place of a drafted one',
  rejected: 'drafted, and not what the target writes',
  plain: 'the target’s own; nothing was drafted',
};

/** The tokens of the round of this number, the first of which has this place in the answer; those that were rejected stand where they failed. */
export function tokensOf(trace: Trace, round: number, place: number): Token[] {
  const { pieces, provenance, rejected, confidences, calibrated, p, q, ownP } = trace;
  const of = (kind: Kind, piece: string, at: number, drafted: number | null): Token => {
    const told = (numbers: readonly number[]) => (drafted === null ? null : (numbers[drafted - 1] ?? null));
    return {
      kind,
      text: visible(piece, kind !== 'rejected'),
      place: place + at,
      drafted,
      confidence: told(confidences),
      calibrated: told(calibrated),
      p: drafted === null ? ownP : told(p),
      q: told(q),
      round,
    };
  };
  const emitted = pieces.map((piece, at) => {
    const kind = provenance[at] ?? 'plain';
    return of(kind, piece, at, kind === 'accepted' ? at + 1 : null);
  });
  const accepted = emitted.filter(({ kind }) => kind === 'accepted').length;
  const ghosts = rejected.map((piece, at) => of('rejected', piece, accepted + at, accepted + at + 1));
  return [...emitted.slice(0, accepted), ...ghosts, ...emitted.slice(accepted)];
}

/** A piece of text with what cannot be seen in it; lines break only where it was written. */
function visible(piece: string, written: boolean): string {
  if (piece === '') return '∅';
  return neutral(piece).replaceAll('\t', '⇥\t').replaceAll('\n', written ? '↵\n' : '↵');
}
