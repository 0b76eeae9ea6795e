import { type Backend, type Preset, sentence } from '../backend/backend';

/** System prompts with the settings that go with them. */
export class Presets {
  all = $state.raw<Preset[]>([]);
  failure = $state<string | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  load(): Promise<boolean> {
    return this.#take(this.#backend.presets());
  }

  /** Whether it is kept. */
  save(preset: Preset): Promise<boolean> {
    return this.#take(this.#backend.savePreset(preset));
  }

  remove(name: string): Promise<boolean> {
    return this.#take(this.#backend.removePreset(name));
  }

  async #take(all: Promise<Preset[]>): Promise<boolean> {
    try {
      this.all = await all;
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
    return this.failure === null;
  }
}
