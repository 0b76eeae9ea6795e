import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Download, sentence } from '../backend/backend';

const over = (job: Download) => job.state === 'done' || job.state === 'cancelled' || job.state === 'failed';

/** The jobs that bring models here. */
export class Downloads {
  all = $state.raw<Download[]>([]);
  failure = $state<string | null>(null);
  /** Those that came to their end last, or stopped by themselves, all at once. */
  ended = $state.raw<Download[]>([]);
  /** Why the last thing that was asked of a job did not happen, by its id. */
  readonly refusals = new SvelteMap<number, string>();
  readonly running = $derived(this.all.find(({ state }) => state === 'running') ?? null);
  readonly #backend: Backend;
  readonly #over: (jobs: Download[]) => void;

  /** `over` is called with those that are over and were not before. */
  constructor(backend: Backend, over: (jobs: Download[]) => void) {
    this.#backend = backend;
    this.#over = over;
  }

  async watch(): Promise<void> {
    let first = true;
    try {
      await this.#backend.watchDownloads((all) => {
        if (first) this.all = all;
        else this.#take(all);
        first = false;
      });
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** The job that brings this commit, if one is not over. */
  coming(repo: string, commit: string): Download | null {
    return this.all.find((job) => job.repo === repo && job.commit === commit && !over(job)) ?? null;
  }

  pause = (id: number) => this.#ask(id, (backend) => backend.pauseDownload(id));
  resume = (id: number) => this.#ask(id, (backend) => backend.resumeDownload(id));
  cancel = (id: number) => this.#ask(id, (backend) => backend.cancelDownload(id));

  async forget(id: number): Promise<void> {
    await this.#ask(id, (backend) => backend.forgetDownload(id));
    if (!this.refusals.has(id)) this.all = this.all.filter((job) => job.id !== id);
  }

  /** Shows its repo's page in the browser. */
  openPage({ id, repo }: Download): Promise<void> {
    return this.#ask(id, (backend) => backend.openPage(repo));
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
    this.#take(known ? this.all.map((job) => (job.id === now.id ? now : job)) : [...this.all, now]);
  }

  #take(all: Download[]): void {
    const before = new Map(this.all.map((job) => [job.id, job.state]));
    const changed = all.filter(({ id, state }) => before.get(id) !== state);
    this.all = all;
    const stopped = changed.filter((job) => over(job) || job.reason !== null);
    if (stopped.length > 0) this.ended = stopped;
    const ended = changed.filter(over);
    if (ended.length > 0) this.#over(ended);
  }
}
