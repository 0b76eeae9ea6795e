import { SvelteMap } from 'svelte/reactivity';
import { type Backend, sentence } from '../backend/backend';
import type { Conversations } from './conversations.svelte';
import type { Thread } from './thread.svelte';
import type { Unsent } from './unsent.svelte';

/** What the models of the conversation on screen are told before anything is said. */
export class Instructions {
  failure = $state<string | null>(null);
  readonly #backend: Backend;
  readonly #conversations: Conversations;
  readonly #thread: Thread;
  readonly #unsent: Unsent;
  // As they were typed; those of a new chat are not sent yet.
  readonly #typed = new SvelteMap<number, string>();
  readonly #kept = new Map<number, string>();
  #saving: Promise<void> = Promise.resolve();

  constructor(backend: Backend, conversations: Conversations, thread: Thread, unsent: Unsent) {
    this.#backend = backend;
    this.#conversations = conversations;
    this.#thread = thread;
    this.#unsent = unsent;
  }

  get text(): string {
    const { conversation } = this.#thread;
    if (conversation === null) return this.#unsent.now.system;
    return this.#typed.get(conversation) ?? this.#conversations.find(conversation)?.system ?? '';
  }

  set text(text: string) {
    const { conversation } = this.#thread;
    if (conversation === null) this.#unsent.change({ system: text });
    else this.#type(conversation, text);
  }

  /** When all that was typed is kept, or cannot be. */
  saved(): Promise<void> {
    return this.#saving;
  }

  #type(conversation: number, text: string): void {
    this.#typed.set(conversation, text);
    // One save at a time, and the last one wins.
    this.#saving = this.#saving.then(() => this.#save(conversation));
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
