import { SvelteMap } from 'svelte/reactivity';
import type { Attachment, Backend } from '../backend/backend';
import type { Thread } from './thread.svelte';

export type Draft = { text: string; attachments: readonly Attachment[] };

const nothing: Draft = { text: '', attachments: [] };

/** What is typed and attached in the conversation on screen and not sent; each keeps its own. */
export class Drafts {
  readonly #backend: Backend;
  readonly #thread: Thread;
  // Null is the new chat.
  readonly #all = new SvelteMap<number | null, Draft>();

  constructor(backend: Backend, thread: Thread) {
    this.#backend = backend;
    this.#thread = thread;
  }

  get now(): Draft {
    return this.#of(this.#thread.conversation);
  }

  change(part: Partial<Draft>): void {
    this.#change(this.#thread.conversation, part);
  }

  /** Lets the user choose files that go with what is typed. Rejects with the sentence to show. */
  async attach(): Promise<void> {
    const { conversation } = this.#thread;
    const chosen = await this.#backend.chooseAttachments();
    this.#change(conversation, { attachments: [...this.#of(conversation).attachments, ...chosen] });
  }

  /** Forgets what was sent, unless somebody writes something else by now. */
  sent(conversation: number | null, draft: Draft): void {
    if (this.#of(conversation) === draft) this.#all.delete(conversation);
  }

  #of(conversation: number | null): Draft {
    return this.#all.get(conversation) ?? nothing;
  }

  #change(conversation: number | null, part: Partial<Draft>): void {
    this.#all.set(conversation, { ...this.#of(conversation), ...part });
  }
}
