import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type CalibrationChoices, type CalibrationOrder, type Suite, sentence } from '../backend/backend';
import type { Chat } from '../chat/chat.svelte';
import { withoutThinking } from '../inspector/effect';
import type { Models } from '../models/models.svelte';
import type { StoredPreferences } from '../preferences.svelte';
import type { Calibrations } from './calibrations.svelte';
import { withoutConfidence } from './pair';

/** The calibration that somebody is about to begin: at first of the pair that the chat uses. */
export class CalibrationForm {
  /** Whether the form is wanted although there are calibrations. */
  open = $state(false);
  choices = $state.raw<CalibrationChoices | null>(null);
  conversations = $state(false);
  file = $state<string | null>(null);
  /** The most of each suite, of the conversations, and of the file. */
  prompts = $state(0);
  /** The most of each answer. */
  tokens = $state(0);
  /** Why the suites are not there, or a file could not be chosen. */
  failure = $state<string | null>(null);
  starting = $state(false);
  /** Why the last start did not happen. */
  refusal = $state<string | null>(null);
  /** The suites that somebody took or left, by id. */
  readonly #picked = new SvelteMap<string, boolean>();

  /** The models that were picked, else the chat's, else the only ones that go. */
  readonly target = $derived.by(() => this.#models.find(this.#target) ?? this.#chat.target ?? only(this.#models.targets));
  readonly drafter = $derived.by(() => this.#models.find(this.#drafter) ?? this.#usual());
  /** Why the target cannot be calibrated while it thinks. */
  readonly thoughtless = $derived.by(() => (this.target ? withoutThinking(this.target) : null));
  readonly thinking = $derived.by(() => this.thoughtless === null && (this.#thinking ?? this.#preferences.controls.thinking));
  readonly order = $derived.by((): CalibrationOrder | null => this.#order());
  /** Why it cannot start. */
  readonly obstacle = $derived.by(() => this.#obstacle());
  readonly suites = $derived.by(() => this.choices?.suites ?? []);
  #target = $state<string | null>(null);
  #drafter = $state<string | null>(null);
  #thinking = $state<boolean | null>(null);
  readonly #backend: Backend;
  readonly #models: Models;
  readonly #chat: Chat;
  readonly #preferences: StoredPreferences;
  readonly #calibrations: Calibrations;

  constructor(backend: Backend, models: Models, chat: Chat, preferences: StoredPreferences, calibrations: Calibrations) {
    this.#backend = backend;
    this.#models = models;
    this.#chat = chat;
    this.#preferences = preferences;
    this.#calibrations = calibrations;
  }

  async load(): Promise<void> {
    try {
      const choices = await this.#backend.calibrationChoices();
      [this.prompts, this.tokens] = this.choices ? [this.prompts, this.tokens] : [choices.prompts, choices.tokens];
      this.choices = choices;
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  pick({ target, drafter, thinking }: { target?: string; drafter?: string; thinking?: boolean }): void {
    this.#target = target ?? this.#target;
    this.#drafter = drafter ?? this.#drafter;
    this.#thinking = thinking ?? this.#thinking;
  }

  /** Whether a suite is asked. The demo target knows only what the others are not asked. */
  asks({ id, chosen }: Suite): boolean {
    return this.#picked.get(id) ?? chosen !== (this.target?.source === 'demo');
  }

  take(suite: Suite, wanted: boolean): void {
    this.#picked.set(suite.id, wanted);
  }

  async choose(): Promise<void> {
    try {
      this.file = (await this.#backend.choosePrompts()) ?? this.file;
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** The id of the calibration that began, or null. */
  async start(): Promise<number | null> {
    const { order } = this;
    if (!order || this.obstacle !== null || this.starting) return null;
    this.starting = true;
    this.refusal = null;
    try {
      const id = await this.#backend.startCalibration(order);
      await this.#calibrations.load();
      this.open = false;
      return id;
    } catch (reason) {
      this.refusal = sentence(reason);
      return null;
    } finally {
      this.starting = false;
    }
  }

  #usual() {
    const { drafter } = this.#chat;
    return drafter && withoutConfidence(drafter) === null ? drafter : only(this.#models.drafters.filter((other) => withoutConfidence(other) === null));
  }

  #order(): CalibrationOrder | null {
    const { target, drafter, thinking, conversations, file, prompts, tokens } = this;
    const suites = this.suites.filter((suite) => this.asks(suite)).map(({ id }) => id);
    if (!target || !drafter || (suites.length === 0 && !conversations && file === null)) return null;
    return { target: target.id, drafter: drafter.id, thinking, suites, conversations, file, prompts, tokens };
  }

  #obstacle(): string | null {
    const { target, drafter } = this;
    const { targets, drafters } = this.#models;
    if (!target) return targets.length > 0 ? 'Pick a target.' : 'Add a target first: the model that answers.';
    if (target.broken !== null) return 'This target cannot be used at present. Pick another one.';
    if (!drafter) {
      const confident = drafters.some((other) => withoutConfidence(other) === null);
      return confident ? 'Pick a drafter.' : 'Add a drafter with a confidence first. DSpark has one, and you can train it here.';
    }
    if (drafter.broken !== null) return 'This drafter cannot be used at present. Pick another one.';
    return this.order ? null : 'Choose at least one suite, your conversations or a file.';
  }
}

function only<T>(all: readonly T[]): T | null {
  const [first, ...others] = all;
  return first && others.length === 0 ? first : null;
}
