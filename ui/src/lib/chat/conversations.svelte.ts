import { type Backend, type Conversation, sentence } from '../backend/backend';

/** The conversations, newest first. */
export class Conversations {
  all = $state.raw<Conversation[]>([]);
  loading = $state(true);
  failure = $state<string | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  find(id: number | null): Conversation | null {
    return this.all.find((conversation) => conversation.id === id) ?? null;
  }

  async load(): Promise<void> {
    try {
      const all = await this.#backend.conversations();
      this.all = all.toSorted((a, b) => b.updatedAt - a.updatedAt || b.id - a.id);
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.loading = false;
    }
  }

  /** Rejects with the sentence to show. */
  async rename(id: number, title: string): Promise<void> {
    await this.#backend.renameConversation(id, title);
    this.all = this.all.map((other) => (other.id === id ? { ...other, title } : other));
  }

  /** Deletes it for good: nothing in the window brings one back yet. Rejects with the sentence to show. */
  async remove(id: number): Promise<void> {
    await this.#backend.removeConversation(id);
    await this.#backend.forgetConversation(id);
    this.all = this.all.filter((other) => other.id !== id);
  }
}
