// What the rounds of an answer took.
import type { Trace } from '../backend/backend';

/** Seconds, wall clock. */
export type Spent = {
  /** Of drafting, and of verifying and choosing tokens, in rounds where the two can be told apart. */
  draft: number;
  verify: number;
  /** Of both, in rounds where they cannot: nothing waits between them. */
  together: number;
  /** Of rounds in which nothing was drafted. */
  plain: number;
  /** Of all rounds, in which the device had something to do. */
  device: number;
};

export const nothingSpent: Spent = { draft: 0, verify: 0, together: 0, plain: 0, device: 0 };

/** The same with one more round. */
export function spending(spent: Spent, { seconds, draftSeconds, verifySeconds, deviceSeconds, provenance, cut }: Trace): Spent {
  const device = spent.device + deviceSeconds;
  if (draftSeconds !== null && verifySeconds !== null) {
    return { ...spent, draft: spent.draft + draftSeconds, verify: spent.verify + seconds - draftSeconds, device };
  }
  const plain = cut === 0 && provenance.every((each) => each === 'plain');
  return plain ? { ...spent, plain: spent.plain + seconds, device } : { ...spent, together: spent.together + seconds, device };
}

/** The seconds of all rounds. */
export function total({ draft, verify, together, plain }: Spent): number {
  return draft + verify + together + plain;
}
