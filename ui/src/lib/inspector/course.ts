// What really runs, in words: the schedule with its γ, and what becomes of it.
import type { Bound, Course, Round, Speculation, Standing } from '../backend/backend';
import { decimal, milliseconds, percent } from '../format';

/** Where drafting stands in a running answer. */
export type Drafting = {
  speculation: Speculation;
  course: Course;
  /** What it was worth when it was judged last; null if that was before this answer, or never. */
  standing: Standing | null;
  lately: Lately | null;
};

/** How long the last drafts were that the target judged, on average, and what ended most of them. */
export type Lately = { length: number; bound: Bound };

/** Rounds that count as the last: what is said of them must not change with each. */
const last = 32;

/** How long the drafts of an answer were, the last ones. */
export class Lengths {
  readonly #last: Pick<Round, 'proposed' | 'bound'>[] = [];

  /** Adds a round, if it drafted. */
  add({ course, proposed, bound }: Round): void {
    // What may still be written says nothing of how drafts are.
    if (course !== 'drafting' || bound === 'budget') return;
    this.#last.push({ proposed, bound });
    if (this.#last.length > last) this.#last.shift();
  }

  lately(): Lately | null {
    const drafts = this.#last;
    if (drafts.length === 0) return null;
    const times = new Map<Bound, number>();
    for (const { bound } of drafts) times.set(bound, (times.get(bound) ?? 0) + 1);
    const [[bound]] = [...times].sort(([, one], [, other]) => other - one) as [[Bound, number]];
    return { length: drafts.reduce((sum, { proposed }) => sum + proposed, 0) / drafts.length, bound };
  }
}

const why: Record<Bound, string | null> = {
  limit: null,
  budget: null,
  drafter: 'the drafter has no more to propose',
  threshold: 'then its confidence is too low',
  acceptance: 'of the last drafts too few tokens stood',
  cost: 'one more would take longer here than it is likely to save',
};

/** "auto, γ up to 7", or "fixed, γ 3". */
export function ran(speculation: Speculation, minConf: number | null = null): string {
  if (speculation.kind === 'off') return 'plain';
  const { schedule, limit, calibrated } = speculation;
  const judged = minConf !== null && (schedule === 'thresholds' || schedule === 'gate');
  const gamma = `γ ${schedule === 'fixed' ? '' : 'up to '}${limit}`;
  return [schedule, gamma, ...(judged ? [`minConf ${percent(minConf)}`] : []), ...(calibrated ? ['calibrated'] : [])].join(', ');
}

/** What a running answer does at the moment, and why. */
export function status({ speculation, course, standing, lately }: Drafting): string {
  if (speculation.kind === 'off') return `plain decoding: ${speculation.reason}`;
  if (course === 'comparing') return 'comparing: a plain step';
  if (course === 'parked') return standing ? `parked: ${worth(standing)}` : 'parked: drafting lost time before this answer';
  const reason = lately && why[lately.bound];
  const now = reason ? `; lately ${decimal(lately.length, 1)} tokens: ${reason}` : '';
  return `drafting, ${ran(speculation)}${now}`;
}

function worth({ tokensPerRound, roundSeconds, plainSeconds }: Standing): string {
  const plain = milliseconds(plainSeconds);
  return `${decimal(tokensPerRound, 2)} tokens a round at ${milliseconds(roundSeconds)}, against ${plain} a plain step`;
}
