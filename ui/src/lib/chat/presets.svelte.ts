import { type Backend, type Controls, type Preset, sentence } from '../backend/backend';

/** System prompts with the settings that go with them, each known by its name. */
export class Presets {
  #known = $state.raw<Preset[]>([]);
  /** By name. */
  readonly all = $derived(this.#known.toSorted((a, b) => a.name.localeCompare(b.name)));
  /** The name of the one that was picked or saved last. */
  picked = $state<string | null>(null);
  /** Why they could not be read. */
  failure = $state<string | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async load(): Promise<void> {
    try {
      this.#known = await this.#backend.presets();
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** The one of that name, as the store tells names apart. */
  named(name: string): Preset | null {
    const plain = (name: string) => name.trim().replace(/\s+/g, ' ').toLowerCase();
    return this.all.find((preset) => plain(preset.name) === plain(name)) ?? null;
  }

  /** The one that says just this; of several the one that was picked. */
  saying(system: string, controls: Controls): Preset | null {
    const all = this.all.filter((preset) => preset.system === system.trim() && equal(preset.controls, controls));
    return all.find(({ name }) => name === this.picked) ?? all[0] ?? null;
  }

  // Both reject with the sentence to show.

  /** Keeps one, in the place of the one of its name. */
  async save(preset: Preset): Promise<void> {
    this.#known = await this.#backend.savePreset(preset);
    this.picked = this.named(preset.name)?.name ?? null;
  }

  async remove(name: string): Promise<void> {
    this.#known = await this.#backend.removePreset(name);
  }
}

function equal(one: Controls, other: Controls): boolean {
  return (Object.keys(one) as (keyof Controls)[]).every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]));
}
