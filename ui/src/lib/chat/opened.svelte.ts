import { SvelteSet } from 'svelte/reactivity';

type Part = 'editor' | 'timeline' | 'raw';

/** What is open in the messages on screen beside what they say. */
export class Opened {
  readonly #all = new SvelteSet<string>();

  has(part: Part, message: number): boolean {
    return this.#all.has(`${part} ${message}`);
  }

  open(part: Part, message: number): void {
    this.#all.add(`${part} ${message}`);
  }

  close(part: Part, message: number): void {
    this.#all.delete(`${part} ${message}`);
  }

  toggle(part: Part, message: number): void {
    if (this.has(part, message)) this.close(part, message);
    else this.open(part, message);
  }

  closeAll(): void {
    this.#all.clear();
  }
}
