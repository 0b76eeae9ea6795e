import { waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { neutral } from '../src/lib/markdown/neutral';
import { show } from './markdown';

/** Everything that is in the page. */
const tagsOf = (page: Element) => new Set([...page.querySelectorAll('.page *')].map((element) => element.localName));

/** What a page could be made to do something with. */
const dangerous = 'script, style, link, meta, base, img, svg, iframe, object, embed, video, audio, form, input, [style], [id], [src], [srcset]';

test('HTML is text', () => {
  const html = '<script>alert(1)</script><img src=x onerror=alert(1)><b onclick="x()">b</b><style>*{}</style><!-- c --> &lt;i&gt;';
  const { page } = show(html);
  expect(tagsOf(page)).toEqual(new Set(['p']));
  expect(page.textContent).toBe(html.replace('&lt;i&gt;', '<i>'));
});

test('a block of HTML is text, in lists and quotes too', () => {
  const { page, $ } = show('<div>\n<iframe src=x></iframe>\n</div>\n\n> <form action=x>\n\n- <input autofocus onfocus=a()>');
  expect($(dangerous)).toBeNull();
  expect(tagsOf(page)).toEqual(new Set(['p', 'br', 'blockquote', 'ul', 'li']));
});

test.each([
  'javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'java&#115;cript:alert(1)', '&#1;javascript:alert(1)', 'java\u0001script:alert(1)',
  'data:text/html;base64,PHNjcmlwdD4=', 'data:image/png;base64,AAAA', 'vbscript:x', 'file:///etc/passwd', 'smb://host/x', 'ftp://host/x',
  'tauri://localhost/', 'ipc://localhost/x', 'blob:null/x', '//e.com/x', '/etc/passwd', 'index.html', '#top', 'http:', 'https://',
])('a link to %j stays text', (address) => {
  const { page } = show(`[click](${address}) and [again](<${address}>) and <${address}>`);
  expect(page.querySelector('a')).toBeNull();
  expect(page.textContent).toContain('[click](');
});

test.each(['https://good.com@evil.com/', 'https://a:b@evil.com/', 'https://:b@evil.com/', 'mailto://a@evil.com'])(
  'nothing leads to %j: what stands before its host could pretend to be one',
  (address) => {
    const { $$, page } = show(`[click](${address}), <${address}> and ${address}`);
    expect($$('a').filter((a) => a.getAttribute('href')!.includes('evil'))).toEqual([]);
    expect(page.textContent).toBe(`[click](${address}), <${address}> and ${address}`);
  },
);

test('a link to nowhere is its text', () => {
  expect(show('[a]() b').html()).toBe('<p><span>a</span> b</p>');
});

test.each(['www.example.com', 'example.com', 'ada@example.com', '192.168.0.1', '//example.com', 'ftp://example.com'])(
  '%j by itself is no link',
  (address) => expect(show(`see ${address} there`).$('a')).toBeNull(),
);

test('the address of a link is the one it opens, whatever its text says', () => {
  const { $$ } = show('[https://good.com](https://evil.com/) [b](https://gооd.com/) <mailto:a@b.c>');
  const addresses = ['https://evil.com/', 'https://xn--gd-fmca.com/', 'mailto:a@b.c'];
  for (const attribute of ['href', 'title']) expect($$('a').map((a) => a.getAttribute(attribute))).toEqual(addresses);
});

test('an image is its text and its address, and nothing is fetched', () => {
  const { page } = show('![a cat](https://e.com/track.gif "title") [![b](http://e.com/b.png)](https://e.com/)');
  expect(page.querySelector(dangerous)).toBeNull();
  expect(page.textContent).toBe('a cat (https://e.com/track.gif) b (http://e.com/b.png)');
  expect(show('![x](data:image/png;base64,AAAA)').page.textContent).toBe('![x](data:image/png;base64,AAAA)');
});

test('a style of a table or a class of a fence is none of the answer’s', () => {
  const { $, $$ } = show('```html onclick=alert(1) style="x"\n<b>\n```\n\n| a |\n|:-:|\n| b |');
  expect($(dangerous)).toBeNull();
  expect($('figure')).toHaveAccessibleName('Code, HTML');
  expect($$('*').flatMap((element) => element.getAttributeNames()).filter((name) => /^on/.test(name))).toEqual([]);
});

test('characters that turn the direction are seen, in text, code, links and formulas', async () => {
  const turned = '\u202Egnp.exe\u2069';
  const { page, $ } = show(`${turned} &#x202e;x \`${turned}\` [${turned}](https://e.com/)\n\n~~~\n${turned}\n~~~\n\n$\\foo{${turned}}$`);
  await waitFor(() => expect($('code')).toBeInTheDocument());
  expect(page.textContent).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  expect($('p')!.textContent).toBe('⟨U+202E⟩gnp.exe⟨U+2069⟩ ⟨U+202E⟩x ⟨U+202E⟩gnp.exe⟨U+2069⟩ ⟨U+202E⟩gnp.exe⟨U+2069⟩');
  expect($('pre')!.textContent).toBe('⟨U+202E⟩gnp.exe⟨U+2069⟩');
});

test('control characters are named, and what only helps to write is left alone', () => {
  expect(neutral('a\u001B[31m\u0000\u0007\u009B\u2028\uFEFF')).toBe('a⟨U+001B⟩[31m⟨U+0000⟩⟨U+0007⟩⟨U+009B⟩⟨U+2028⟩⟨U+FEFF⟩');
  expect(neutral('\u{E0049}\u{E0047}')).toBe('⟨U+E0049⟩⟨U+E0047⟩');
  expect(neutral('a\u200Eb\u200F\u061C')).toBe('ab');
  for (const fine of ['tab\tand\nline', '👩‍👩‍👧', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}', 'می‌خواهم', 'שלום', 'é']) {
    expect(neutral(fine)).toBe(fine);
  }
});

test('a formula has no address, no colour, no style and no picture', async () => {
  const tex = [
    '\\color{white} a', '\\rule{900em}{900em} a', '\\boxed{a}', '\\hspace{-900em} a', 'a \\\\[900em] b', '\\colorbox{red}{a}', '\\cancel{a}',
    '\\begin{array}{c|c} a & b \\\\ \\hline c & d \\end{array}', '\\text{<img src=x onerror=alert(1)>}', '\\unicode{x202e} a',
  ];
  const { $, $$ } = show(tex.map((one) => `$${one}$`).join('\n\n'));
  await waitFor(() => expect($$('math').length).toBeGreaterThan(6));
  expect($(`${dangerous}, [mathcolor], [mathbackground], [href]`)).toBeNull();
});

test.each(['\\href{javascript:alert(1)}{x}', '\\url{https://e.com}', '\\includegraphics{https://e.com/x.png}', '\\class{a}{x}', '\\style{color:red}{x}'])(
  'the formula %j is not set',
  async (tex) => {
    const { $, $$ } = show(`$${tex}$ and $b$`);
    await waitFor(() => expect($('math')).not.toBeNull());
    expect($$('math')).toHaveLength(1);
    expect($('code')!.textContent).toBe(tex);
  },
);

test('formulas without end or bottom are shown as they were written', async () => {
  const endless = '\\def\\a{\\a\\a}\\a';
  const deep = `${'\\sqrt{'.repeat(500)}x${'}'.repeat(500)}`;
  const { $$ } = show(`$${endless}$ $${deep}$ $b$`);
  await waitFor(() => expect($$('math')).toHaveLength(1));
  expect($$('code').map((code) => code.textContent)).toEqual([endless, deep]);
});

/** How deep the elements of the page lie in each other. */
function depth(element: Element): number {
  return 1 + Math.max(0, ...[...element.children].map(depth));
}

test.each([
  ['quotes', '> '.repeat(2000) + 'deep'],
  ['lists', Array.from({ length: 300 }, (_, at) => `${'  '.repeat(at)}- deep`).join('\n')],
  ['lists in quotes', '> - '.repeat(1000) + 'deep'],
  ['emphasis', '*a **a '.repeat(1000) + 'deep' + '** a* '.repeat(1000)],
  ['brackets', '['.repeat(5000) + 'deep' + '](https://e.com)'.repeat(1000)],
])('%s in each other thousands of times are shown, and not deeper than a page can bear', (_, source) => {
  const { page } = show(source);
  expect(depth(page)).toBeLessThan(80);
  expect(page.textContent).toContain('deep');
});

test.each([
  ['one line', 'x'.repeat(300_000)],
  ['one paragraph', 'some words\n'.repeat(20_000)],
  ['a list', '- item\n'.repeat(20_000)],
  ['a table of many columns', `${'|a'.repeat(5000)}|\n${'|-'.repeat(5000)}|\n${'|b'.repeat(5000)}|\n`],
  ['a table of many rows', '|a|b|\n|-|-|\n' + '|c|d|\n'.repeat(10_000)],
  ['an unclosed fence', '```html\n' + '<b>x</b>\n'.repeat(30_000)],
  ['backticks', '`a``'.repeat(20_000)],
  ['asterisks', '*a_ '.repeat(20_000)],
  ['brackets', '[a]('.repeat(20_000)],
  ['dollars', '$a $'.repeat(20_000)],
  ['openings of formulas', '\\(a \\[\n'.repeat(10_000)],
  ['addresses', 'https://e.com/'.repeat(8000)],
  ['entities', '&amp;&#x202e;'.repeat(8000)],
])('%s without end is shown to its end', (_, source) => {
  const { page } = show(source, true);
  expect(page.textContent!.length).toBeGreaterThan(source.length / 30);
  expect(page.querySelector(dangerous)).toBeNull();
});
