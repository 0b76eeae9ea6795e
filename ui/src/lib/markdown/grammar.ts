// What of Markdown is understood: no HTML, no references, so that every block stands by itself.
import MarkdownIt, { type Token } from 'markdown-it';
import { maths } from './maths';
import { unfinished } from './unfinished';

/** How deep blocks may lie in each other; what is deeper would be lost. */
const DEEPEST = 40;

// Underlined headings are left out: what a model writes under a line is a rule.
const grammar = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: DEEPEST })
  .disable(['reference', 'lheading'])
  .use(maths)
  .use(unfinished);

grammar.validateLink = (address) => /^(https?:\/\/|mailto:)./i.test(address) && isPlain(address);
grammar.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false }).add('ftp:', null).add('//', null);

/** A block of the outermost level: where it begins in the lines of the source, and what is in it. */
export type Top = { readonly line: number; readonly tokens: readonly Token[]; readonly deep: boolean };

/** The blocks of a source; the last one may be open at its end if it is still `growing`. */
export function topsOf(source: string, growing: boolean): Top[] {
  const tops: { line: number; tokens: Token[]; deep: boolean }[] = [];
  for (const token of grammar.parse(source, { growing })) {
    if (token.level === 0 && token.nesting >= 0) tops.push({ line: token.map![0], tokens: [], deep: false });
    const top = tops.at(-1)!;
    top.tokens.push(token);
    top.deep ||= token.level >= DEEPEST - 1;
  }
  return tops;
}

/** Whether it is an address, without a name or a password, with which it could pretend to lead elsewhere. */
function isPlain(address: string): boolean {
  try {
    const { username, password } = new URL(address);
    return username === '' && password === '';
  } catch {
    return false;
  }
}
