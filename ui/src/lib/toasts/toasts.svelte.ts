import { sentence } from '../backend/backend';

export type Toast = {
  id: number;
  text: string;
  /** Whether it says that something went wrong. */
  problem: boolean;
  /** Takes back what the toast tells of; null if that cannot be. It rejects with the sentence to show. */
  undo: (() => Promise<void>) | null;
};

/** What was just done, and can still be taken back. */
export class Toasts {
  all = $state.raw<Toast[]>([]);
  #next = 0;

  show(text: string, undo: Toast['undo'] = null): void {
    this.#put({ text, problem: false, undo });
  }

  /** Says why something was not done. */
  fail(reason: unknown): void {
    this.#put({ text: sentence(reason), problem: true, undo: null });
  }

  close(id: number): void {
    this.all = this.all.filter((toast) => toast.id !== id);
  }

  async undo({ id, undo }: Toast): Promise<void> {
    this.close(id);
    await undo?.().catch((reason) => this.fail(reason));
  }

  // Three at most: whoever does many things looks at the last ones.
  #put(toast: Omit<Toast, 'id'>): void {
    this.all = [...this.all, { ...toast, id: this.#next++ }].slice(-3);
  }
}
