import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Details, type Model, sentence } from '../backend/backend';
import { matching, namesOf } from './names';

/** An id as the database compares it: capital letters of ASCII are small ones. */
const folded = (id: string) => id.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The registered targets and drafters, and the field that adds one. */
export class Models {
  all = $state.raw<Model[]>([]);
  /** The ids of those whose records cannot be read. */
  damaged = $state.raw<string[]>([]);
  loading = $state(true);
  failure = $state<string | null>(null);
  /** What is looked for among them. */
  text = $state('');
  folder = $state('');
  adding = $state(false);
  addFailure = $state<string | null>(null);

  readonly targets = $derived(this.all.filter((model) => model.role === 'target'));
  readonly drafters = $derived(this.all.filter((model) => model.role === 'drafter'));
  /** What the files say, by id, of the models that somebody has looked at; or why that cannot be told. */
  readonly details = new SvelteMap<string, Details | string>();
  /** Why drafters do not suit the target that was asked about last, by their ids. */
  #misfits = $state.raw<{ target: string; whys: ReadonlyMap<string, string> } | null>(null);
  readonly #names = $derived(namesOf(this.all));
  /** Those that have a folder and match the text. */
  readonly matches = $derived(matching(this.all.filter(({ folder }) => folder !== null), this.#names, this.text));
  readonly #byRepo = $derived(new Map(this.all.map((model) => [model.repo?.toLowerCase(), model])));
  readonly #backend: Backend;
  /** Counts the questions: only the answer to the latest counts. */
  #asked = 0;
  /** The same for which drafters suit a target. */
  #judged = 0;
  /** Counts what was added and removed here. */
  #changes = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  find(id: string | null): Model | null {
    return this.all.find((model) => model.id === id) ?? null;
  }

  /** One that came from this repo. */
  ofRepo(repo: string): Model | null {
    return this.#byRepo.get(repo.toLowerCase()) ?? null;
  }

  /** A model that has been removed since is named by its id. */
  name(id: string): string {
    return this.#names.get(id) ?? id;
  }

  async load(): Promise<void> {
    const mine = (this.#asked += 1);
    try {
      if (!(await this.#read(() => mine === this.#asked))) return;
      this.failure = null;
    } catch (reason) {
      if (mine !== this.#asked) return;
      this.failure = sentence(reason);
    }
    this.loading = false;
  }

  /** Page after page, and from the beginning if something changes meanwhile. Whether it still counts at the end. */
  async #read(counts: () => boolean): Promise<boolean> {
    for (;;) {
      const changes = this.#changes;
      const models: Model[] = [];
      const damaged: string[] = [];
      let next: string | null = null;
      do {
        const page = await this.#backend.models(next);
        if (!counts()) return false;
        models.push(...page.models);
        damaged.push(...page.damaged);
        // The first page of the first list is seen at once; a later list takes its place as a whole.
        if (this.loading && next === null && changes === this.#changes) this.all = [...models];
        next = page.next;
      } while (next !== null && changes === this.#changes);
      if (changes !== this.#changes) continue;
      [this.all, this.damaged] = [models, damaged];
      return true;
    }
  }

  /** Looks at a model's files. */
  async look(id: string): Promise<void> {
    if (typeof this.details.get(id) === 'object') return;
    this.details.delete(id);
    this.details.set(id, await this.#backend.modelDetails(id).catch(sentence));
  }

  /** Asks which drafters suit a target. What cannot be told now is told when an answer is asked for. */
  async judge(target: string): Promise<void> {
    const mine = (this.#judged += 1);
    const fits = await this.#backend.drafterFits(target).catch(() => []);
    if (mine !== this.#judged) return;
    const whys = new Map(fits.flatMap(({ model, misfit }) => (misfit === null ? [] : [[model, misfit] as const])));
    this.#misfits = { target, whys };
  }

  /** Why a drafter does not suit a target, in a sentence; null if it does, or if nobody knows. */
  misfit(target: Model | null, drafter: Model | null): string | null {
    if (!target || !drafter || this.#misfits?.target !== target.id) return null;
    return this.#misfits.whys.get(drafter.id) ?? null;
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
    if (folder === '') return null;
    return this.#adding(async () => {
      const model = this.find(await this.addFolder(folder));
      this.folder = '';
      return model;
    }, null);
  }

  /** Adds the models that come with the app, and returns all of them: the target, and then its drafters. */
  async addDemo(): Promise<Model[]> {
    return this.#adding(async () => {
      const models = await this.#backend.addDemo();
      models.forEach((model) => this.put(model));
      return models;
    }, []);
  }

  /** One at a time. Why it failed is beside the field. */
  async #adding<T>(add: () => Promise<T>, none: T): Promise<T> {
    if (this.adding) return none;
    this.adding = true;
    this.addFailure = null;
    try {
      return await add();
    } catch (reason) {
      this.addFailure = sentence(reason);
      return none;
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

  /** Puts the model into the trash, or forgets a record that cannot be read. Rejects with the sentence to show. */
  async remove(id: string): Promise<void> {
    await this.#backend.removeModel(id);
    this.#changes += 1;
    this.all = this.all.filter((model) => model.id !== id);
    this.damaged = this.damaged.filter((other) => other !== id);
    // The id may come to mean another folder.
    this.details.delete(id);
  }

  /** Takes a model out of the trash. Rejects with the sentence to show. */
  async restore(id: string): Promise<void> {
    this.put(await this.#backend.restoreModel(id));
  }

  /** Puts a model where the backend lists it: by its id, and before the drafter that is none. */
  put(model: Model): void {
    this.#changes += 1;
    const others = this.all.filter((other) => other.id !== model.id);
    const mine = folded(model.id);
    const at = others.findIndex(({ id, folder }) => folder === null || folded(id) > mine);
    this.all = others.toSpliced(at < 0 ? others.length : at, 0, model);
  }
}
