import type { Excerpt } from './excerpt.svelte';

/**
 * Where the list of messages is held while what is in it changes its size or comes and goes: at its end, or at the
 * message, or the page of it, that is read. The reader decides: scrolling up lets go of the end, coming back to it takes hold again.
 */
export class Hold {
  atEnd = $state(true);
  readonly #excerpt: Excerpt;
  #scroller: HTMLElement | null = null;
  #list: Element | null = null;
  /** What is read, and where in the window its top is. */
  #read: { element: Element; top: number } | null = null;
  #lastTop = 0;

  constructor(excerpt: Excerpt) {
    this.#excerpt = excerpt;
  }

  /** An attachment for what scrolls. */
  readonly scroller = (scroller: HTMLElement): void => {
    this.#scroller = scroller;
  };

  /** An attachment for the list in it. */
  readonly list = (list: Element): (() => void) => {
    this.#list = list;
    const sizes = new ResizeObserver(() => this.keep());
    sizes.observe(list);
    return () => sizes.disconnect();
  };

  scrolled(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const { scrollTop, clientHeight, scrollHeight } = scroller;
    const left = scrollHeight - clientHeight - scrollTop;
    if (left < 4 && this.#excerpt.ends) this.atEnd = true;
    else if (scrollTop < this.#lastTop) this.atEnd = false;
    this.#lastTop = scrollTop;
    this.#look();
    if (scrollTop < clientHeight) this.#excerpt.earlier();
    else if (left < clientHeight) this.#excerpt.later();
  }

  toEnd(): void {
    this.#excerpt.end();
    this.atEnd = true;
  }

  /** Holds this here: a little below the top of the list, or with its top where it was in the window. */
  at(element: Element, top: number | null): void {
    const edge = this.#scroller?.getBoundingClientRect().top ?? 0;
    this.atEnd = false;
    this.#read = { element, top: top ?? edge + 28 };
    this.keep();
  }

  /** Goes back to what is held. */
  keep(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    // The reader has scrolled, and the browser is about to say so.
    if (scroller.scrollTop !== this.#lastTop) this.scrolled();
    if (this.atEnd) scroller.scrollTop = scroller.scrollHeight;
    else if (this.#read?.element.isConnected) scroller.scrollTop += this.#read.element.getBoundingClientRect().top - this.#read.top;
    this.#lastTop = scroller.scrollTop;
    // Where everything is in sight, so is the end.
    if (scroller.scrollHeight <= scroller.clientHeight && this.#excerpt.ends) this.atEnd = true;
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
