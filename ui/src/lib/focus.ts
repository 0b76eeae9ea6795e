import { tick } from 'svelte';

/** What takes the keyboard where nothing else does: the view's search field, or its heading. */
const last = ['main [type=search]', 'main h1[tabindex]'];

/** Whether the keyboard is somewhere where it can still do something. */
function held(): boolean {
  const at = document.activeElement;
  return at !== null && at !== document.body && !at.matches(':disabled');
}

/**
 * Where what had the keyboard is gone or disabled once what has changed is drawn, moves it to the first of these that
 * takes it. Who is somewhere else by then stays there.
 */
export async function focusOn(...selectors: string[]): Promise<void> {
  await tick();
  if (held()) return;
  for (const selector of [...selectors, ...last]) {
    // The page need not go to its top only because nothing else is left.
    document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: last.includes(selector) });
    if (held()) return;
  }
}

/** An attachment: the keyboard reaches what is wider than its place, to scroll it. */
export function reached(wide: HTMLElement): () => void {
  const sizes = new ResizeObserver(() => {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
    else wide.removeAttribute('tabindex');
  });
  for (const element of [wide, ...wide.children]) sizes.observe(element);
  return () => sizes.disconnect();
}

/** What shows this value under a `data-` attribute. */
export function showing(attribute: string, value: string | number): string {
  return `[data-${attribute}=${JSON.stringify(String(value))}]`;
}
