import type { Course, Frame, Message, Phase, Round, Standing } from '../backend/backend';
import { Confidences, type Surviving } from '../calibrate/confidences';
import { type Reading, Tally } from '../chart/reading';
import type { Traced } from '../provenance/traced.svelte';
import { Lengths, type Drafting } from '../inspector/course';
import { Source } from '../markdown/source.svelte';

const order: Record<Phase['kind'], number> = {
  waiting: 0,
  loading: 1,
  prefill: 2,
  measuring: 3,
  decoding: 4,
  ended: 5,
};

/** A running answer, built from frames. A frame that was seen before, comes late or overlaps changes nothing twice. */
export class Answer {
  thought = $state.raw(new Source());
  text = $state.raw(new Source());
  /** How much of the text was there before the answer went on, in characters. */
  before = 0;
  /** How long it has been thinking: the rounds that wrote a thought. */
  thoughtSeconds = $state(0);
  phase = $state.raw<Phase>({ kind: 'waiting' });
  /** Itself as its tokens; null unless somebody looks at these while it runs. */
  traced = $state.raw<Traced | null>(null);
  /** How long this window took to draw it. */
  drawnSeconds = $state(0);
  readonly conversation: number;
  readonly message: number;
  readonly final: Message | null = $derived(this.phase.kind === 'ended' ? this.phase.message : null);
  readonly reading: Reading = $derived.by(() => {
    void this.#counted;
    return this.#tally.reading();
  });
  /** How sure the drafter was of each position, and what stood. */
  readonly surviving: readonly Surviving[] = $derived.by(() => {
    void this.#counted;
    return this.#confidences.surviving();
  });
  /** Where drafting stands; null before it begins and when the answer is over. */
  readonly drafting: Drafting | null = $derived.by(() => {
    const { phase } = this;
    if (phase.kind !== 'decoding') return null;
    void this.#counted;
    return { speculation: phase.speculation, course: this.#course, standing: this.#standing, lately: this.#lengths.lately() };
  });
  #course = $state.raw<Course>('drafting');
  #standing = $state.raw<Standing | null>(null);
  readonly #tally = new Tally();
  readonly #confidences = new Confidences();
  readonly #lengths = new Lengths();
  readonly #ahead = new Map<number, Round>();
  #counted = $state(0);

  constructor(conversation: number, message: number) {
    this.conversation = conversation;
    this.message = message;
  }

  apply(frame: Frame): void {
    if (frame.message !== this.message) return;
    // As its tokens it is seen when it is over: those that were there before come with the others.
    if (frame.written) this.traced = null;
    this.traced?.add(frame.firstRound, frame.rounds);
    if (frame.written && this.#counted === 0) {
      this.thought = Source.of(frame.written.thought);
      this.text = Source.of(frame.written.text);
      this.before = this.text.length;
    }
    frame.rounds.forEach((round, index) => {
      const number = frame.firstRound + index;
      if (number >= this.#counted) this.#ahead.set(number, round);
    });
    this.#count();
    if (this.#advances(frame.phase)) this.phase = frame.phase;
    if (!this.final) return;
    this.thought = Source.of(this.final.thought);
    this.text = Source.of(this.final.text);
  }

  // Rounds count in order; one that arrives before its predecessor waits for it.
  #count(): void {
    let counted = this.#counted;
    let thought = '';
    let text = '';
    for (let round = this.#ahead.get(counted); round; round = this.#ahead.get(counted)) {
      this.#ahead.delete(counted);
      this.#tally.add(round);
      this.#confidences.add(round);
      this.#lengths.add(round);
      thought += round.thought;
      text += round.text;
      this.#course = round.course;
      this.#standing = round.turn ?? this.#standing;
      if (round.thought !== '') this.thoughtSeconds += round.seconds;
      counted += 1;
    }
    if (counted === this.#counted) return;
    this.#counted = counted;
    if (this.final) return;
    this.thought.append(thought);
    this.text.append(text);
  }

  #advances(next: Phase): boolean {
    const now = this.phase;
    if (now.kind === 'prefill' && next.kind === 'prefill') return next.done >= now.done;
    if (now.kind === 'ended') return false;
    return order[next.kind] >= order[now.kind];
  }
}
