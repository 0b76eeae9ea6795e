/** A part of something long: a place, and what draws it there or takes it off again. */
export type Leaf = {
  readonly place: HTMLElement;
  readonly draw: () => void;
  readonly takeOff: () => void;
};

type Placed = Leaf & { drawn: boolean };

/**
 * Draws something very long in parts. The browser lays out what is in sight, and only so much is drawn: a part that is far
 * from sight is a place as high as it was. The places want `content-visibility: auto`.
 */
export class Sight {
  /** How many stay drawn although they are out of sight. */
  readonly #kept: number;
  readonly #leaves = new Map<Element, Placed>();
  /** Those that are drawn and out of sight; the one that has been for longest comes first. */
  readonly #away = new Set<Placed>();

  constructor(kept: number) {
    this.#kept = kept;
  }

  /** Adds one with so many behind it, which is thought to be so high, in pixels, until it is drawn. */
  add({ place, draw, takeOff }: Leaf, behind: number, height: number): void {
    // Only where the browser tells what is out of sight can anything be taken off.
    const leaf = { place, draw, takeOff, drawn: behind < this.#kept || !tells };
    this.#leaves.set(place, leaf);
    place.addEventListener('contentvisibilityautostatechange', (event) => {
      if (event.target !== place || this.#leaves.get(place) !== leaf) return;
      this.#turn(leaf, !(event as ContentVisibilityAutoStateChangeEvent).skipped);
    });
    if (leaf.drawn) draw();
    else {
      takeOff();
      place.style.height = `${Math.ceil(height)}px`;
    }
  }

  /** Draws one that may be far from sight. */
  bring(place: Element): void {
    const leaf = this.#leaves.get(place);
    if (leaf && !leaf.drawn) this.#draw(leaf);
  }

  drop(place: Element): void {
    const leaf = this.#leaves.get(place);
    if (leaf) this.#away.delete(leaf);
    this.#leaves.delete(place);
  }

  /** A leaf comes near or goes far. */
  #turn(leaf: Placed, near: boolean): void {
    this.#away.delete(leaf);
    if (!near && leaf.drawn) this.#away.add(leaf);
    if (near && !leaf.drawn) this.#draw(leaf);
    for (const far of this.#away) {
      if (this.#away.size <= this.#kept) break;
      if (!wanted(far.place)) this.#takeOff(far);
    }
  }

  #draw(leaf: Placed): void {
    leaf.draw();
    leaf.place.style.height = '';
    leaf.drawn = true;
  }

  #takeOff(leaf: Placed): void {
    leaf.place.style.height = `${leaf.place.offsetHeight}px`;
    leaf.takeOff();
    leaf.drawn = false;
    this.#away.delete(leaf);
  }
}

const tells = 'ContentVisibilityAutoStateChangeEvent' in globalThis;

/** What is selected may be about to be copied, or be what the keyboard is at. */
function wanted(place: HTMLElement): boolean {
  return (getSelection()?.containsNode(place, true) ?? false) || place.querySelector('[aria-selected="true"]') !== null;
}
