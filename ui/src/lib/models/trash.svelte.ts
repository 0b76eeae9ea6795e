import { type Backend, type Model, type Trashed, sentence } from '../backend/backend';
import type { Files } from './files.svelte';
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
  readonly #files: Files;

  constructor(backend: Backend, models: Models, files: Files) {
    this.#backend = backend;
    this.#models = models;
    this.#files = files;
  }

  load(): Promise<void> {
    return this.#attempt(async () => {
      this.all = await this.#backend.trash();
    });
  }

  /** Rejects with the sentence to show. */
  async remove(id: string): Promise<void> {
    const name = this.#models.name(id);
    const isTarget = this.#models.find(id)?.role === 'target';
    await this.#models.remove(id);
    this.#files.forget(id);
    const orphans = this.last?.orphans ?? [];
    // Whoever removes one of them may want to remove the others too.
    const isOrphan = orphans.some((orphan) => orphan.id === id);
    this.last = { id, name, orphans: isOrphan ? orphans.filter((orphan) => orphan.id !== id) : [] };
    this.freed = null;
    await this.load();
    if (isTarget) await this.#lookForOrphans(id);
  }

  /** Which they are takes a look at every drafter, and is offered when it is known. */
  async #lookForOrphans(id: string): Promise<void> {
    // Nobody is asked to remove what cannot be told.
    const orphans = await this.#backend.orphans(id).catch(() => []);
    if (this.last?.id === id && orphans.length > 0) this.last = { ...this.last, orphans };
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
