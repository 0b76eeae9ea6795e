import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Model, type Suite, sentence } from '../backend/backend';
import type { Chat } from '../chat/chat.svelte';
import type { Models } from '../models/models.svelte';

/** What an order would take, or why it cannot be met. */
type Weighed<Estimate> = { order: string; estimate: Estimate | null; refusal: string | null };

/** Work that somebody is about to order: at first for the target of the chat. */
export abstract class OrderForm<Choices extends { suites: Suite[] }, Order, Estimate> {
  /** Whether the form is wanted although there is such work already. */
  open = $state(false);
  /** What there is to choose from, and what is chosen; null until it is known. */
  choices = $state<Choices | null>(null);
  /** The file of prompts that was chosen. */
  file = $state<string | null>(null);
  /** Why the choices are not known, or a file could not be chosen. */
  failure = $state<string | null>(null);
  starting = $state(false);
  /** Why the last start did not happen. */
  refusal = $state<string | null>(null);

  /** The target that was picked, else the chat's, else the only one. */
  readonly target = $derived.by(() => this.models.find(this.#target) ?? this.chat.target ?? only(this.models.targets));
  /** What would be ordered; null as long as something is missing. */
  abstract readonly order: Order | null;
  readonly estimate = $derived.by(() => this.#weighed?.estimate ?? null);
  /** Why it cannot start. */
  readonly obstacle = $derived.by(() => this.#obstacle());
  protected readonly backend: Backend;
  protected readonly models: Models;
  protected readonly chat: Chat;
  readonly #jobs: { load: () => Promise<void> };
  #target = $state<string | null>(null);
  /** The suites that somebody took or left, by id. */
  readonly #picked = new SvelteMap<string, boolean>();
  #weighed = $state.raw<Weighed<Estimate> | null>(null);

  constructor(backend: Backend, models: Models, chat: Chat, jobs: { load: () => Promise<void> }) {
    this.backend = backend;
    this.models = models;
    this.chat = chat;
    this.#jobs = jobs;
  }

  async load(): Promise<void> {
    if (this.choices) return;
    try {
      const choices = await this.offered();
      this.choices ??= choices;
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  pick({ target }: { target?: string }): void {
    this.#target = target ?? this.#target;
  }

  /** Whether a suite is asked. The demo target knows only what the others are not asked. */
  asks({ id, chosen }: Suite): boolean {
    return this.#picked.get(id) ?? chosen !== (this.target?.source === 'demo');
  }

  take(suite: Suite, wanted: boolean): void {
    this.#picked.set(suite.id, wanted);
  }

  /** Asks for a file of prompts. */
  async choose(): Promise<void> {
    try {
      this.file = (await this.backend.choosePrompts()) ?? this.file;
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** Asks what the order would take. */
  async weigh(order: Order): Promise<void> {
    const mine = JSON.stringify(order);
    const weighed = await this.estimated(order).then(
      (estimate) => ({ order: mine, estimate, refusal: null }),
      (reason) => ({ order: mine, estimate: null, refusal: sentence(reason) }),
    );
    // Somebody may want something else by now.
    if (mine === JSON.stringify(this.order)) this.#weighed = weighed;
  }

  /** The id of what began, or null. */
  async start(): Promise<number | null> {
    const { order } = this;
    if (!order || this.obstacle !== null || this.starting) return null;
    this.starting = true;
    this.refusal = null;
    try {
      const id = await this.begin(order);
      await this.#jobs.load();
      this.open = false;
      return id;
    } catch (reason) {
      this.refusal = sentence(reason);
      return null;
    } finally {
      this.starting = false;
    }
  }

  protected abstract offered(): Promise<Choices>;

  protected abstract estimated(order: Order): Promise<Estimate>;

  protected abstract begin(order: Order): Promise<number>;

  /** What is missing or wrong in the form, if something is. */
  protected abstract lack(): string | null;

  /** What is too much in an estimate, if something is. */
  protected excess(_: Estimate): string | null {
    return null;
  }

  /** The ids of the suites that are asked. */
  protected suites(): string[] {
    const all = this.choices?.suites ?? [];
    return all.filter((suite) => this.asks(suite)).map(({ id }) => id);
  }

  #obstacle(): string | null {
    const lack = this.lack();
    if (lack !== null) return lack;
    const weighed = this.#weighed?.order === JSON.stringify(this.order) ? this.#weighed : null;
    return weighed?.estimate ? this.excess(weighed.estimate) : (weighed?.refusal ?? null);
  }
}

/** The one that there is, if there are no others. */
export function only(models: readonly Model[]): Model | null {
  const [first, ...others] = models;
  return first && others.length === 0 ? first : null;
}
