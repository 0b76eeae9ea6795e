import { type Backend, type Found, sentence } from '../backend/backend';

/** Finding what was said. */
export class Search {
  /** What was found last, and for which words; null until something was looked for. */
  found = $state.raw<{ words: string; all: Found[] } | null>(null);
  failure = $state<string | null>(null);
  readonly #backend: Backend;
  #words = $state('');
  #looking = false;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get words(): string {
    return this.#words;
  }

  set words(words: string) {
    this.#words = words;
    void this.#look();
  }

  /** Looks once more: what was found may be gone. */
  async again(): Promise<void> {
    this.found = null;
    await this.#look();
  }

  // One question at a time; what was typed meanwhile is asked next.
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      while (this.#words.trim() !== '' && this.found?.words !== this.#words) {
        const words = this.#words;
        this.found = { words, all: await this.#backend.search(words) };
        this.failure = null;
      }
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.#looking = false;
    }
  }
}
