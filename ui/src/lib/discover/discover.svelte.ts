import { type Backend, type CataloguePair, type Hit, Refusal, type Wanted, sentence } from '../backend/backend';
import type { Models } from '../models/models.svelte';
import { suits } from './suits';

/** How long nobody types before the Hub is asked, milliseconds. */
const pause = 300;

/** What the Hub has, and the pairs that are known without asking it. */
export class Discover {
  text = $state('');
  wanted = $state<Wanted>('all');
  #target = $state<string | null>(null);
  hits = $state.raw<Hit[]>([]);
  next = $state<string | null>(null);
  searching = $state(false);
  failure = $state<string | null>(null);
  /** Why there are no more of them, while those that were found stay. */
  moreFailure = $state<string | null>(null);
  offline = $state(false);
  pairs = $state.raw<CataloguePair[]>([]);
  readonly #backend: Backend;
  readonly #models: Models;
  /** The hits that may be for the target, by their names and tags. */
  readonly shown = $derived.by(() => this.hits.filter(({ repo, baseModels }) => this.#suits([repo, ...baseModels])));
  readonly shownPairs = $derived.by(() => this.pairs.filter(({ target }) => this.#suits([target])));
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the questions: only the answer to the latest counts. */
  #asked = 0;

  constructor(backend: Backend, models: Models) {
    this.#backend = backend;
    this.#models = models;
  }

  /** The id of the target that drafters are looked for, as long as it is in the list. */
  get target(): string | null {
    return this.#models.find(this.#target)?.id ?? null;
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
    if (wanted !== 'drafters') this.#target = null;
    if (this.text.trim() !== '') this.again();
  }

  /** Looks for drafters for this target, or no longer for one in particular. */
  chooseTarget(id: string | null): void {
    this.#target = id;
    if (id !== null && this.wanted !== 'drafters') this.choose('drafters');
  }

  again(): void {
    this.#forget();
    void this.#ask(null);
  }

  async more(): Promise<void> {
    if (this.next !== null && !this.searching) await this.#ask(this.next);
  }

  #suits(names: string[]): boolean {
    const target = this.#models.find(this.target);
    return target === null || suits(target, names);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.searching = false;
    this.failure = null;
    this.moreFailure = null;
    this.offline = false;
    this.hits = [];
    this.next = null;
  }

  async #ask(cursor: string | null): Promise<void> {
    const mine = (this.#asked += 1);
    this.searching = true;
    this.failure = null;
    this.moreFailure = null;
    try {
      const { hits, next } = await this.#backend.discover(this.text.trim(), this.wanted, cursor);
      if (mine !== this.#asked) return;
      // What moves up while somebody reads comes again on the next page.
      const known = new Map([...this.hits, ...hits].map((hit) => [hit.repo.toLowerCase(), hit]));
      this.hits = [...known.values()];
      this.next = next;
    } catch (reason) {
      if (mine !== this.#asked) return;
      if (cursor === null) this.failure = sentence(reason);
      else this.moreFailure = sentence(reason);
      this.offline = reason instanceof Refusal && reason.code === 'goOnline';
    }
    this.searching = false;
  }
}
