import { Page } from './page.svelte';
import { blocksOf, type Paged } from './paging';

/** How many pages stay drawn although they are out of sight. */
const KEPT = 24;
/** How high a page is thought to be that was never drawn, in pixels a character. */
const HEIGHT = 0.4;

/** A page, and what is on it. */
type Leaf = { text: string; page: Page; drawn: boolean };

/**
 * Draws a text page by page. The browser lays out what is in sight, and of a very long text only so much is drawn: a page
 * that is far from sight is a place as high as it was.
 */
export class Pages {
  readonly #place: Element;
  readonly #leaves = new Map<EventTarget, Leaf>();
  #texts: readonly string[] = [];
  #last: Page;
  /** Those that are drawn and out of sight; the one that has been for longest comes first. */
  readonly #away = new Set<Leaf>();

  constructor(place: Element) {
    this.#place = place;
    this.#last = this.#append();
    // Only where the browser tells what is out of sight can anything be taken off.
    place.addEventListener('contentvisibilityautostatechange', (event) => {
      const leaf = event.target && this.#leaves.get(event.target);
      if (leaf) this.#turn(leaf, !(event as ContentVisibilityAutoStateChangeEvent).skipped);
    });
  }

  show({ pages, open }: Paged): void {
    if (pages !== this.#texts) this.clear();
    this.#texts = pages;
    for (const text of pages.slice(this.#leaves.size)) this.#settle(text, pages.length - this.#leaves.size <= KEPT);
    this.#last.show(open);
  }

  clear(): void {
    for (const { page } of this.#leaves.values()) page.clear();
    this.#last.clear();
    this.#leaves.clear();
    this.#away.clear();
    this.#place.replaceChildren();
    this.#last = this.#append();
    this.#texts = [];
  }

  /** The last page is whole, and another one begins. */
  #settle(text: string, near: boolean): void {
    const leaf = { text, page: this.#last, drawn: near || !tells };
    if (leaf.drawn) {
      leaf.page.show(blocksOf(text));
      leaf.page.settle();
    } else {
      leaf.page.clear();
      leaf.page.place.style.height = `${Math.ceil(text.length * HEIGHT)}px`;
    }
    this.#leaves.set(leaf.page.place, leaf);
    this.#last = this.#append();
  }

  /** A page comes near or goes far. */
  #turn(leaf: Leaf, near: boolean): void {
    this.#away.delete(leaf);
    if (!near && leaf.drawn) this.#away.add(leaf);
    if (near && !leaf.drawn) this.#draw(leaf);
    const selection = getSelection();
    for (const far of this.#away) {
      if (this.#away.size <= KEPT) break;
      // What is selected may be about to be copied.
      if (!selection?.containsNode(far.page.place, true)) this.#takeOff(far);
    }
  }

  #draw(leaf: Leaf): void {
    leaf.page.show(blocksOf(leaf.text));
    leaf.page.settle();
    leaf.page.place.style.height = '';
    leaf.drawn = true;
  }

  #takeOff(leaf: Leaf): void {
    leaf.page.place.style.height = `${leaf.page.place.offsetHeight}px`;
    leaf.page.clear();
    leaf.drawn = false;
    this.#away.delete(leaf);
  }

  #append(): Page {
    const place = document.createElement('div');
    place.className = 'page';
    this.#place.append(place);
    return new Page(place);
  }
}

const tells = 'ContentVisibilityAutoStateChangeEvent' in globalThis;
