import { End } from '../end.svelte';
import type { Excerpt } from './excerpt.svelte';

/**
 * Where the list of messages is held while what is in it changes its size or comes and goes: at its end, or at the
 * message, or the page of it, that is read. The reader decides: scrolling up lets go of the end, coming back to it takes hold again.
 */
export class Hold {
  readonly #end = new End();
  readonly #excerpt: Excerpt;
  #scroller: HTMLElement | null = null;
  #list: Element | null = null;
  /** What is read, and where in the window its top is. */
  #read: { element: Element; top: number } | null = null;

  constructor(excerpt: Excerpt) {
    this.#excerpt = excerpt;
  }

  get atEnd(): boolean {
    return this.#end.held;
  }

  /** An attachment for what scrolls. */
  readonly scroller = (scroller: HTMLElement): (() => void) => {
    this.#scroller = scroller;
    return this.#watch(scroller);
  };

  /** An attachment for the list in it. */
  readonly list = (list: Element): (() => void) => {
    this.#list = list;
    return this.#watch(list);
  };

  scrolled(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const { scrollTop, clientHeight, scrollHeight } = scroller;
    this.#end.look(scroller, this.#excerpt.ends);
    this.#look();
    if (scrollTop < clientHeight) this.#excerpt.earlier();
    else if (scrollHeight - clientHeight - scrollTop < clientHeight) this.#excerpt.later();
  }

  toEnd(): void {
    this.#excerpt.end();
    this.#end.held = true;
  }

  /** Holds this here: a little below the top of the list, or with its top where it was in the window. */
  at(element: Element, top: number | null): void {
    const edge = this.#scroller?.getBoundingClientRect().top ?? 0;
    this.#end.held = false;
    this.#read = { element, top: top ?? edge + 28 };
    this.keep();
  }

  /** Goes back to what is held. */
  keep(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    if (this.#end.passed(scroller)) this.scrolled();
    if (!this.atEnd && this.#read?.element.isConnected) scroller.scrollTop += this.#read.element.getBoundingClientRect().top - this.#read.top;
    this.#end.keep(scroller);
    // Where everything is in sight, so is the end.
    if (scroller.scrollHeight <= scroller.clientHeight && this.#excerpt.ends) this.#end.held = true;
  }

  #watch(element: Element): () => void {
    const sizes = new ResizeObserver(() => this.keep());
    sizes.observe(element);
    return () => sizes.disconnect();
  }

  #look(): void {
    const edge = this.#scroller?.getBoundingClientRect().top ?? 0;
    const at = (all: Iterable<Element>) => [...all].find((each) => each.getBoundingClientRect().bottom > edge);
    const message = at(this.#list?.children ?? []);
    const page = message && at(message.querySelectorAll('.page'));
    // Where a page begins further down, what is above it is read.
    const element = page && page.getBoundingClientRect().top <= edge ? page : message;
    this.#read = element ? { element, top: element.getBoundingClientRect().top } : null;
  }
}
