import { SvelteMap } from 'svelte/reactivity';
import { type Backend, sentence } from '../backend/backend';
import type { Conversations } from './conversations.svelte';
import type { Thread } from './thread.svelte';

/** What the models of the conversation on screen are told before anything is said. */
export class Instructions {
  failure = $state<string | null>(null);
  readonly #backend: Backend;
  readonly #conversations: Conversations;
  readonly #thread: Thread;
  // As they were typed; null is the new chat.
  readonly #typed = new SvelteMap<number | null, string>();
  readonly #kept = new Map<number, string>();
  #saving: Promise<void> = Promise.resolve();

  constructor(backend: Backend, conversations: Conversations, thread: Thread) {
    this.#backend = backend;
    this.#conversations = conversations;
    this.#thread = thread;
  }

  get text(): string {
    const { conversation } = this.#thread;
    return this.#typed.get(conversation) ?? this.#conversations.find(conversation)?.system ?? '';
  }

  set text(text: string) {
    const { conversation } = this.#thread;
    this.#typed.set(conversation, text);
    // One save at a time, and the last one wins.
    if (conversation !== null) this.#saving = this.#saving.then(() => this.#save(conversation));
  }

  /** When all that was typed is kept, or cannot be. */
  saved(): Promise<void> {
    return this.#saving;
  }

  /** The new chat has become a conversation, which has them from now on. */
  begun(): void {
    this.#typed.delete(null);
  }

  async #save(conversation: number): Promise<void> {
    const text = this.#typed.get(conversation) ?? '';
    if (this.#kept.get(conversation) === text) return;
    try {
      await this.#backend.setSystem(conversation, text);
      this.#kept.set(conversation, text);
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }
}
