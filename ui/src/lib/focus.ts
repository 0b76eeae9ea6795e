import { tick } from 'svelte';

/** Moves the keyboard to the first of these that is there, once what has changed is drawn. */
export async function focusOn(...selectors: string[]): Promise<void> {
  await tick();
  for (const selector of selectors) {
    const element = document.querySelector<HTMLElement>(selector);
    if (element) return element.focus();
  }
}

/** What shows this value under a `data-` attribute. */
export function showing(attribute: string, value: string | number): string {
  return `[data-${attribute}=${JSON.stringify(String(value))}]`;
}
