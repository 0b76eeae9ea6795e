import { Sight } from '../sight';
import { Page } from './page.svelte';
import { blocksOf, type Paged } from './paging';

/** How many pages stay drawn although they are out of sight. */
const KEPT = 24;
/** How high a page is thought to be that was never drawn, in pixels a character. */
const HEIGHT = 0.4;

/** Draws a text page by page. */
export class Pages {
  readonly #place: Element;
  readonly #sight = new Sight(KEPT);
  readonly #settled: Page[] = [];
  #texts: readonly string[] = [];
  #last: Page;

  constructor(place: Element) {
    this.#place = place;
    this.#last = this.#append();
  }

  show({ pages, open }: Paged): void {
    if (pages !== this.#texts) this.clear();
    this.#texts = pages;
    for (const text of pages.slice(this.#settled.length)) this.#settle(text, pages.length - this.#settled.length - 1);
    this.#last.show(open);
  }

  clear(): void {
    for (const page of this.#settled.splice(0)) {
      this.#sight.drop(page.place);
      page.clear();
    }
    this.#last.clear();
    this.#place.replaceChildren();
    this.#last = this.#append();
    this.#texts = [];
  }

  /** The last page is whole, and another one begins, which may be one of many. */
  #settle(text: string, behind: number): void {
    const page = this.#last;
    const draw = () => {
      page.show(blocksOf(text));
      page.settle();
    };
    this.#sight.add({ place: page.place, draw, takeOff: () => page.clear() }, behind, text.length * HEIGHT);
    this.#settled.push(page);
    this.#last = this.#append();
  }

  #append(): Page {
    const place = document.createElement('div');
    place.className = 'page';
    this.#place.append(place);
    return new Page(place);
  }
}
