import { mount, unmount } from 'svelte';
import type { Block } from './blocks';
import CodeBlock from './CodeBlock.svelte';
import { neutral } from './neutral';
import type { Node } from './nodes';
import { typeset } from './typeset';

type Component = Record<string, never>;

/** A node as it stands in the page. */
type Drawn = {
  node: Node;
  dom: ChildNode;
  /** Shows another node of the same shape. */
  change: (node: Node) => void;
  /** What has to go with it: components, and what is drawn in it. */
  component: Component | null;
  children: Drawn[];
};

/**
 * Draws blocks into a place, and touches only what has changed since. By hand: components for every word would take
 * ten times as long.
 */
export class Page {
  readonly place: HTMLElement;
  #drawn: Drawn[] = [];
  readonly #components = new Set<Component>();

  constructor(place: HTMLElement) {
    this.place = place;
  }

  show(blocks: readonly Block[]): void {
    this.#draw(this.place, this.#drawn, blocks.map(({ node }) => node));
  }

  /** Nothing on it changes any more, so nothing has to be known of it. */
  settle(): void {
    this.#drawn = [];
  }

  clear(): void {
    for (const component of this.#components) void unmount(component);
    this.#components.clear();
    this.place.replaceChildren();
    this.#drawn = [];
  }

  /** Makes what is drawn in a place that of these nodes. */
  #draw(place: Element, drawn: Drawn[], nodes: readonly Node[]): void {
    nodes.forEach((node, index) => {
      const old = drawn[index];
      if (old?.node === node) return;
      if (old && shapeOf(old.node) === shapeOf(node)) {
        old.change(node);
        old.node = node;
        return;
      }
      const fresh = this.#make(node);
      if (old) this.#replace(old, fresh);
      else place.append(fresh.dom);
      drawn[index] = fresh;
    });
    for (const old of drawn.splice(nodes.length)) this.#replace(old);
  }

  #replace(old: Drawn, ...fresh: Drawn[]): void {
    old.dom.replaceWith(...fresh.map(({ dom }) => dom));
    this.#drop(old);
  }

  #drop({ component, children }: Drawn): void {
    for (const child of children) this.#drop(child);
    if (component && this.#components.delete(component)) void unmount(component);
  }

  #make(node: Node): Drawn {
    switch (node.kind) {
      case 'text':
        return written(node, document.createTextNode(''));
      case 'plain':
        return written(node, element('p', { class: 'plain' }));
      case 'break':
        return leaf(node, element('br'));
      case 'rule':
        return leaf(node, element('hr'));
      case 'maths':
        return formula(node);
      case 'code':
        return this.#code(node);
      case 'table': {
        const table = element('table');
        const box = element('div', { class: 'table', role: 'group', 'aria-label': 'Table', tabindex: '0' });
        box.append(table);
        return this.#parent(node, box, table);
      }
      case 'link':
        return this.#parent(node, element('a', { href: node.href, title: node.href, rel: 'noreferrer', draggable: 'false' }));
      case 'element':
        return this.#parent(node, element(node.tag, node.attributes));
    }
  }

  #parent(node: Node & { children: Node[] }, dom: Element, inside = dom): Drawn {
    const children: Drawn[] = [];
    const change = (next: Node) => this.#draw(inside, children, (next as typeof node).children);
    change(node);
    return { node, dom, change, component: null, children };
  }

  #code(node: Node & { kind: 'code' }): Drawn {
    const props = $state({ text: node.text, language: node.language, open: node.open });
    const target = element('div', { class: 'code' });
    const component = mount(CodeBlock, { target, props }) as Component;
    this.#components.add(component);
    return { ...leaf(node, target, (next) => Object.assign(props, next)), component };
  }
}

/** What has to stay the same for a node to be shown where another was. */
function shapeOf(node: Node): string {
  if (node.kind === 'link') return `link ${node.href}`;
  if (node.kind === 'maths') return `maths ${node.display}`;
  if (node.kind !== 'element') return node.kind;
  return node.attributes ? `${node.tag} ${JSON.stringify(node.attributes)}` : node.tag;
}

function leaf(node: Node, dom: ChildNode, change: (node: Node) => void = () => {}): Drawn {
  return { node, dom, change, component: null, children: [] };
}

function written(node: Node & { text: string }, dom: ChildNode): Drawn {
  const change = ({ text }: typeof node) => {
    if (dom.textContent !== text) dom.textContent = text;
  };
  change(node);
  return leaf(node, dom, (next) => change(next as typeof node));
}

function formula(node: Node & { kind: 'maths' }): Drawn {
  const block = { class: 'display', role: 'group', 'aria-label': 'Formula', tabindex: '0' };
  const place = element('span', node.display ? block : {});
  let shown: typeof node | null = null;
  const change = (next: typeof node) => {
    if (next.tex === shown?.tex && next.open === shown.open) return;
    shown = next;
    const source = element('code');
    source.textContent = neutral(next.tex);
    place.replaceChildren(source);
    // What cannot be set stays as it was written.
    if (!next.open) typeset(next.tex, next.display).then((set) => source.replaceWith(set), () => {});
  };
  change(node);
  return leaf(node, place, (next) => change(next as typeof node));
}

function element(tag: string, attributes: Record<string, string> = {}): Element {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
