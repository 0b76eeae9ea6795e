import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Details, type Model, sentence } from '../backend/backend';
import { namesOf } from './names';

/** The registered targets and drafters, and the field that adds one. */
export class Models {
  all = $state.raw<Model[]>([]);
  loading = $state(true);
  failure = $state<string | null>(null);
  folder = $state('');
  adding = $state(false);
  addFailure = $state<string | null>(null);

  readonly targets = $derived(this.all.filter((model) => model.role === 'target'));
  readonly drafters = $derived(this.all.filter((model) => model.role === 'drafter'));
  /** What the files say, by id, of the models that somebody has looked at. */
  readonly details = new SvelteMap<string, Details>();
  readonly #names = $derived(namesOf(this.all));
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  find(id: string | null): Model | null {
    return this.all.find((model) => model.id === id) ?? null;
  }

  /** A model that has been removed since is named by its id. */
  name(id: string): string {
    return this.#names.get(id) ?? id;
  }

  async load(): Promise<void> {
    if (this.adding) return;
    try {
      this.all = await this.#backend.models();
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.loading = false;
    }
  }

  /** Looks at a model's files. What is wrong with them is said when the model is used. */
  async look(id: string): Promise<void> {
    if (this.details.has(id)) return;
    const details = await this.#backend.modelDetails(id).catch(() => null);
    if (details) this.details.set(id, details);
  }

  async choose(): Promise<Model | null> {
    try {
      const folder = await this.#backend.chooseFolder();
      if (folder === null) return null;
      this.folder = folder;
    } catch (reason) {
      this.addFailure = sentence(reason);
      return null;
    }
    return this.add();
  }

  async add(): Promise<Model | null> {
    const folder = this.folder.trim();
    if (folder === '' || this.adding) return null;
    this.adding = true;
    this.addFailure = null;
    try {
      const model = this.find(await this.addFolder(folder));
      this.folder = '';
      return model;
    } catch (reason) {
      this.addFailure = sentence(reason);
      return null;
    } finally {
      this.adding = false;
    }
  }

  /** The id that it got. Rejects with the sentence to show. */
  async addFolder(folder: string): Promise<string> {
    const model = await this.#backend.addModel(folder);
    this.put(model);
    return model.id;
  }

  /** Puts the model into the trash; the drafters that nothing else uses. Rejects with the sentence to show. */
  async remove(id: string): Promise<Model[]> {
    const orphans = await this.#backend.removeModel(id);
    this.all = this.all.filter((model) => model.id !== id);
    // The id may come to mean another folder.
    this.details.delete(id);
    return orphans;
  }

  /** Takes a model out of the trash. Rejects with the sentence to show. */
  async restore(id: string): Promise<void> {
    this.put(await this.#backend.restoreModel(id));
  }

  put(model: Model): void {
    this.all = [...this.all.filter((other) => other.id !== model.id), model];
  }
}
