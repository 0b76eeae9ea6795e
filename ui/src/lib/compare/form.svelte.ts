import type { Backend, CalibrationMode, Model } from '../backend/backend';
import type { ComparisonChoices, ComparisonEstimate, ComparisonOrder, Contender } from '../backend/comparing';
import type { Chat } from '../chat/chat.svelte';
import { withoutThinking } from '../inspector/effect';
import { OrderForm } from '../jobs/order.svelte';
import type { Models } from '../models/models.svelte';
import type { Comparisons } from './comparisons.svelte';
import { sameContender } from './words';

/** As many drafters as are compared. */
export const [fewest, mostDrafters] = [2, 4];

/** A row of the form: a drafter that is chosen, or none yet, and how it is to draft. */
export type Row = { drafter: string | null; mode: CalibrationMode };

const auto: CalibrationMode = { mode: 'auto' };

/** The comparison that somebody is about to begin: at first of the chat's drafter with another one. */
export class ComparisonForm extends OrderForm<ComparisonChoices, ComparisonOrder, ComparisonEstimate> {
  /** Whether suites are asked rather than one prompt. */
  asksSuites = $state(false);
  prompt = $state('');
  temperature = $state(0);
  seed = $state(0);

  /** The rows that somebody has filled in, else the usual ones. */
  readonly rows: readonly Row[] = $derived.by(() => this.#rows ?? this.#usual());
  /** Why the target cannot think before it answers. */
  readonly thoughtless = $derived.by(() => (this.target ? withoutThinking(this.target) : null));
  readonly thinking = $derived.by(() => this.thoughtless === null && this.#thinking);
  readonly order = $derived.by((): ComparisonOrder | null => this.#order());
  #rows = $state.raw<readonly Row[] | null>(null);
  #thinking = $state(false);

  constructor(backend: Backend, models: Models, chat: Chat, comparisons: Comparisons) {
    super(backend, models, chat, comparisons);
  }

  think(thinking: boolean): void {
    this.#thinking = thinking;
  }

  /** Another drafter in a row drafts as long as is worth it: what the one before could do, it may not. */
  chooseDrafter(at: number, drafter: string): void {
    this.#put(at, { drafter, mode: auto });
  }

  chooseMode(at: number, mode: CalibrationMode): void {
    this.#put(at, { ...this.rows[at]!, mode });
  }

  add(): void {
    this.#rows = [...this.rows, { drafter: this.#unused(this.rows)?.id ?? null, mode: auto }];
  }

  remove(at: number): void {
    this.#rows = this.rows.filter((_, other) => other !== at);
  }

  protected offered(): Promise<ComparisonChoices> {
    return this.backend.comparisonChoices();
  }

  protected estimated(order: ComparisonOrder): Promise<ComparisonEstimate> {
    return this.backend.estimateComparison(order);
  }

  protected begin(order: ComparisonOrder): Promise<number> {
    return this.backend.startComparison(order);
  }

  protected lack(): string | null {
    const { target } = this;
    const { targets, drafters } = this.models;
    if (!target) return targets.length > 0 ? 'Pick a target.' : 'Add a target first: the model that answers.';
    if (target.broken !== null) return 'This target cannot be used at present. Pick another one.';
    if (drafters.length < fewest) return 'Add another drafter first: there is nothing to compare yet.';
    const contenders = this.#contenders();
    if (contenders.length < this.rows.length) return 'Pick a drafter in every row.';
    const twice = contenders.some((one, at) => contenders.slice(0, at).some((other) => sameContender(one, other)));
    if (twice) return 'Two rows are the same. Pick another drafter, or another way of drafting.';
    if (contenders.some(({ drafter }) => this.models.find(drafter)?.broken !== null)) {
      return 'One of these drafters cannot be used at present. Pick another one.';
    }
    if (this.order) return null;
    return this.asksSuites ? 'Choose at least one suite.' : 'Write a prompt, or choose suites.';
  }

  #put(at: number, row: Row): void {
    this.#rows = this.rows.map((other, index) => (index === at ? row : other));
  }

  /** The chat's drafter, and the next ones of the list. */
  #usual(): Row[] {
    const rows: Row[] = this.chat.drafter ? [{ drafter: this.chat.drafter.id, mode: auto }] : [];
    while (rows.length < fewest) rows.push({ drafter: this.#unused(rows)?.id ?? null, mode: auto });
    return rows;
  }

  /** A drafter that none of these rows has. */
  #unused(rows: readonly Row[]): Model | undefined {
    return this.models.drafters.find(({ id, broken }) => broken === null && rows.every(({ drafter }) => drafter !== id));
  }

  #contenders(): Contender[] {
    return this.rows.flatMap(({ drafter, mode }) => (drafter === null ? [] : [{ drafter, mode }]));
  }

  #order(): ComparisonOrder | null {
    const { target, thinking, temperature, seed, choices, asksSuites } = this;
    const contenders = this.#contenders();
    const suites = asksSuites ? this.suites() : [];
    const prompt = asksSuites ? null : this.prompt.trim();
    if (!target || !choices || contenders.length < fewest || (prompt === null ? suites.length === 0 : prompt === '')) return null;
    const { prompts, tokens } = choices;
    return { target: target.id, contenders, thinking, temperature, seed, prompt, suites, prompts, tokens };
  }
}
