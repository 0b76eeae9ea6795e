// The memory-bandwidth ceiling of plain decoding: it reads the whole target for each token, and memory is read only so fast.
import { SvelteMap } from 'svelte/reactivity';
import type { Backend, BandwidthCeiling, Outcome, Precision } from '../backend/backend';

/** How fast targets could decode plainly at most on this machine, as far as the window has asked. */
export class BandwidthCeilings {
  /** For each target and precision, behind as many tokens as were asked about last. */
  readonly #known = new SvelteMap<string, { context: number; ceiling: BandwidthCeiling }>();
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Asks for that of an answer, behind as many tokens as it had behind it halfway. */
  async ask({ target, controls: { precision }, stats }: Outcome): Promise<void> {
    const context = stats.promptTokens + Math.round(stats.tokens / 2);
    const key = named(target, precision);
    if (this.#known.get(key)?.context === context) return;
    // Without it there is one line less to look at.
    const ceiling = await this.#backend.bandwidthCeiling(target, precision, context).catch(() => null);
    if (ceiling) this.#known.set(key, { context, ceiling });
  }

  /** Null where it is not known. */
  of(target: string | null, precision: Precision): BandwidthCeiling | null {
    return target === null ? null : (this.#known.get(named(target, precision))?.ceiling ?? null);
  }
}

const named = (target: string, precision: Precision) => `${precision} ${target}`;
