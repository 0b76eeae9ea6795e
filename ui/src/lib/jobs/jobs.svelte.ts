import { SvelteMap } from 'svelte/reactivity';
import { type Backend, sentence } from '../backend/backend';

export type Job = { id: number; state: string };

/** Work of minutes that can be paused, in the order in which the backend lists it. */
export abstract class Jobs<J extends Job> {
  all = $state.raw<J[]>([]);
  /** Until they were heard of once. */
  loading = $state(true);
  failure = $state<string | null>(null);
  /** Those that came to their end last, all at once. */
  ended = $state.raw<J[]>([]);
  /** Why the last thing that was asked of one did not happen, by its id. */
  readonly refusals = new SvelteMap<number, string>();
  abstract readonly running: J | null;
  protected readonly backend: Backend;

  constructor(backend: Backend) {
    this.backend = backend;
  }

  async watch(): Promise<void> {
    try {
      await this.follow((all) => {
        if (this.loading) this.begin(all);
        else this.#take(all);
        this.loading = false;
      });
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** Puts one where it stands, or behind all others. */
  put(now: J): void {
    const known = this.all.some(({ id }) => id === now.id);
    this.#take(known ? this.all.map((job) => (job.id === now.id ? now : job)) : [...this.all, now]);
  }

  protected abstract follow(onList: (all: J[]) => void): Promise<void>;

  protected abstract isOver(job: J): boolean;

  /** Takes the first list. */
  protected begin(all: J[]): void {
    this.all = all;
  }

  /** These are over, and were not before. */
  protected end(jobs: J[]): void {
    this.ended = jobs;
  }

  /** Looks at once, unless something is heard meanwhile. */
  protected async reload(list: (backend: Backend) => Promise<J[]>): Promise<void> {
    const before = this.all;
    // Who watches hears of them all the same.
    const now = await list(this.backend).catch(() => null);
    if (now && this.all === before) this.#take(now);
  }

  /** Whether it happened. What is heard next is newer than what this came to. */
  protected async ask(id: number, work: (backend: Backend) => Promise<J | void>): Promise<boolean> {
    this.refusals.delete(id);
    try {
      const now = await work(this.backend);
      if (now) this.put(now);
      return true;
    } catch (reason) {
      this.refusals.set(id, sentence(reason));
      return false;
    }
  }

  /** Takes one off the list, if that is done. */
  protected async drop(id: number, work: (backend: Backend) => Promise<void>): Promise<void> {
    if (await this.ask(id, work)) this.all = this.all.filter((job) => job.id !== id);
  }

  #take(all: J[]): void {
    const before = new Map(this.all.map(({ id, state }) => [id, state]));
    this.all = all;
    const ended = all.filter((job) => this.isOver(job) && before.get(job.id) !== job.state);
    if (ended.length > 0) this.end(ended);
  }
}
