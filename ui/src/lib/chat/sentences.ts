// A text that grows, as whole sentences: what a screen reader says of an answer that is being written.
import type { Source } from '../markdown/source.svelte';

/** What marks a text up, and is not read out: code between fences is called so, and links are what they say. */
function plain(text: string): string {
  return text
    .replace(/^(```|~~~).*\n[\s\S]*?(^\1.*$|$(?![\s\S]))/gm, 'A piece of code.\n')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[ \t]*(#{1,6}|>|[-*+])[ \t]+/gm, '')
    .replace(/[*_`]+/g, '');
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' });

export class Sentences {
  #read: number;

  /** From this place of the text on, in characters. */
  constructor(from = 0) {
    this.#read = from;
  }

  /** The whole sentences that have come since the last time, behind a `beginning` that is known; at the `end` also what is none. */
  next(text: Source, end: boolean, beginning = 0): string {
    this.#read = Math.max(this.#read, beginning);
    const rest = text.from(this.#read);
    const whole = end ? rest : rest.slice(0, this.#whole(rest));
    this.#read += whole.length;
    return plain(whole).trim();
  }

  // The last one may go on, and so may code until its fence is closed.
  #whole(text: string): number {
    const fences = [...text.matchAll(/^(```|~~~)/gm)];
    const open = fences.length % 2 === 1 ? fences.at(-1)!.index : text.length;
    const begins = [...segmenter.segment(text)].map(({ index }) => index);
    return begins.findLast((index) => index <= open) ?? 0;
  }
}
