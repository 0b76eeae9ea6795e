import { render } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { bench, describe } from 'vitest';
import { showcase } from '../scripted/markdown';
import { Blocks } from '../src/lib/markdown/blocks';
import Markdown from '../src/lib/markdown/Markdown.svelte';

// What a frame costs while an answer streams. At 500 tokens a second and 30 frames a second it brings 17 tokens, which
// are about 67 characters. In jsdom, so without layout; a browser's nodes are faster.
const frame = 67;
const prose = showcase.replace(/^ *```[^]*?```$/gm, '').replace(/^\$\$[^]*?^\$\$$/gm, '');
const long = (text: string, length: number) => text.repeat(Math.ceil(length / text.length));

describe('17 tokens more', () => {
  for (const [name, text] of [['100 kB', long(prose, 1e5)], ['1.2 MB', long(prose, 1.2e6)], ['100 kB of code', '```js\n' + long('let a = 5;\n', 1e5)]] as const) {
    const blocks = new Blocks();
    let read = 0;
    bench(`read: behind ${name}`, () => void blocks.read(text + long(prose, 1e5).slice(0, (read += frame) % 1e5), true));

    const visit = async () => {};
    const { rerender } = render(Markdown, { source: text, growing: true, visit });
    let drawn = 0;
    bench(`read and draw: behind ${name}`, () => {
      void rerender({ source: text + long(prose, 1e5).slice(0, (drawn += frame) % 1e5), growing: true, visit });
      flushSync();
    });
  }
});

describe('an answer that is whole', () => {
  const text = long(showcase, 1e5);
  bench('read: 100 kB', () => void new Blocks().read(text, false));
});
