import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Checking, type Download, type FilesProof, sentence } from '../backend/backend';

export type Check =
  | { kind: 'running'; checking: Checking }
  | { kind: 'done'; proof: FilesProof }
  | { kind: 'failed'; reason: string };

/** Whether the files of models are there, and what became of reading them again. */
export class Files {
  /** The files that are not there, by the model's id. */
  readonly missing = new SvelteMap<string, string[]>();
  readonly checks = new SvelteMap<string, Check>();
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async look(id: string): Promise<void> {
    // Files that cannot be looked at are told of when they are used.
    this.missing.set(id, await this.#backend.missingFiles(id).catch(() => []));
  }

  async verify(id: string): Promise<void> {
    await this.#check(id, async (progress) => {
      this.checks.set(id, { kind: 'done', proof: await this.#backend.verifyFiles(id, progress) });
    });
  }

  /** Fetches again what is broken; the download that does so, if anything is. */
  async repair(id: string): Promise<Download | null> {
    let download: Download | null = null;
    await this.#check(id, async (progress) => {
      download = await this.#backend.repairModel(id, progress);
      const sentence = download ? 'What is broken is being fetched again.' : 'Nothing needs repair.';
      this.checks.set(id, { kind: 'done', proof: { holds: true, sentence, faulty: [] } });
    });
    await this.look(id);
    return download;
  }

  async #check(id: string, work: (progress: (checking: Checking) => void) => Promise<void>): Promise<void> {
    if (this.checks.get(id)?.kind === 'running') return;
    this.checks.set(id, { kind: 'running', checking: { done: 0, total: 0 } });
    try {
      await work((checking) => {
        // The last of them may come after the end.
        if (this.checks.get(id)?.kind === 'running') this.checks.set(id, { kind: 'running', checking });
      });
    } catch (reason) {
      this.checks.set(id, { kind: 'failed', reason: sentence(reason) });
    }
  }
}
