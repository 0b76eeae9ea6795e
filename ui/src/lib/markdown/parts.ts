/** The most characters of a part. */
const LONGEST = 4096;

/** Divides code, which may grow, into parts of whole lines: what is added changes the last of them only. */
export class Parts {
  #text = '';
  #whole: string[] = [];
  #at = 0;

  read(text: string): readonly string[] {
    if (!text.startsWith(this.#text.slice(0, this.#at))) {
      this.#whole = [];
      this.#at = 0;
    }
    this.#text = text;
    while (text.length - this.#at > LONGEST) {
      const piece = text.slice(this.#at, this.#at + LONGEST);
      const cut = cutOf(piece);
      this.#whole.push(piece.slice(0, cut).replace(/\n$/, ''));
      this.#at += cut;
    }
    return [...this.#whole, text.slice(this.#at)];
  }
}

/** Where a text that is too long is cut: behind its last whole line, or, if there is none, between two characters. */
export function cutOf(text: string): number {
  const line = text.lastIndexOf('\n') + 1;
  if (line > 0) return line;
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}
