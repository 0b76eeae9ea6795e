import { type Backend, type InPlace, sentence } from '../backend/backend';

/** Checkpoints in the folders of other programs. They are looked for once, and again when somebody asks. */
export class FoundPlaces {
  places = $state.raw<InPlace[]>([]);
  loading = $state(false);
  failure = $state<string | null>(null);
  readonly #backend: Backend;
  #asked = false;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async load(): Promise<void> {
    if (!this.#asked) await this.again();
  }

  async again(): Promise<void> {
    if (this.loading) return;
    this.#asked = true;
    this.loading = true;
    try {
      // Two roots may lead to one folder.
      this.places = [...new Map((await this.#backend.found()).map((place) => [place.folder, place])).values()];
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.loading = false;
    }
  }
}
