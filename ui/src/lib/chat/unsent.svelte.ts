import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type UnsentMessage, sentence } from '../backend/backend';
import type { Thread } from './thread.svelte';

/** For how long one goes on typing before what is typed is kept, in milliseconds. */
const MOMENT = 250;

/** What is typed and attached in the conversation on screen and not sent; each keeps its own, across restarts. */
export class Unsent {
  /** Why what is typed is not kept, in a sentence. */
  failure = $state<string | null>(null);
  readonly #backend: Backend;
  readonly #thread: Thread;
  // Null is the new chat.
  readonly #all = new SvelteMap<number | null, UnsentMessage>();
  readonly #changed = new Set<number | null>();
  #keeping = false;

  constructor(backend: Backend, thread: Thread) {
    this.#backend = backend;
    this.#thread = thread;
  }

  get now(): UnsentMessage {
    return this.#of(this.#thread.conversation);
  }

  /** Brings back what was typed before the window loaded. */
  async load(): Promise<void> {
    try {
      const kept = await this.#backend.unsentMessages();
      // Somebody may have begun to type meanwhile.
      for (const message of kept) if (!this.#all.has(message.conversation)) this.#all.set(message.conversation, message);
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  change(part: Partial<UnsentMessage>): void {
    this.#change(this.#thread.conversation, part);
  }

  /** Lets the user choose files that go with what is typed. Rejects with the sentence to show. */
  async attach(): Promise<void> {
    const { conversation } = this.#thread;
    const chosen = await this.#backend.chooseAttachments();
    this.#change(conversation, { attachments: [...this.#of(conversation).attachments, ...chosen] });
  }

  /** Forgets what was sent, unless somebody writes something else by now. What begins a conversation is told to it. */
  sent(conversation: number | null, message: Pick<UnsentMessage, 'text' | 'attachments'>): void {
    const left = this.#of(conversation) === message ? { text: '', attachments: [] } : {};
    this.#change(conversation, { ...left, system: '' });
  }

  #of(conversation: number | null): UnsentMessage {
    return this.#all.get(conversation) ?? { conversation, text: '', attachments: [], system: '' };
  }

  #change(conversation: number | null, part: Partial<UnsentMessage>): void {
    this.#all.set(conversation, { ...this.#of(conversation), ...part });
    this.#changed.add(conversation);
    void this.#keep();
  }

  async #keep(): Promise<void> {
    if (this.#keeping) return;
    this.#keeping = true;
    try {
      while (this.#changed.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, MOMENT));
        for (const conversation of [...this.#changed]) {
          this.#changed.delete(conversation);
          await this.#backend.keepUnsentMessage(this.#of(conversation));
        }
        this.failure = null;
      }
    } catch (reason) {
      this.failure = sentence(reason);
    } finally {
      this.#keeping = false;
    }
  }
}
