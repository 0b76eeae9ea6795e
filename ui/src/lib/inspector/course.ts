// What really runs, in words: the schedule with its γ, and what becomes of it.
import type { Course, Speculation, Standing } from '../backend/backend';
import { decimal, milliseconds, percent } from '../format';

/** Where drafting stands in a running answer. */
export type Drafting = {
  speculation: Speculation;
  course: Course;
  /** What it was worth when it was judged last; null if that was before this answer, or never. */
  standing: Standing | null;
};

/** "auto, γ up to 7", or "fixed, γ 3". */
export function ran(speculation: Speculation, minConf: number | null = null): string {
  if (speculation.kind === 'off') return 'plain';
  const { schedule, limit, calibrated } = speculation;
  const judged = minConf !== null && (schedule === 'thresholds' || schedule === 'gate');
  const gamma = `γ ${schedule === 'fixed' ? '' : 'up to '}${limit}`;
  return [schedule, gamma, ...(judged ? [`minConf ${percent(minConf)}`] : []), ...(calibrated ? ['calibrated'] : [])].join(', ');
}

/** What a running answer does at the moment. */
export function status({ speculation, course, standing }: Drafting): string {
  if (speculation.kind === 'off') return `plain decoding: ${speculation.reason}`;
  if (course === 'comparing') return 'comparing: a plain step';
  if (course === 'parked') return standing ? `parked: ${worth(standing)}` : 'parked: drafting lost time before this answer';
  return `drafting, ${ran(speculation)}`;
}

function worth({ tokensPerRound, roundSeconds, plainSeconds }: Standing): string {
  const plain = milliseconds(plainSeconds);
  return `${decimal(tokensPerRound, 2)} tokens a round at ${milliseconds(roundSeconds)}, against ${plain} a plain step`;
}
