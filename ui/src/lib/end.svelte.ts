/** The end of something that grows, and whether it is held there: scrolling up lets go of it, coming back to it takes hold again. */
export class End {
  held = $state(true);
  #top = 0;

  /** Sees where the reader has scrolled to; `ends` says whether what is drawn goes to the end. */
  look({ scrollTop, clientHeight, scrollHeight }: HTMLElement, ends = true): void {
    if (scrollHeight - clientHeight - scrollTop < 4 && ends) this.held = true;
    else if (scrollTop < this.#top) this.held = false;
    this.#top = scrollTop;
  }

  /** Whether the reader has scrolled, and the browser is about to say so. */
  passed({ scrollTop }: HTMLElement): boolean {
    return scrollTop !== this.#top;
  }

  /** Scrolls there, if it is held. */
  keep(scroller: HTMLElement): void {
    if (this.held) scroller.scrollTop = scroller.scrollHeight;
    this.#top = scroller.scrollTop;
  }
}

/** An attachment: stays at the end of a text that grows as long as the reader does; null is none that grows. */
export function following(text: () => string | null): (scroller: HTMLElement) => () => void {
  return (scroller) => {
    const end = new End();
    const scrolled = () => end.look(scroller);
    scroller.addEventListener('scroll', scrolled);
    $effect(() => {
      if (text() === null) return;
      if (end.passed(scroller)) scrolled();
      end.keep(scroller);
    });
    return () => scroller.removeEventListener('scroll', scrolled);
  };
}
