import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Download, sentence } from '../backend/backend';

/** The jobs that bring models here. */
export class Downloads {
  all = $state.raw<Download[]>([]);
  failure = $state<string | null>(null);
  /** Why the last thing that was asked of a job did not happen, by its id. */
  readonly refusals = new SvelteMap<number, string>();
  readonly running = $derived(this.all.find(({ state }) => state === 'running') ?? null);
  readonly #backend: Backend;
  readonly #arrived: () => void;

  /** `arrived` is called whenever one is done that was not before. */
  constructor(backend: Backend, arrived: () => void) {
    this.#backend = backend;
    this.#arrived = arrived;
  }

  async watch(): Promise<void> {
    let first = true;
    try {
      await this.#backend.watchDownloads((all) => {
        const before = new Set(this.all.filter(({ state }) => state === 'done').map(({ id }) => id));
        this.all = all;
        if (!first && all.some(({ id, state }) => state === 'done' && !before.has(id))) this.#arrived();
        first = false;
      });
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** The job that brings this commit, if one is not over. */
  coming(repo: string, commit: string): Download | null {
    const over = ['done', 'cancelled', 'failed'];
    return this.all.find((job) => job.repo === repo && job.commit === commit && !over.includes(job.state)) ?? null;
  }

  pause = (id: number) => this.#ask(id, (backend) => backend.pauseDownload(id));
  resume = (id: number) => this.#ask(id, (backend) => backend.resumeDownload(id));
  cancel = (id: number) => this.#ask(id, (backend) => backend.cancelDownload(id));

  async forget(id: number): Promise<void> {
    await this.#ask(id, (backend) => backend.forgetDownload(id));
    if (!this.refusals.has(id)) this.all = this.all.filter((job) => job.id !== id);
  }

  /** What is heard next is newer than what this came to. */
  async #ask(id: number, work: (backend: Backend) => Promise<Download | void>): Promise<void> {
    this.refusals.delete(id);
    try {
      const now = await work(this.#backend);
      if (now) this.put(now);
    } catch (reason) {
      this.refusals.set(id, sentence(reason));
    }
  }

  put(now: Download): void {
    const known = this.all.some(({ id }) => id === now.id);
    this.all = known ? this.all.map((job) => (job.id === now.id ? now : job)) : [...this.all, now];
  }
}
