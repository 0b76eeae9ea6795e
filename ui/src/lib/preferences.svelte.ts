import { type Backend, type Controls, type Preferences, sentence } from './backend/backend';

/** Until the store has said what was chosen last. */
export const beforeLoading: Preferences = {
  target: null,
  drafter: null,
  conversation: null,
  view: null,
  shelf: null,
  provenance: false,
  controls: {
    schedule: 'auto',
    gamma: null,
    minConf: null,
    temperature: 0,
    topP: 1,
    topK: 0,
    minP: 0,
    repetition: 1,
    presence: 0,
    frequency: 0,
    penaltyWindow: 0,
    rule: 'coupled',
    seed: 0,
    maxTokens: 512,
    context: null,
    stop: [],
    thinking: false,
    precision: 'asStored',
  },
};

/** What the next message will use, kept across restarts. */
export class StoredPreferences {
  now = $state.raw<Preferences>(beforeLoading);
  failure = $state<string | null>(null);
  readonly controls = $derived(this.now.controls);
  readonly #backend: Backend;
  #saving = false;
  #unsaved = false;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async load(): Promise<void> {
    this.now = await this.#backend.preferences();
  }

  change(part: Partial<Preferences>): void {
    this.now = { ...this.now, ...part };
    this.#unsaved = true;
    void this.#save();
  }

  changeControls(part: Partial<Controls>): void {
    this.change({ controls: { ...this.now.controls, ...part } });
  }

  // One save at a time: a dragged slider costs as many saves as the backend can take, and the last one wins.
  async #save(): Promise<void> {
    if (this.#saving) return;
    this.#saving = true;
    try {
      while (this.#unsaved) {
        this.#unsaved = false;
        await this.#backend.savePreferences(this.now);
        this.failure = null;
      }
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.#saving = false;
    }
  }
}
