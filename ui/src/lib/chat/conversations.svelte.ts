import { type Backend, type Conversation, type ConversationExport, sentence } from '../backend/backend';

/** The conversations of the list, and those that have left it and can come back. */
export class Conversations {
  /** The newest first. */
  all = $state.raw<Conversation[]>([]);
  /** The last that left first. */
  removed = $state.raw<Conversation[]>([]);
  /** Only those with this tag are shown; null shows all. */
  wanted = $state<string | null>(null);
  /** The one whose title or tags are being written. */
  edited = $state.raw<{ id: number; part: 'title' | 'tags' } | null>(null);
  loading = $state(true);
  failure = $state<string | null>(null);
  readonly tags = $derived([...new Set(this.all.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b)));
  /** The tag that is looked at: the last conversation with another one may be gone. */
  readonly tag = $derived(this.tags.find((tag) => tag === this.wanted) ?? null);
  readonly #shown = $derived(this.all.filter(({ tags }) => this.tag === null || tags.includes(this.tag)));
  readonly pinned = $derived(this.#shown.filter(({ pinned }) => pinned));
  readonly others = $derived(this.#shown.filter(({ pinned }) => !pinned));
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
      this.removed = await this.#backend.removedConversations();
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.loading = false;
    }
  }

  // All of these reject with the sentence to show.

  async rename(id: number, title: string): Promise<void> {
    await this.#backend.renameConversation(id, title);
    this.#change(id, { title });
  }

  async pin(id: number, pinned: boolean): Promise<void> {
    await this.#backend.pinConversation(id, pinned);
    this.#change(id, { pinned });
  }

  async label(id: number, tags: string[]): Promise<void> {
    this.#change(id, { tags: await this.#backend.tagConversation(id, tags) });
  }

  /** The file that it was saved in; null if nobody chose one. */
  save(id: number, what: ConversationExport): Promise<string | null> {
    return this.#backend.exportConversation(id, what);
  }

  /** Takes it off the list; it can come back. */
  async remove(id: number): Promise<void> {
    await this.#backend.removeConversation(id);
    await this.load();
  }

  async restore(id: number): Promise<void> {
    await this.#backend.restoreConversation(id);
    await this.load();
  }

  /** Deletes one that left the list for good. */
  async forget(id: number): Promise<void> {
    await this.#backend.forgetConversation(id);
    await this.load();
  }

  #change(id: number, part: Partial<Conversation>): void {
    this.all = this.all.map((other) => (other.id === id ? { ...other, ...part } : other));
  }
}
