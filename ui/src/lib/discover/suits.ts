import type { Model } from '../backend/backend';

/** A Gemma and its size in a name: `gemma-4-E2B-it`, `dspark_gemma4_12b_block7`, `Gemma 4 26B-A4B`. */
const gemma = /gemma[-_ ]?(\d)n?[-_ ](e?\d+(?:\.\d+)?[bm])(?![a-z0-9])/i;

/** What drafters for a target have in common with its name, as `4 e2b`; null if the name does not say. */
export function size(name: string): string | null {
  const found = gemma.exec(name);
  return found ? `${found[1]} ${found[2]!.toLowerCase()}` : null;
}

/** Whether one of these repos is the target's, or of its generation and size by name. */
export function suits({ repo, folder, summary }: Model, names: readonly string[]): boolean {
  const wanted = [repo, folder, summary].map((text) => size(text ?? '')).find((found) => found !== null);
  const same = (name: string) => name.toLowerCase() === repo?.toLowerCase();
  return names.some((name) => same(name) || (wanted !== undefined && size(name) === wanted));
}
