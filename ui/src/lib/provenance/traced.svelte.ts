import type { Round, Trace } from '../backend/backend';
import { Confidences, type Surviving } from '../calibrate/confidences';
import { Line, type Stretches } from '../chart/line';
import { type Spent, nothingSpent, spending } from './spent';
import { type Kind, type Token, tokensOf } from './tokens';

/** Tokens of a group, and of a paragraph before the next line may begin another: what is drawn anew when a token comes stays small. */
const [few, many] = [48, 120];

/** Tokens side by side. */
export class Group {
  tokens = $state.raw<readonly Token[]>([]);
  /** Which of the answer's tokens its first is, from 0. */
  readonly first: number;

  constructor(first: number) {
    this.first = first;
  }
}

/** Groups that end with a line. */
export class Paragraph {
  groups = $state.raw<readonly Group[]>([]);
  length = 0;
}

export type Counts = Readonly<Record<Kind, number>>;

/** An answer as its tokens. Only its end changes while it grows. */
export class Traced {
  paragraphs = $state.raw<readonly Paragraph[]>([]);
  counts = $state.raw<Counts>({ accepted: 0, bonus: 0, resampled: 0, rejected: 0, plain: 0 });
  /** What its rounds took. */
  spent = $state.raw<Spent>(nothingSpent);
  /** How each round went. */
  readonly each: Pick<Round, 'tokens' | 'proposed' | 'accepted' | 'confidences' | 'calibrated' | 'seconds'>[] = [];
  readonly #tokens: Token[] = [];
  #places = 0;

  /** How many rounds it has. */
  get rounds(): number {
    return this.each.length;
  }

  /** How many tokens it has, those that were rejected among them. */
  get length(): number {
    return this.#tokens.length;
  }

  at(index: number): Token | null {
    return this.#tokens[index] ?? null;
  }

  /** In which paragraph a token stands. */
  paragraphOf(index: number): number {
    return this.paragraphs.findLastIndex(({ groups }) => groups[0]!.first <= index);
  }

  /** Adds the rounds that it does not have yet, the first of which has this number, from 0. */
  add(first: number, traces: readonly Trace[]): void {
    if (first > this.rounds) return;
    const counts = { ...this.counts };
    for (const trace of traces.slice(this.rounds - first)) {
      const { pieces, provenance, rejected, confidences, calibrated, seconds } = trace;
      const accepted = provenance.filter((kind) => kind === 'accepted').length;
      this.each.push({ tokens: pieces.length, proposed: accepted + rejected.length, accepted, confidences, calibrated, seconds });
      this.spent = spending(this.spent, trace);
      for (const token of tokensOf(trace, this.rounds, this.#places + 1)) {
        counts[token.kind] += 1;
        this.#put(token);
      }
      this.#places += pieces.length;
    }
    this.counts = counts;
  }

  /** What so many of its rounds come to, the last ones. */
  last(count: number): { course: Stretches; surviving: Surviving[] } {
    const [line, confidences] = [new Line(), new Confidences()];
    for (const round of this.each.slice(Math.max(0, this.rounds - count))) {
      line.add(round.tokens);
      confidences.add(round);
    }
    return { course: line.stretches(), surviving: confidences.surviving() };
  }

  #put(token: Token): void {
    let paragraph = this.paragraphs.at(-1);
    const ends = this.#tokens.at(-1)?.text.endsWith('\n') ?? false;
    const begins = token.text.startsWith('↵\n');
    if (!paragraph || (paragraph.length >= many && (ends || begins))) {
      // The paragraph is a line of its own: one that the token begins is there already.
      if (paragraph && !ends) token.text = token.text.replace('\n', '');
      paragraph = new Paragraph();
      this.paragraphs = [...this.paragraphs, paragraph];
    }
    let group = paragraph.groups.at(-1);
    if (!group || group.tokens.length >= few) {
      group = new Group(this.#tokens.length);
      paragraph.groups = [...paragraph.groups, group];
    }
    group.tokens = [...group.tokens, token];
    paragraph.length += 1;
    this.#tokens.push(token);
  }
}
