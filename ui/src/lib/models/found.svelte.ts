import { type Backend, type InPlace, sentence } from '../backend/backend';

/** Checkpoints in the folders of other programs. */
export class FoundPlaces {
  places = $state.raw<InPlace[]>([]);
  loading = $state(true);
  failure = $state<string | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async load(): Promise<void> {
    try {
      this.places = await this.#backend.found();
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.loading = false;
    }
  }
}
