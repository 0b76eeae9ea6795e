import { type Backend, type Message, type Said, sentence } from '../backend/backend';
import { showing } from '../focus';
import { Opened } from './opened.svelte';

/** What is to come into sight as soon as it is drawn. */
export type Sought = {
  message: number;
  /** What of it. */
  selector: string;
  /** Where in the window its top was, to be there again, in pixels; null for who has not seen it before. */
  top: number | null;
};

/** The branch that is shown of the conversation on screen; nothing for a new chat. */
export class Thread {
  messages = $state.raw<Message[]>([]);
  loading = $state(false);
  failure = $state<string | null>(null);
  conversation = $state<number | null>(null);
  sought = $state.raw<Sought | null>(null);
  /** How often there was something to read from its end: another conversation, or what was just said. */
  ends = $state(0);
  readonly opened = new Opened();
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Shows a conversation from the end of its branch, or from a message on whatever branch. */
  async open(conversation: number | null, message: number | null = null): Promise<void> {
    this.conversation = conversation;
    this.messages = [];
    this.sought = null;
    this.opened.closeAll();
    this.ends += 1;
    if (message === null) return this.reload();
    const begin = { message, selector: showing('message', message), top: null };
    await this.#read(() => this.turn(begin));
  }

  async reload(): Promise<void> {
    await this.#read(async (conversation) => {
      const messages = await this.#backend.messages(conversation);
      if (this.conversation === conversation) this.messages = messages;
    });
  }

  /** Shows the branch through a message. Rejects with the sentence to show. */
  async turn(to: Sought): Promise<void> {
    const { conversation } = this;
    const messages = await this.#backend.showBranch(to.message);
    if (this.conversation !== conversation) return;
    this.messages = messages;
    this.sought = to;
  }

  /** What was just said: behind all that is shown, or a branch that parts from it. A new chat becomes a conversation. */
  append({ conversation, question, answer }: Said): void {
    const at = this.messages.findIndex(({ id }) => question.siblings.includes(id));
    const before = at < 0 ? this.messages : this.messages.slice(0, at);
    this.conversation = conversation;
    this.messages = [...before, question, answer];
    this.ends += 1;
  }

  replace(message: Message): void {
    this.messages = this.messages.map((other) => (other.id === message.id ? message : other));
  }

  async #read(messages: (conversation: number) => Promise<void>): Promise<void> {
    const { conversation } = this;
    this.failure = null;
    this.loading = conversation !== null;
    if (conversation === null) return;
    try {
      await messages(conversation);
    } catch (reason) {
      if (this.conversation === conversation) this.failure = sentence(reason);
    } finally {
      if (this.conversation === conversation) this.loading = false;
    }
  }
}

/** The last of these messages, if it is an answer that was cut off, and its record knows how it goes on. */
export function unfinishedOf(messages: readonly Message[]): number | null {
  const last = messages.at(-1);
  if (!last?.outcome || last.state === 'running') return null;
  const { finish } = last.outcome;
  return finish === 'length' || finish === 'cancelled' ? last.id : null;
}

/** Whether an answer is what its record says: what was cut off behind that is more. */
export function isWhole({ outcome, state }: Message): boolean {
  return outcome !== null && outcome.stats.tokens > 0 && state !== 'interrupted';
}
