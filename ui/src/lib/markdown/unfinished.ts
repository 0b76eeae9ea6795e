// A text that still grows is read as if what is open at its end were closed there, so that it does not jump when it is.
import type { MarkdownIt, StateCore, StateInline } from 'markdown-it';

export function unfinished(md: MarkdownIt): void {
  md.core.ruler.before('inline', 'end', markEnd);
  md.inline.ruler.before('backticks', 'open_code', code);
  md.inline.ruler.before('link', 'open_link', link);
  md.inline.ruler2.after('balance_pairs', 'open_emphasis', emphasis);
}

/** Keeps, as `env.end`, the tokens of the text at the very end, if there is text. */
function markEnd(state: StateCore): void {
  if (state.env['growing'] !== true || /\n[ \t]*\n[ \t]*$/.test(state.src)) return;
  const last = state.tokens.findLastIndex(({ nesting, type, content }) => nesting === 0 && (type !== 'inline' || content !== ''));
  const behind = state.tokens.slice(last + 1);
  if (behind.every(({ level, nesting }) => level > 0 || nesting < 0)) state.env['end'] = state.tokens[last]?.children;
}

const atEnd = (state: StateInline) => state.tokens === state.env['end'];

function code(state: StateInline, silent: boolean): boolean {
  if (!atEnd(state) || state.src[state.pos] !== '`') return false;
  const marker = /`+/y;
  marker.lastIndex = state.pos;
  const [ticks] = marker.exec(state.src)!;
  const rest = state.src.slice(state.pos + ticks.length);
  if (rest.match(/`+/g)?.includes(ticks)) return false;
  if (!silent) state.push('code_inline', 'code', 0).content = rest.trimStart();
  state.pos = state.posMax;
  return true;
}

/** Of a link whose address is still coming there is only the text. */
function link(state: StateInline, silent: boolean): boolean {
  if (!atEnd(state)) return false;
  const label = /!?\[([^[\]]*)\]\([^()\s]*$/y;
  label.lastIndex = state.pos;
  const found = label.exec(state.src);
  if (!found) return false;
  if (!silent) state.push('text', '', 0).content = found[1]!;
  state.pos = state.posMax;
  return true;
}

/** Puts an end to what nothing has closed, the innermost first. */
function emphasis(state: StateInline): void {
  if (!atEnd(state)) return;
  let closed = -1;
  const open = state.delimiters.flatMap((delimiter, at) => {
    closed = Math.max(closed, delimiter.end);
    return delimiter.open && delimiter.end < 0 && at > closed ? [at] : [];
  });
  for (const at of open.reverse()) {
    const opener = state.delimiters[at]!;
    state.push('text', '', 0);
    opener.end = state.delimiters.length;
    state.delimiters.push({ ...opener, token: state.tokens.length - 1, end: -1, open: false, close: true });
  }
}

/** The source without what is about to become something else: markers with nothing behind them yet. */
export function settled(source: string): string {
  const begun = source.replace(/(^|\n)[ \t]*(?:[-+*=>#|]+|\d+[.)]?)[ \t]*$/, '$1');
  return withTable(begun.replace(/([^\n*_~`])[*_~`]+$/, '$1'));
}

/** Completes a table of which there is the first line only, or no more than the second. */
function withTable(source: string): string {
  const begun = /(?:^|\n\n)(\|.+)(?:\n[|:\- ]*)?$/.exec(source);
  if (!begun) return source;
  const header = begun[1]!;
  const columns = header.replace(/^\||\|\s*$/g, '').split('|').length;
  return `${source.slice(0, begun.index + begun[0].indexOf(header))}${header}\n${'|-'.repeat(columns)}|`;
}
