import { sentence } from '../backend/backend';
import type { About, Appearance, MemoryReserve, Shell, Storage } from '../backend/shell';

export const appearances = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** What the settings view shows of this machine, and what of it can be set. */
export class Settings {
  storage = $state.raw<Storage | null>(null);
  memory = $state.raw<MemoryReserve | null>(null);
  about = $state.raw<About | null>(null);
  appearance = $state<Appearance>('system');
  /** Why something could not be read. */
  failure = $state<string | null>(null);
  /** Why something could not be set. */
  refusal = $state<string | null>(null);
  /** The file that the last report was saved in. */
  saved = $state<string | null>(null);
  readonly #shell: Shell;

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  async load(): Promise<void> {
    try {
      const read = [this.#shell.memoryReserve(), this.#shell.about(), this.#shell.appearance()] as const;
      [this.memory, this.about, this.appearance] = await Promise.all(read);
      await this.measure();
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** Looks at the disk. Rejects with the sentence to show. */
  async measure(): Promise<void> {
    this.storage = await this.#shell.storage();
  }

  /** Leaves so much of the memory alone, bytes; null as much as is usual. */
  reserve(bytes: number | null): Promise<void> {
    return this.#set(async () => {
      this.memory = await this.#shell.setMemoryReserve(bytes);
    });
  }

  wear(appearance: Appearance): Promise<void> {
    return this.#set(async () => {
      await this.#shell.setAppearance(appearance);
      this.appearance = appearance;
    });
  }

  report(): Promise<void> {
    return this.#set(async () => {
      this.saved = (await this.#shell.saveDiagnostics()) ?? this.saved;
    });
  }

  async #set(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.refusal = null;
    } catch (reason) {
      this.refusal = sentence(reason);
    }
  }
}
