import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Checked, type Checking, type Download, type FilesProof, type Work, sentence } from '../backend/backend';

export type Check =
  | { kind: 'running'; checking: Checking }
  | { kind: 'verified'; proof: FilesProof }
  /** A download fetches again what is broken, if anything is. */
  | { kind: 'repaired'; download: number | null }
  | { kind: 'failed'; reason: string };

/** Whether the files of models are there, and what became of reading them again. */
export class Files {
  /** The files that are not there, by the model's id. */
  readonly missing = new SvelteMap<string, string[]>();
  readonly checks = new SvelteMap<string, Check>();
  readonly #backend: Backend;
  readonly #begun: (download: Download) => void;
  /** Which check of a model counts: that of one that was removed since does not. */
  readonly #running = new Map<string, object>();

  /** `begun` is called with the download that a repair begins. */
  constructor(backend: Backend, begun: (download: Download) => void) {
    this.#backend = backend;
    this.#begun = begun;
  }

  /** Finds the checks again that went on while the page was gone. */
  async resume(): Promise<void> {
    // What is not found again is asked for again by whoever wants it.
    const running = await this.#backend.runningChecks().catch(() => []);
    for (const { model, work } of running) void this.check(model, work);
  }

  async look(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    // Files that cannot be looked at are told of when they are used.
    const found = await this.#backend.missingFiles(ids).catch(() => []);
    for (const { model, files } of found) this.missing.set(model, files);
  }

  async check(id: string, work: Work): Promise<void> {
    if (this.#running.has(id)) return;
    const mine = {};
    const counts = () => this.#running.get(id) === mine;
    const heard = (checking: Checking) => {
      // The last of them may come after the end.
      if (counts()) this.checks.set(id, { kind: 'running', checking });
    };
    this.#running.set(id, mine);
    heard({ done: 0, total: 0 });
    try {
      const checked = await this.#backend.checkFiles(id, work, heard);
      if (counts()) this.#end(id, checked);
    } catch (reason) {
      if (counts()) this.checks.set(id, { kind: 'failed', reason: sentence(reason) });
    }
    if (!counts()) return;
    this.#running.delete(id);
    await this.look([id]);
  }

  async stop(id: string): Promise<void> {
    try {
      await this.#backend.stopChecking(id);
    } catch (reason) {
      this.checks.set(id, { kind: 'failed', reason: sentence(reason) });
    }
  }

  /** A download is over: whatever it came to, it does not fetch any more. */
  ended(download: number): void {
    for (const [id, check] of this.checks) {
      if (check.kind === 'repaired' && check.download === download) this.checks.delete(id);
    }
  }

  /** The id may come to mean another model. */
  forget(id: string): void {
    this.#running.delete(id);
    this.checks.delete(id);
    this.missing.delete(id);
  }

  #end(id: string, checked: Checked | null): void {
    if (checked === null) {
      this.checks.delete(id);
    } else if (checked.kind === 'verified') {
      this.checks.set(id, checked);
    } else {
      if (checked.download) this.#begun(checked.download);
      this.checks.set(id, { kind: 'repaired', download: checked.download?.id ?? null });
    }
  }
}
