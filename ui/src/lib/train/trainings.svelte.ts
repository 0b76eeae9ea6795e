import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Training, sentence } from '../backend/backend';

const over = ({ state }: Training) => state === 'done' || state === 'stopped' || state === 'failed';

/** The drafters that are trained here, the latest first. */
export class Trainings {
  all = $state.raw<Training[]>([]);
  /** Until they were heard of once. */
  loading = $state(true);
  failure = $state<string | null>(null);
  /** Those that came to their end last, all at once. */
  ended = $state.raw<Training[]>([]);
  /** Why the last thing that was asked of a training did not happen, by its id. */
  readonly refusals = new SvelteMap<number, string>();
  /** The one whose target answers, or whose drafter learns. */
  readonly running = $derived(this.all.find(({ state }) => state === 'answering' || state === 'training') ?? null);
  readonly learning = $derived(this.running?.state === 'training' ? this.running : null);
  readonly #backend: Backend;
  readonly #over: () => void;

  /** `over` is called when some are over that were not before: there may be a new drafter. */
  constructor(backend: Backend, over: () => void) {
    this.#backend = backend;
    this.#over = over;
  }

  async watch(): Promise<void> {
    try {
      await this.#backend.watchTrainings((all) => {
        if (this.loading) this.all = all;
        else this.#take(all);
        this.loading = false;
      });
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** Looks at once, unless something is heard meanwhile. */
  async load(): Promise<void> {
    const before = this.all;
    // Who watches hears of them all the same.
    const now = await this.#backend.trainings().catch(() => null);
    if (now && this.all === before) this.#take(now);
  }

  pause = (id: number) => this.#ask(id, (backend) => backend.pauseTraining(id));
  resume = (id: number) => this.#ask(id, (backend) => backend.resumeTraining(id));
  /** Twice as long as it did: nothing shorter is promising. */
  longer = ({ id, steps }: Training) => this.#ask(id, (backend) => backend.trainLonger(id, 2 * steps));
  stop = (id: number) => this.#ask(id, (backend) => backend.stopTraining(id));

  async remove(id: number): Promise<void> {
    await this.#ask(id, (backend) => backend.removeTraining(id));
    if (!this.refusals.has(id)) this.all = this.all.filter((training) => training.id !== id);
  }

  /** What is heard next is newer than what this came to. */
  async #ask(id: number, work: (backend: Backend) => Promise<Training | void>): Promise<void> {
    this.refusals.delete(id);
    try {
      const now = await work(this.#backend);
      if (now) this.#take(this.all.map((training) => (training.id === id ? now : training)));
    } catch (reason) {
      this.refusals.set(id, sentence(reason));
    }
  }

  #take(all: Training[]): void {
    const before = new Map(this.all.map((training) => [training.id, training]));
    this.all = all;
    const ended = all.filter((training) => over(training) && before.get(training.id)?.state !== training.state);
    if (ended.length === 0) return;
    this.ended = ended;
    this.#over();
  }
}
