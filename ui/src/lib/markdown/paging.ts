import { type Block, Blocks, part } from './blocks';
import type { Node } from './nodes';
import type { Source } from './source.svelte';

/** How much is on a page at least, in characters. */
const PAGE = 8192;

/** A text as it is drawn: the pages that nothing changes any more, and the blocks behind them. */
export type Paged = {
  /** Their texts, which are the whole text but for its end. Pages are added to the same list as long as it is the same text. */
  readonly pages: readonly string[];
  readonly open: readonly Block[];
};

/** Divides a text into pages while it grows. What is on a page is not looked at again. */
export class Paging {
  #source: Source | null = null;
  #pages: string[] = [];
  /** Where the first block begins that is on no page. */
  #at = 0;
  #blocks = new Blocks();

  read(source: Source, growing: boolean): Paged {
    if (source !== this.#source && !source.begins(this.#pages)) this.#pages = [];
    if (source !== this.#source) this.#at = this.#pages.reduce((all, { length }) => all + length, 0);
    this.#source = source;
    const text = source.from(this.#at);
    const open = this.#blocks.read(text, growing);
    const ends = pageEnds(open.slice(0, this.#blocks.settled + 1));
    const last = ends.at(-1);
    if (last === undefined) return { pages: this.#pages, open };
    ends.forEach((end, index) => this.#pages.push(part(text, ends[index - 1] ?? 0, end)));
    this.#at += last;
    this.#blocks = new Blocks();
    return { pages: this.#pages, open: this.#blocks.read(text.slice(last), growing) };
  }
}

/** The blocks of a page. */
export function blocksOf(page: string): readonly Block[] {
  return new Blocks().read(page, false);
}

/** Where the pages of these blocks end; the last block is on none. */
function pageEnds(blocks: readonly Block[]): number[] {
  const ends: number[] = [];
  blocks.forEach(({ at }, index) => {
    const before = blocks[index - 1]?.node;
    // A heading or a rule belongs to what is under it.
    if (before && at - (ends.at(-1) ?? 0) >= PAGE && before.kind !== 'rule' && !isHeading(before)) ends.push(at);
  });
  return ends;
}

function isHeading(node: Node): boolean {
  return node.kind === 'element' && /^h\d$/.test(node.tag);
}
