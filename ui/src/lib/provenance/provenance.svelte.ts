import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type How, type Message, sentence } from '../backend/backend';
import { Answer } from '../chat/answer.svelte';
import type { StoredPreferences } from '../preferences.svelte';
import { Traced } from './traced.svelte';

/** How many answers are kept as their tokens: more than are ever drawn at a time. */
const most = 200;

/** What is known of an answer's rounds; `null` says that none were kept. */
export type Known = { kind: 'loading' } | { kind: 'known'; traced: Traced | null } | { kind: 'failed'; reason: string };

/** How answers came about, for whoever wants to see it. */
export class Provenance {
  readonly #known = new SvelteMap<number, Known>();
  readonly #backend: Backend;
  readonly #preferences: StoredPreferences;

  constructor(backend: Backend, preferences: StoredPreferences) {
    this.#backend = backend;
    this.#preferences = preferences;
  }

  /** Whether answers are shown as their tokens, and the next ones are observed. */
  get on(): boolean {
    return this.#preferences.now.provenance;
  }

  /** Turns it on or off; whether an answer that runs is to be watched from its beginning for it. */
  toggle(answer: Answer | null): boolean {
    this.#preferences.change({ provenance: !this.on });
    if (!this.on || !answer || answer.final || answer.traced) return false;
    answer.traced = new Traced();
    return true;
  }

  /** How the next answer is asked for. */
  how(insist = false): How {
    return { insist, observe: this.on };
  }

  /** An answer that begins to be watched. */
  following(conversation: number, message: number): Answer {
    const answer = new Answer(conversation, message);
    if (this.on) answer.traced = new Traced();
    return answer;
  }

  /** Keeps what was watched of an answer to its end, if that is all of it; else it is to be read anew. */
  end(answer: Answer, { outcome }: Message): void {
    const { message, traced } = answer;
    if (traced && traced.rounds > 0 && traced.rounds === outcome?.stats.rounds) this.#put(message, { kind: 'known', traced });
    else {
      answer.traced = null;
      this.#known.delete(message);
    }
  }

  of(message: number): Known | null {
    return this.#known.get(message) ?? null;
  }

  /** Reads what is kept of an answer that is over, unless that is known. */
  async load(message: number): Promise<void> {
    const before = this.of(message);
    if (before !== null && before.kind !== 'failed') return;
    this.#put(message, { kind: 'loading' });
    try {
      const traces = await this.#backend.rounds(message);
      // It may have gone on meanwhile.
      if (this.of(message)?.kind !== 'loading') return;
      const traced = traces === null || traces.length === 0 ? null : new Traced();
      traced?.add(0, traces ?? []);
      this.#put(message, { kind: 'known', traced });
    } catch (reason) {
      this.#put(message, { kind: 'failed', reason: sentence(reason) });
    }
  }

  #put(message: number, known: Known): void {
    this.#known.set(message, known);
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size > most) this.#known.delete(oldest);
  }
}
