import { type Backend, type Model, type Trashed, sentence } from '../backend/backend';
import type { Models } from './models.svelte';

/** What was removed last, and the drafters that nothing uses since. */
export type Removal = { id: string; name: string; orphans: Model[] };

/** Models that were removed, until they are removed for good. */
export class Trash {
  all = $state.raw<Trashed[]>([]);
  last = $state.raw<Removal | null>(null);
  failure = $state<string | null>(null);
  /** What emptying it freed, bytes. */
  freed = $state<number | null>(null);
  readonly #backend: Backend;
  readonly #models: Models;

  constructor(backend: Backend, models: Models) {
    this.#backend = backend;
    this.#models = models;
  }

  load(): Promise<void> {
    return this.#attempt(async () => {
      this.all = await this.#backend.trash();
    });
  }

  /** Rejects with the sentence to show. */
  async remove(id: string): Promise<void> {
    const name = this.#models.name(id);
    const orphans = await this.#models.remove(id);
    const still = this.last?.orphans.filter((orphan) => orphan.id !== id) ?? [];
    this.last = { id, name, orphans: orphans.length > 0 ? orphans : still };
    this.freed = null;
    await this.load();
  }

  restore(id: string): Promise<void> {
    return this.#attempt(async () => {
      await this.#models.restore(id);
      if (this.last?.id === id) this.last = null;
      this.all = await this.#backend.trash();
    });
  }

  empty(): Promise<void> {
    return this.#attempt(async () => {
      this.freed = await this.#backend.emptyTrash();
      this.last = null;
      this.all = await this.#backend.trash();
    });
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }
}
