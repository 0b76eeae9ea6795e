import { type Backend, type CataloguePair, type Hit, Refusal, type Wanted, sentence } from '../backend/backend';

/** How long nobody types before the Hub is asked, milliseconds. */
const pause = 300;

/** What the Hub has, and the pairs that are known without asking it. */
export class Discover {
  text = $state('');
  wanted = $state<Wanted>('all');
  hits = $state.raw<Hit[]>([]);
  next = $state<string | null>(null);
  searching = $state(false);
  failure = $state<string | null>(null);
  offline = $state(false);
  pairs = $state.raw<CataloguePair[]>([]);
  readonly #backend: Backend;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the questions: only the answer to the latest counts. */
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async loadCatalogue(): Promise<void> {
    // Without it, there is still the search.
    this.pairs = await this.#backend.catalogue().catch(() => []);
  }

  /** Asks as soon as nobody types any more. */
  type(text: string): void {
    this.text = text;
    this.#forget();
    if (text.trim() === '') return;
    this.searching = true;
    this.#timer = setTimeout(() => void this.#ask(null), pause);
  }

  choose(wanted: Wanted): void {
    this.wanted = wanted;
    if (this.text.trim() !== '') this.again();
  }

  again(): void {
    this.#forget();
    void this.#ask(null);
  }

  more(): void {
    if (this.next !== null && !this.searching) void this.#ask(this.next);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.searching = false;
    this.failure = null;
    this.offline = false;
    this.hits = [];
    this.next = null;
  }

  async #ask(cursor: string | null): Promise<void> {
    const mine = (this.#asked += 1);
    this.searching = true;
    this.failure = null;
    try {
      const { hits, next } = await this.#backend.discover(this.text.trim(), this.wanted, cursor);
      if (mine !== this.#asked) return;
      this.hits = cursor === null ? hits : [...this.hits, ...hits];
      this.next = next;
    } catch (reason) {
      if (mine !== this.#asked) return;
      this.failure = sentence(reason);
      this.offline = reason instanceof Refusal && reason.code === 'goOnline';
    }
    this.searching = false;
  }
}
