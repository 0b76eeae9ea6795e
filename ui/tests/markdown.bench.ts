import { render } from '@testing-library/svelte';
import { flushSync } from 'svelte';
import { bench, describe } from 'vitest';
import { showcase } from '../scripted/markdown';
import Markdown from '../src/lib/markdown/Markdown.svelte';
import { Paging } from '../src/lib/markdown/paging';
import { Source } from '../src/lib/markdown/source.svelte';

// What a frame costs while an answer streams. At 500 tokens a second and 30 frames a second it brings 17 tokens, which
// are about 67 characters. In jsdom, so without layout; a browser's nodes are faster.
const frame = 67;
const prose = showcase.replace(/^ *```[^]*?```$/gm, '').replace(/^\$\$[^]*?^\$\$$/gm, '');
const long = (text: string, length: number) => text.repeat(Math.ceil(length / text.length));

let at = 0;
const next = () => prose.slice((at = (at + frame) % (prose.length - frame)), at + frame);

describe('17 tokens more', () => {
  for (const [name, text] of [['100 kB', long(prose, 1e5)], ['1.2 MB', long(prose, 1.2e6)], ['100 kB of code', '```js\n' + long('let a = 5;\n', 1e5)]] as const) {
    const [paging, read] = [new Paging(), Source.of(text)];
    bench(`read: behind ${name}`, () => {
      read.append(next());
      paging.read(read, true);
    });

    const source = Source.of(text);
    render(Markdown, { source, growing: true, visit: async () => {} });
    bench(`read and draw: behind ${name}`, () => {
      source.append(next());
      flushSync();
    });
  }
});

describe('an answer that is whole', () => {
  const text = long(showcase, 1e5);
  bench('read: 100 kB', () => void new Paging().read(Source.of(text), false));
});
