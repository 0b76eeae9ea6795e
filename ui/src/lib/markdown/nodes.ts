// What is shown of Markdown, as a tree of a few kinds of nodes. Nothing else can reach the page, so nothing is HTML.
import type { Token } from 'markdown-it';
import type { Maths } from './maths';
import { neutral } from './neutral';

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'rule' }
  | { kind: 'element'; tag: string; attributes?: Record<string, string>; children: Node[] }
  | { kind: 'table'; children: Node[] }
  | { kind: 'link'; href: string; children: Node[] }
  | { kind: 'code'; language: string; text: string; open: boolean }
  | { kind: 'maths'; tex: string; display: boolean; open: boolean }
  | { kind: 'plain'; text: string };

type Parent = Extract<Node, { children: Node[] }>;

const tags = new Set('p h3 h4 h5 h6 ul ol li blockquote thead tbody tr th td strong em s'.split(' '));
/** The page's own headings come first. */
const headings: Record<string, string> = { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' };
/** Emphasis in emphasis: deeper than this it cannot be told apart any more. */
const DEEPEST = 64;

/** The tree of tokens; code at their very end is still being written if they are `open`. */
export function nodesOf(tokens: readonly Token[], open = false): Node[] {
  const root: Node[] = [];
  const stack = [root];
  const last = open ? tokens.findLast(({ nesting }) => nesting === 0) : undefined;
  for (const token of tokens) {
    const into = stack.at(-1)!;
    if (token.hidden) continue;
    if (token.nesting < 0) stack.pop();
    else if (token.nesting === 0) add(into, leaf(token, token === last));
    else if (stack.length > DEEPEST) stack.push(into);
    else {
      const node = parent(token);
      into.push(node);
      stack.push(node.children);
    }
  }
  return root;
}

function parent(token: Token): Parent {
  const children: Node[] = [];
  if (token.type === 'table_open') return { kind: 'table', children };
  if (token.type === 'link_open') {
    const href = token.attrGet('href');
    // What needs no address, as in `[text]()`, is no link.
    return href ? { kind: 'link', href: new URL(String(href)).href, children } : { kind: 'element', tag: 'span', children };
  }
  const tag = headings[token.tag] ?? token.tag;
  if (!tags.has(tag)) throw new Error(`${token.type} is no part of an answer`);
  const align = /left|center|right/.exec(String(token.attrGet('style')))?.[0];
  if (align) return { kind: 'element', tag, attributes: { 'data-align': align }, children };
  const start = token.attrGet('start');
  return start === null ? { kind: 'element', tag, children } : { kind: 'element', tag, attributes: { start: String(start) }, children };
}

function leaf(token: Token, open: boolean): Node[] {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children!);
    case 'code_inline':
      return [{ kind: 'element', tag: 'code', children: text(token.content) }];
    case 'fence':
    case 'code_block':
      return [code(token.info, token.content, open)];
    case 'maths': {
      const { display, open } = token.meta as Maths;
      return [{ kind: 'maths', tex: token.content, display, open }];
    }
    case 'image':
      return text(`${token.content} (${String(token.attrGet('src'))})`);
    case 'hardbreak':
    case 'softbreak':
      return [{ kind: 'break' }];
    case 'hr':
      return [{ kind: 'rule' }];
    default:
      return text(token.content);
  }
}

/** A block of code; the first word behind its fence names the language. */
export function code(info: string, source: string, open: boolean): Node {
  const language = neutral(info.trim().split(/[\s{,:]/)[0]!.slice(0, 24));
  return { kind: 'code', language, text: source.replace(/\n$/, ''), open };
}

const text = (content: string): Node[] => (content === '' ? [] : [{ kind: 'text', text: neutral(content) }]);

/** Neighbouring text becomes one node. */
function add(into: Node[], nodes: Node[]): void {
  for (const node of nodes) {
    const last = into.at(-1);
    if (node.kind === 'text' && last?.kind === 'text') last.text += node.text;
    else into.push(node);
  }
}
