import type { Message } from '../backend/backend';
import type { Thread } from './thread.svelte';

/** How many messages are drawn at first: more than any window shows. */
const first = 40;
/** How many more at a time, and how many at once. */
const step = 6;
const most = 100;

/** The part of a conversation that is drawn: what is read, and enough around it to scroll on. */
export class Excerpt {
  readonly shown: readonly Message[] = $derived.by(() => this.#thread.messages.slice(this.#from, this.#to));
  /** Whether the newest message is among them. */
  readonly ends = $derived.by(() => this.#to === this.#thread.messages.length);
  // By their messages' ids, which other messages before and behind do not change; null is as near the end as can be.
  #first = $state<number | null>(null);
  #last = $state<number | null>(null);
  readonly #to = $derived.by(() => this.#place(this.#last) + 1 || this.#thread.messages.length);
  readonly #from = $derived.by(() => {
    const from = this.#place(this.#first);
    return from >= 0 && from < this.#to ? from : Math.max(0, this.#to - first);
  });
  readonly #thread: Thread;

  constructor(thread: Thread) {
    this.#thread = thread;
  }

  earlier(): void {
    if (this.#from > 0) this.#draw(this.#from - step, Math.min(this.#to, this.#from - step + most));
  }

  later(): void {
    if (!this.ends) this.#draw(Math.max(this.#from, this.#to + step - most), this.#to + step);
  }

  /** The newest ones. */
  end(): void {
    this.#first = this.#last = null;
  }

  /** Sees to it that a message is among them. */
  reveal(message: number): void {
    const at = this.#place(message);
    if (at < this.#from || at >= this.#to) this.#draw(at - first / 2, at + first / 2);
  }

  #draw(from: number, to: number): void {
    const { messages } = this.#thread;
    this.#first = messages[Math.max(0, from)]?.id ?? null;
    this.#last = to < messages.length ? (messages[to - 1]?.id ?? null) : null;
  }

  #place(message: number | null): number {
    return this.#thread.messages.findIndex(({ id }) => id === message);
  }
}
