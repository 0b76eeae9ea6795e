/** How long the pieces are in which a text is kept. */
const PIECE = 16_384;

/**
 * A text of a model as it is shown, which may grow at its end: without carriage returns, without blank lines and the space
 * between words before it, and without blanks behind it. What comes costs as much as it is long, whatever there is.
 */
export class Source {
  /** In characters. */
  length = $state(0);
  readonly #pieces: string[] = [];
  /** Where each piece begins. */
  readonly #starts: number[] = [];
  /** Blanks at the end, which are shown once something follows. */
  #blanks = '';

  static of(text: string): Source {
    const source = new Source();
    source.append(text);
    return source;
  }

  append(more: string): void {
    const all = this.#blanks + more.replaceAll('\r', '');
    const begins = this.#pieces.length === 0 ? all.replace(/^\s*\n/, '').replace(/^ (?=\S)/, '') : all;
    const shown = begins.trimEnd();
    this.#blanks = shown === '' ? all : begins.slice(shown.length);
    if (shown !== '') this.#add(shown);
  }

  /** The text from this place on. */
  from(at: number): string {
    void this.length;
    let first = this.#starts.length - 1;
    while (first > 0 && this.#starts[first]! > at) first -= 1;
    return this.#pieces
      .slice(Math.max(0, first))
      .join('')
      .slice(at - (this.#starts[first] ?? 0));
  }

  /** Whether it begins with these, one behind the other. */
  begins(parts: readonly string[]): boolean {
    return this.from(0).startsWith(parts.join(''));
  }

  #add(text: string): void {
    const last = this.#pieces.length - 1;
    if (last >= 0 && this.#pieces[last]!.length < PIECE) {
      this.#pieces[last] += text;
    } else {
      this.#starts.push(this.length);
      this.#pieces.push(text);
    }
    this.length += text.length;
  }
}
