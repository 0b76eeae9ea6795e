// Colours code in a worker: a grammar takes long to get ready, and no code may hold up the page.
import { type Language, languageOf } from './languages';

export type Kind = 'plain' | 'comment' | 'keyword' | 'string' | 'literal' | 'inserted' | 'deleted';
export type Run = { readonly kind: Kind; readonly text: string };
/** What is asked of the worker, which answers with the runs of each part in turn, or null if it cannot. */
export type Order = { readonly language: Language; readonly parts: readonly string[] };
export type Reply = readonly Run[] | null;

/** How many parts of a code are coloured at most: the rest is left plain. */
const MOST = 24;
/** How long one part may take, with its grammar, in milliseconds. */
const PATIENCE = 10_000;

let worker: Worker | null = null;
let queue = Promise.resolve();

/** Colours the parts of a code, one after the other, until the function it gives back is called. */
export function coloured(parts: readonly string[], word: string, onPart: (runs: readonly Run[]) => void): () => void {
  const language = languageOf(word);
  let wanted = language !== undefined;
  if (language !== undefined) {
    queue = queue.then(() => (wanted ? ask({ language, parts: parts.slice(0, MOST) }, (runs) => wanted && onPart(runs)) : undefined));
  }
  return () => {
    wanted = false;
  };
}

/** Has the worker colour one code, and takes it down if it does not get on: the code then stays as it is. */
function ask(order: Order, onPart: (runs: readonly Run[]) => void): Promise<void> {
  return new Promise((resolve) => {
    let left = order.parts.length;
    let patience: ReturnType<typeof setTimeout> | undefined;
    const done = () => {
      clearTimeout(patience);
      resolve();
    };
    const lose = () => {
      worker?.terminate();
      worker = null;
      done();
    };
    const wait = () => {
      clearTimeout(patience);
      patience = setTimeout(lose, PATIENCE);
    };
    try {
      worker ??= new Worker(new URL('./painter.ts', import.meta.url), { type: 'module' });
    } catch {
      return lose();
    }
    worker.onerror = lose;
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      left -= 1;
      if (data) onPart(data);
      if (data && left > 0) wait();
      else done();
    };
    worker.postMessage(order);
    wait();
  });
}
