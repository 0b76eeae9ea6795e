import type { Backend, TrainingChoices, TrainingData, TrainingEstimate, TrainingOrder } from '../backend/backend';
import type { Chat } from '../chat/chat.svelte';
import { bytes } from '../format';
import type { Models } from '../models/models.svelte';
import { OrderForm } from '../jobs/order.svelte';
import { suggested } from './names';
import type { Trainings } from './trainings.svelte';

/** The training that somebody is about to begin. */
export class TrainingForm extends OrderForm<TrainingChoices, TrainingOrder, TrainingEstimate> {
  from = $state<TrainingData['from']>('suites');

  readonly name = $derived.by(() => this.#typed ?? this.#suggested);
  readonly order = $derived.by((): TrainingOrder | null => this.#order());
  /** The name that somebody typed; null takes the suggested one. */
  #typed = $state<string | null>(null);
  readonly #taken = $derived.by(() => this.#names());
  readonly #suggested = $derived.by(() => this.#suggest());
  readonly #trainings: Trainings;

  constructor(backend: Backend, models: Models, chat: Chat, trainings: Trainings) {
    super(backend, models, chat, trainings);
    this.#trainings = trainings;
  }

  call(name: string): void {
    this.#typed = name;
  }

  protected offered(): Promise<TrainingChoices> {
    return this.backend.trainingChoices();
  }

  protected estimated(order: TrainingOrder): Promise<TrainingEstimate> {
    return this.backend.estimateTraining(order);
  }

  protected async begin(order: TrainingOrder): Promise<number> {
    const id = await this.backend.startTraining(order);
    this.#typed = null;
    return id;
  }

  protected lack(): string | null {
    const { target } = this;
    if (!target) return this.models.targets.length > 0 ? 'Pick a target to learn from.' : 'Add a target first: the model to learn from.';
    if (target.broken !== null) return 'This target cannot be used at present. Pick another one.';
    const name = this.name.trim();
    if (name === '') return 'Give the drafter a name.';
    if (!/^[a-z0-9][a-z0-9._-]{0,79}$/i.test(name)) return 'A name has up to 80 letters without accents, digits, dots and dashes.';
    if (this.#taken.has(name.toLowerCase())) return 'There is a model or a training of this name already. Choose another name.';
    if (this.order) return null;
    return this.from === 'file' ? 'Choose a file of prompts.' : 'Choose at least one suite.';
  }

  protected override excess({ prompts, bytes: disk, free, memory, room }: TrainingEstimate): string | null {
    if (prompts === 0) return 'It contains no prompts.';
    if (disk > free) return `It takes up to ${bytes(disk)} of the disk, and ${bytes(free)} are available. Make some room first.`;
    return memory > room ? `It takes up to ${bytes(memory)} of memory, and ${bytes(room)} are available.` : null;
  }

  #names(): Set<string> {
    // What is over gives its name back; the drafter that came of it has it.
    const open = this.#trainings.all.filter(({ state }) => state !== 'done' && state !== 'stopped');
    const { all, drafters } = this.models;
    const names = [...all.map(({ id }) => id), ...drafters.map(({ id }) => this.models.name(id)), ...open.map(({ name }) => name)];
    return new Set(names.map((name) => name.toLowerCase()));
  }

  #suggest(): string {
    const { target, choices } = this;
    return target && choices ? suggested(this.models.name(target.id), choices.kind, this.#taken) : '';
  }

  /** What it learns from; null as long as that is nothing. */
  #data(): TrainingData | null {
    if (this.from === 'conversations') return { from: 'conversations' };
    if (this.from === 'file') return this.file === null ? null : { from: 'file', path: this.file };
    const suites = this.suites();
    return suites.length > 0 ? { from: 'suites', suites } : null;
  }

  #order(): TrainingOrder | null {
    const { target, choices } = this;
    const name = this.name.trim();
    const data = this.#data();
    if (!target || !choices || name === '' || !data) return null;
    const { kind, size, gamma, timed, steps, minutes } = choices;
    return { target: target.id, name, kind, size, gamma, data, length: timed ? { minutes } : { steps } };
  }
}
