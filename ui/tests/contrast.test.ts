import { expect, test } from 'vitest';
import css from '../src/app.css?raw';

type Colour = { rgb: number[]; alpha: number };

/** The colours of a block of the style sheet, by name. */
function colours(block: string): Map<string, Colour> {
  const found = new Map<string, Colour>();
  for (const [, name, hex, grey, alpha] of block.matchAll(/--([\w-]+): (?:#(\w{6})|rgb\((\d+) \d+ \d+ \/ (\d+)%\));/g)) {
    if (hex) found.set(name!, { rgb: [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)), alpha: 1 });
    else found.set(name!, { rgb: [Number(grey), Number(grey), Number(grey)], alpha: Number(alpha) / 100 });
  }
  return found;
}

const over = (top: Colour, below: Colour): Colour => ({
  rgb: top.rgb.map((value, at) => value * top.alpha + below.rgb[at]! * (1 - top.alpha)),
  alpha: 1,
});

/** WCAG 2.2, relative luminance. */
function luminance({ rgb }: Colour): number {
  const [red, green, blue] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: Colour, other: Colour): number {
  const [dark, light] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

const [light, dark] = css.split('@media (prefers-color-scheme: dark)').map(colours) as [Map<string, Colour>, Map<string, Colour>];

test.each([
  ['light', light],
  ['dark', dark],
])('in the %s every text can be read on every ground that it stands on', (_, named) => {
  const of = (name: string) => named.get(name)!;
  const grounds = { page: of('page'), side: of('side'), raised: of('raised'), 'chosen in the sidebar': over(of('chosen'), of('side')) };
  const texts = ['text', 'dim', 'faint', 'accepted', 'bonus', 'rejected', 'problem', 'code-keyword', 'code-string', 'code-literal'];
  const faint = texts.flatMap((text) =>
    Object.entries(grounds)
      .filter(([ground]) => ground !== 'chosen in the sidebar' || text === 'text' || text === 'dim')
      .map(([ground, colour]) => ({ text, ground, contrast: contrast(of(text), colour) }))
      .filter(({ contrast }) => contrast < 4.5),
  );
  expect(faint).toEqual([]);
});
