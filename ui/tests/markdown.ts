import { render } from '@testing-library/svelte';
import { vi } from 'vitest';
import { Source } from '../src/lib/markdown/source.svelte';
import Markdown from '../src/lib/markdown/Markdown.svelte';

/** Shows a text as an answer; `grow` replaces it by a longer one. */
export function show(source: string, growing = false) {
  const visit = vi.fn(async (_address: string) => {});
  const { container, rerender } = render(Markdown, { source: Source.of(source), growing, visit });
  const page = container.querySelector('.markdown')!;
  const grow = (source: string, growing = true) => rerender({ source: Source.of(source), growing, visit });
  /** The HTML of what is shown, without what Svelte and the style sheets need. */
  const html = () => [...page.children].map(({ innerHTML }) => innerHTML).join('').replace(/<!--.*?-->/g, '').replace(/ class="svelte-\w+"/g, '').trim();
  return { page, visit, grow, html, $: (css: string) => page.querySelector(css), $$: (css: string) => [...page.querySelectorAll(css)] };
}
