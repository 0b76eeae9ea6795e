import { topsOf } from './grammar';
import { code, type Node, nodesOf } from './nodes';
import { neutral } from './neutral';
import { cutOf } from './parts';
import { settled } from './unfinished';

/** A block of the outermost level: where it begins in the source, and what it shows. The same object is the same block. */
export type Block = { readonly at: number; readonly node: Node };

/** The most characters that one block may have, unless it is code: a longer one goes on in the next. */
const LONGEST = 16_384;

/**
 * Reads a text into blocks while it grows. What the end of the text cannot change any more is read once; the result is
 * the same whether the text comes at once or character by character.
 */
export class Blocks {
  #source = '';
  #done: Block[] = [];
  /** Where the first block begins that may still change. */
  #at = 0;
  /** Up to here an open fence was looked through for its end. */
  #searched = 0;

  /** How many blocks nothing changes any more. */
  get settled(): number {
    return this.#done.length;
  }

  read(source: string, growing: boolean): readonly Block[] {
    if (!source.startsWith(this.#source.slice(0, Math.max(this.#at, this.#searched)))) {
      this.#done = [];
      this.#at = this.#searched = 0;
    }
    this.#source = source;
    for (;;) {
      const at = this.#at;
      const rest = this.#fence(growing) ?? this.#prose(growing);
      if (this.#at === at) return [...this.#done, ...rest];
    }
  }

  /** Reads the fence that begins here, which may be of any length; null if none does. */
  #fence(growing: boolean): Block[] | null {
    const at = this.#at;
    const opening = /(`{3,})([^`\n]*)\n|(~{3,})([^\n]*)\n/y;
    opening.lastIndex = at;
    const found = opening.exec(this.#source);
    if (!found) return null;
    const marker = (found[1] ?? found[3])!;
    const begin = opening.lastIndex;
    const closing = new RegExp(`\\n {0,3}${marker}${marker[0]}*[ \\t]*(\\n|$)`, 'g');
    closing.lastIndex = Math.max(begin - 1, this.#searched);
    const end = closing.exec(this.#source);
    const text = part(this.#source, begin, end ? end.index + 1 : undefined);
    const block = { at, node: code((found[2] ?? found[4])!, text, growing && !end) };
    if (!end) {
      // The line that is being written may become the end.
      this.#searched = Math.max(begin - 1, this.#source.lastIndexOf('\n'));
      return [block];
    }
    if (end[1] !== '\n') return [block];
    this.#advance([block], closing.lastIndex);
    return [];
  }

  /** Reads as much as may be one block, and keeps the blocks that are over. */
  #prose(growing: boolean): Block[] {
    const at = this.#at;
    const whole = this.#source.length - at <= LONGEST;
    const source = part(this.#source, at, at + LONGEST);
    const open = growing && whole;
    const blocks = blocksOf(open ? settled(source) : source, at, open);
    const next = blocks.findLastIndex((block) => block.at > at && begins(source, block.at - at));
    if (next >= 0) {
      this.#advance(blocks.slice(0, next), blocks[next]!.at);
      return [];
    }
    if (whole) return blocks;
    const cut = cutOf(source);
    this.#advance(blocksOf(source.slice(0, cut), at, false), at + cut);
    return [];
  }

  #advance(done: Block[], to: number): void {
    this.#done.push(...done);
    this.#at = this.#searched = to;
  }
}

/**
 * A part of a text that does not hold the whole of it. A slice does, and blocks that stay would hold one whole text each:
 * the one that there was when they were read.
 */
export function part(text: string, begin: number, end?: number): string {
  return `\n${text.slice(begin, end)}`.slice(1);
}

/** The blocks of a source that stands `at` this place of the text. */
function blocksOf(source: string, at: number, growing: boolean): Block[] {
  const lines = lineStarts(source);
  return topsOf(source, growing).map(({ line, tokens, deep }, index, tops) => {
    const begin = lines[line]!;
    const following = tops[index + 1];
    const [node] = deep
      ? [{ kind: 'plain' as const, text: neutral(source.slice(begin, following && lines[following.line])) }]
      : nodesOf(tokens, growing && !following);
    return { at: at + begin, node: node! };
  });
}

/** Whether a block surely begins here. That also depends on the line after its first, so both must be whole. */
function begins(source: string, at: number): boolean {
  const second = source.indexOf('\n', at) + 1;
  return second > 0 && source.includes('\n', second);
}

/** Where the lines of a text begin. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
