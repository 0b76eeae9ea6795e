import { type Backend, type Got, type Offer, Refusal, sentence } from '../backend/backend';

/** The repo that somebody looks at, and what the Hub offers of it. */
export class Chosen {
  repo = $state<string | null>(null);
  revision = $state('main');
  offer = $state.raw<Offer | null>(null);
  loading = $state(false);
  getting = $state(false);
  failure = $state<string | null>(null);
  /** What can be done about the failure. */
  code = $state<string | null>(null);
  readonly #backend: Backend;
  /** Counts the questions: only the answer to the latest counts. */
  #asked = 0;
  /** Counts what is shown: what came of getting something else is not said of it. */
  #shown = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  open(repo: string): void {
    this.repo = repo;
    this.revision = 'main';
    void this.look();
  }

  close(): void {
    this.#asked += 1;
    this.#shown += 1;
    this.repo = null;
    this.offer = null;
  }

  look(): Promise<void> {
    this.#shown += 1;
    this.offer = null;
    return this.again();
  }

  /** Asks anew about what is shown, because something on this machine has changed. */
  async again(): Promise<void> {
    const repo = this.repo;
    if (repo === null) return;
    const mine = (this.#asked += 1);
    this.loading = true;
    this.#say(null);
    try {
      const offer = await this.#backend.offer(repo, this.revision.trim() || 'main');
      if (mine === this.#asked) this.offer = offer;
    } catch (reason) {
      if (mine === this.#asked) {
        this.offer = null;
        this.#say(reason);
      }
    }
    if (mine === this.#asked) this.loading = false;
  }

  /** What came of it; null if it was refused. */
  async get(copy: boolean): Promise<Got | null> {
    if (!this.offer || this.getting) return null;
    const mine = this.#shown;
    this.getting = true;
    this.#say(null);
    try {
      return await this.#backend.get(this.offer.repo, this.offer.commit, copy);
    } catch (reason) {
      if (mine === this.#shown) this.#say(reason);
      return null;
    } finally {
      this.getting = false;
    }
  }

  async openPage(): Promise<void> {
    if (this.repo === null) return;
    const mine = this.#shown;
    await this.#backend.openPage(this.repo).catch((reason) => mine === this.#shown && this.#say(reason));
  }

  #say(reason: unknown): void {
    this.failure = reason === null ? null : sentence(reason);
    this.code = reason instanceof Refusal ? reason.code : null;
  }
}
