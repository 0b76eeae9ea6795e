// TeX set as MathML. Both libraries are fetched when the first formula is shown.

/** Nothing in a formula may have an address, a colour or a style of its own. */
const gate = {
  RETURN_DOM_FRAGMENT: true as const,
  USE_PROFILES: { mathMl: true },
  ADD_ATTR: ['class'],
  FORBID_ATTR: ['style', 'href', 'src', 'id', 'mathcolor', 'mathbackground', 'mathsize'],
};
/** A box that is drawn by its class, not by a style. */
const boxed = '\\fbox{$\\displaystyle{#1}$}';
const limits = { throwOnError: true, maxSize: [10, 100] as [number, number], maxExpand: 100 };
/** How deep a formula may go: pages do not bear any depth. */
const DEEPEST = 60;
/** How many milliseconds formulas may take before others have their turn. */
const TURN = 8;

let queue = Promise.resolve();
let begun = 0;

/** The formula as MathML, after those that were asked for before; rejects what is not TeX. */
export function typeset(tex: string, display: boolean): Promise<Element> {
  const formula = queue.then(breathe).then(() => set(tex, display));
  queue = formula.then(() => {}, () => {});
  return formula;
}

async function breathe(): Promise<void> {
  if (performance.now() - begun < TURN) return;
  await new Promise((resolve) => setTimeout(resolve));
  begun = performance.now();
}

async function set(tex: string, display: boolean): Promise<Element> {
  const [{ default: temml }, { default: purifier }] = await Promise.all([import('temml'), import('dompurify')]);
  const markup = temml.renderToString(tex, { displayMode: display, macros: { '\\boxed': boxed }, ...limits });
  // The gate would take styles out only after the page's policy has complained of them.
  const formula = purifier.sanitize(markup.replace(/ style="[^"]*"/g, ''), gate).firstElementChild;
  if (!formula || depthOf(formula) > DEEPEST) throw new Error('This formula cannot be shown.');
  return document.adoptNode(formula);
}

function depthOf(element: Element): number {
  return 1 + Math.max(0, ...Array.from(element.children, depthOf));
}
