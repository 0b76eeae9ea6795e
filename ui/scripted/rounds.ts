// Rounds of answers, made from their texts.
import type { Message, Round, Trace } from '../src/lib/backend/backend';

/** Rounds that write `text`, accepting less the further out a position is; the same ones every time. */
export function rounds(text: string, gamma: number): Round[] {
  const tokens = text.match(/\s*[^\s]{1,5}/g) ?? [];
  const result: Round[] = [];
  let state = 7;
  const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
  for (let at = 0; at < tokens.length; ) {
    let accepted = 0;
    while (accepted < gamma && random() < 0.86 - 0.05 * accepted) accepted += 1;
    const taken = tokens.slice(at, at + accepted + 1);
    at += accepted + 1;
    const confidences = Array.from({ length: gamma }, (_, index) => 0.9 - 0.07 * index);
    const own = taken.length > accepted;
    const guessed = ['\n', ' the', ' of', ' and', ' then', ' a', ' it'];
    const rejected = own ? Array.from({ length: gamma - accepted }, (_, index) => guessed[(at + index) % guessed.length]!) : [];
    const last = gamma === 0 ? 'plain' : accepted === gamma ? 'bonus' : 'resampled';
    result.push({
      thought: '',
      text: taken.join(''),
      pieces: taken,
      provenance: taken.map((_, index) => (index < accepted ? 'accepted' : last)),
      rejected,
      p: [],
      q: [],
      ownP: null,
      cut: 0,
      draftSeconds: gamma === 0 ? null : 0.014,
      verifySeconds: gamma === 0 ? null : 0.0358,
      deviceSeconds: 0.0482,
      tokens: taken.length,
      proposed: gamma,
      accepted: Math.min(accepted, taken.length),
      confidences,
      calibrated: [],
      bound: 'limit',
      course: 'drafting',
      turn: null,
      seconds: 0.05,
      waits: 1,
    });
  }
  return result;
}

/** The same rounds of an answer that was observed. */
export function observed(all: readonly Round[]): Round[] {
  const likely = (at: number, of: number) => 0.97 - 0.11 * at - 0.04 * of;
  return all.map((round, number) => ({
    ...round,
    p: round.confidences.map((_, at) => (at < round.accepted ? likely(at, number % 3) : 0.02 / (at + 1))),
    q: round.confidences.map((_, at) => likely(at, number % 5)),
    ownP: round.tokens > round.accepted ? 0.64 : null,
  }));
}

/** What the rounds of these answers did, by their messages; the first was observed. */
export function traces(written: ReadonlyMap<number, readonly Message[]>): Map<number, Trace[]> {
  const answers = [...written.values()].flat().filter(({ outcome }) => outcome !== null);
  const of = ({ id, thought, text, outcome }: Message, index: number): [number, Trace[]] => {
    const all = rounds(`${thought}${text}`, outcome?.speculation.kind === 'on' ? 5 : 0);
    return [id, index === 0 ? observed(all) : all];
  };
  return new Map(answers.map(of));
}
