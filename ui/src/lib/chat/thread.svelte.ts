import { type Backend, type Message, sentence } from '../backend/backend';

/** The messages of the conversation on screen; none for a new chat. */
export class Thread {
  messages = $state.raw<Message[]>([]);
  loading = $state(false);
  failure = $state<string | null>(null);
  conversation = $state<number | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  async open(conversation: number | null): Promise<void> {
    this.conversation = conversation;
    this.messages = [];
    await this.reload();
  }

  async reload(): Promise<void> {
    const { conversation } = this;
    this.failure = null;
    this.loading = conversation !== null;
    if (conversation === null) return;
    try {
      const messages = await this.#backend.messages(conversation);
      if (this.conversation === conversation) this.messages = messages;
    } catch (reason) {
      if (this.conversation === conversation) this.failure = sentence(reason);
    } finally {
      if (this.conversation === conversation) this.loading = false;
    }
  }

  /** What was just said; a new chat becomes the conversation that it began. */
  append(conversation: number, ...messages: Message[]): void {
    this.conversation = conversation;
    this.messages = [...this.messages, ...messages];
  }

  replace(message: Message): void {
    this.messages = this.messages.map((other) => (other.id === message.id ? message : other));
  }
}
