import {
  type Backend,
  type TrainingChoices,
  type TrainingData,
  type TrainingEstimate,
  type TrainingOrder,
  sentence,
} from '../backend/backend';
import type { Chat } from '../chat/chat.svelte';
import { bytes } from '../format';
import type { Models } from '../models/models.svelte';
import { suggested } from './names';
import type { Trainings } from './trainings.svelte';

/** What an order would take, or why it cannot be met. */
type Weighed = { order: string; estimate: TrainingEstimate | null; refusal: string | null };

/** The training that somebody is about to begin. */
export class TrainingForm {
  /** Whether the form is wanted although there are trainings. */
  open = $state(false);
  /** What there is to choose from, and what is chosen; null until it is known. */
  choices = $state<TrainingChoices | null>(null);
  from = $state<TrainingData['from']>('suites');
  path = $state<string | null>(null);
  /** Why the choices are not known, or a file could not be chosen. */
  failure = $state<string | null>(null);
  starting = $state(false);
  /** Why the last start did not happen. */
  refusal = $state<string | null>(null);

  /** The target's id: the one that was picked, else the chat's, as long as it is in the list. */
  readonly target = $derived.by(() => (this.#models.find(this.#target) ?? this.#chat.target ?? this.#only())?.id ?? null);
  readonly name = $derived.by(() => this.#typed ?? this.#suggested);
  readonly order = $derived.by((): TrainingOrder | null => this.#order());
  readonly estimate = $derived.by(() => this.#weighed?.estimate ?? null);
  /** Why it cannot start. */
  readonly obstacle = $derived.by(() => this.#obstacle());
  #target = $state<string | null>(null);
  /** The name that somebody typed; null takes the suggested one. */
  #typed = $state<string | null>(null);
  #weighed = $state.raw<Weighed | null>(null);
  readonly #taken = $derived.by(() => this.#names());
  readonly #suggested = $derived.by(() => this.#suggest());
  readonly #backend: Backend;
  readonly #models: Models;
  readonly #chat: Chat;
  readonly #trainings: Trainings;

  constructor(backend: Backend, models: Models, chat: Chat, trainings: Trainings) {
    this.#backend = backend;
    this.#models = models;
    this.#chat = chat;
    this.#trainings = trainings;
  }

  async load(): Promise<void> {
    try {
      this.choices ??= await this.#backend.trainingChoices();
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  pick(target: string): void {
    this.#target = target;
  }

  call(name: string): void {
    this.#typed = name;
  }

  async choose(): Promise<void> {
    try {
      this.path = (await this.#backend.choosePrompts()) ?? this.path;
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** Asks what the order would take. */
  async weigh(order: TrainingOrder): Promise<void> {
    const mine = JSON.stringify(order);
    const weighed = await this.#backend.estimateTraining(order).then(
      (estimate) => ({ order: mine, estimate, refusal: null }),
      (reason) => ({ order: mine, estimate: null, refusal: sentence(reason) }),
    );
    // Somebody may want something else by now.
    if (mine === JSON.stringify(this.order)) this.#weighed = weighed;
  }

  /** The id of the training that began, or null. */
  async start(): Promise<number | null> {
    const { order } = this;
    if (!order || this.obstacle !== null || this.starting) return null;
    this.starting = true;
    this.refusal = null;
    try {
      const id = await this.#backend.startTraining(order);
      await this.#trainings.load();
      this.#typed = null;
      this.open = false;
      return id;
    } catch (reason) {
      this.refusal = sentence(reason);
      return null;
    } finally {
      this.starting = false;
    }
  }

  #only() {
    const [target, ...others] = this.#models.targets;
    return target && others.length === 0 ? target : null;
  }

  #names(): Set<string> {
    // What is over gives its name back; the drafter that came of it has it.
    const open = this.#trainings.all.filter(({ state }) => state !== 'done' && state !== 'stopped');
    const { all, drafters } = this.#models;
    const names = [...all.map(({ id }) => id), ...drafters.map(({ id }) => this.#models.name(id)), ...open.map(({ name }) => name)];
    return new Set(names.map((name) => name.toLowerCase()));
  }

  #suggest(): string {
    const { target, choices } = this;
    return target === null || !choices ? '' : suggested(this.#models.name(target), choices.kind, this.#taken);
  }

  /** What it learns from; null as long as that is nothing. */
  #data({ suites: all }: TrainingChoices): TrainingData | null {
    if (this.from === 'conversations') return { from: 'conversations' };
    if (this.from === 'file') return this.path === null ? null : { from: 'file', path: this.path };
    const suites = all.filter(({ chosen }) => chosen).map(({ id }) => id);
    return suites.length > 0 ? { from: 'suites', suites } : null;
  }

  #order(): TrainingOrder | null {
    const { target, choices } = this;
    const name = this.name.trim();
    const data = choices && this.#data(choices);
    if (target === null || name === '' || !data) return null;
    const { kind, size, gamma, timed, steps, minutes } = choices;
    return { target, name, kind, size, gamma, data, length: timed ? { minutes } : { steps } };
  }

  #obstacle(): string | null {
    const target = this.#models.find(this.target);
    if (!target) return this.#models.targets.length > 0 ? 'Pick a target to learn from.' : 'Add a target first: the model to learn from.';
    if (target.broken !== null) return 'This target cannot be used at present. Pick another one.';
    const name = this.name.trim();
    if (name === '') return 'Give the drafter a name.';
    if (!/^[a-z0-9][a-z0-9._-]{0,79}$/i.test(name)) return 'A name has up to 80 letters without accents, digits, dots and dashes.';
    if (this.#taken.has(name.toLowerCase())) return 'There is a model or a training of this name already. Choose another name.';
    if (!this.order) return this.from === 'file' ? 'Choose a file of prompts.' : 'Choose at least one suite.';
    const weighed = this.#weighed?.order === JSON.stringify(this.order) ? this.#weighed : null;
    if (!weighed?.estimate) return weighed?.refusal ?? null;
    const { prompts, bytes: disk, free, memory, room } = weighed.estimate;
    if (prompts === 0) return 'It contains no prompts.';
    if (disk > free) return `It takes up to ${bytes(disk)} of the disk, and ${bytes(free)} are available. Make some room first.`;
    return memory > room ? `It takes up to ${bytes(memory)} of memory, and ${bytes(room)} are available.` : null;
  }
}
