// TeX between `$…$`, `$$…$$`, `\(…\)` and `\[…\]`, as rules of markdown-it.
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';

const closings: Record<string, string> = { '$$': '$$', '\\[': '\\]', '\\(': '\\)' };
/** How much of a text may be one formula, in characters: what is never closed must not be looked through each time. */
const LONGEST = 4000;

/** `open`: its end is missing, so it is shown as it was written. */
export type Maths = { display: boolean; open: boolean };

export function maths(md: MarkdownIt): void {
  md.block.ruler.before('fence', 'maths', displayed, { alt: ['paragraph', 'blockquote', 'list'] });
  md.inline.ruler.before('escape', 'maths', inline);
}

/** Like a fence, a line with an opening and nothing else begins a formula, whatever comes; a blank line ends it, too. */
function displayed(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineAt = (line: number) => state.getLines(line, line + 1, state.blkIndent, false).trim();
  const opening = lineAt(startLine);
  if (!(opening === '$$' || opening === '\\[') || state.sCount[startLine]! - state.blkIndent >= 4) return false;
  if (silent) return true;
  const closing = closings[opening]!;
  const lines: string[] = [];
  let open = true;
  let next = startLine + 1;
  for (; open && next < endLine && !state.isEmpty(next) && state.sCount[next]! >= state.blkIndent; next += 1) {
    const line = lineAt(next);
    open = !line.endsWith(closing);
    lines.push(open ? line : line.slice(0, -2));
  }
  const token = state.push('maths', 'math', 0);
  token.content = lines.join('\n').trim();
  token.meta = { display: true, open } satisfies Maths;
  token.map = [startLine, next];
  state.line = next;
  return true;
}

function inline(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const closing = closings[src.slice(pos, pos + 2)] ?? (src[pos] === '$' ? '$' : null);
  if (closing === null) return false;
  const begin = pos + closing.length;
  const near = src.slice(begin, begin + LONGEST);
  const length = closing === '$' ? dollars(near) : near.indexOf(closing);
  const open = length < 0 && src[pos] === '\\' && state.tokens === state.env['end'];
  if (length <= 0 && !open) return false;
  if (!silent) {
    const token = state.push('maths', 'math', 0);
    token.content = (open ? src.slice(begin) : near.slice(0, length)).trim();
    token.meta = { display: closing === '$$' || closing === '\\]', open } satisfies Maths;
  }
  state.pos = open ? state.posMax : begin + length + closing.length;
  return true;
}

/** Where the formula ends that begins behind a dollar; -1 if the dollar is one of money. */
function dollars(text: string): number {
  if (/^[\s$]/.test(text)) return -1;
  for (let at = text.indexOf('$', 1); at > 0; at = text.indexOf('$', at + 1)) {
    if (text[at - 1] === '\\') continue;
    return /\s/.test(text[at - 1]!) || /\d/.test(text[at + 1] ?? '') ? -1 : at;
  }
  return -1;
}
