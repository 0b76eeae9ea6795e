import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Proof, Refusal, sentence } from '../backend/backend';

export type Verification =
  | { kind: 'running' }
  | { kind: 'done'; proof: Proof }
  /** `insist` says that it may be had all the same. */
  | { kind: 'failed'; reason: string; insist: boolean };

/** Which answers were read again by their target alone since the window opened, and what came of it. One at a time. */
export class Verifications {
  readonly running = $derived.by(() => [...this.#all.values()].some(({ kind }) => kind === 'running'));
  readonly #all = new SvelteMap<number, Verification>();
  readonly #backend: Backend;
  #stopped = false;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  of(message: number): Verification | null {
    return this.#all.get(message) ?? null;
  }

  /** Forgets what was said of an answer that is another one now. */
  forget(message: number): void {
    this.#all.delete(message);
  }

  async run(message: number, insist: boolean): Promise<void> {
    if (this.running) return;
    this.#stopped = false;
    this.#all.set(message, { kind: 'running' });
    try {
      this.#all.set(message, { kind: 'done', proof: await this.#backend.verify(message, insist) });
    } catch (reason) {
      // Whoever stopped it need not be told.
      if (this.#stopped) this.#all.delete(message);
      else {
        const insistable = reason instanceof Refusal && reason.code === 'insist';
        this.#all.set(message, { kind: 'failed', reason: sentence(reason), insist: insistable });
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    // It fails by itself if there is nobody to stop it.
    await this.#backend.stopVerifying().catch(() => null);
  }
}
