import type { Backend, CalibrationChoices, CalibrationEstimate, CalibrationOrder, Model } from '../backend/backend';
import type { Chat } from '../chat/chat.svelte';
import { withoutThinking } from '../inspector/effect';
import type { Models } from '../models/models.svelte';
import type { StoredPreferences } from '../preferences.svelte';
import { only, OrderForm } from '../jobs/order.svelte';
import type { Calibrations } from './calibrations.svelte';
import { withoutConfidence } from './pair';

/** The calibration that somebody is about to begin: at first of the pair that the chat uses. */
export class CalibrationForm extends OrderForm<CalibrationChoices, CalibrationOrder, CalibrationEstimate> {
  /** Whether the questions of conversations are asked too. */
  conversations = $state(false);

  /** The drafter that was picked, else the chat's, else the only one that goes. */
  readonly drafter = $derived.by(() => this.models.find(this.#drafter) ?? this.#usual());
  /** Why the target cannot be calibrated while it thinks. */
  readonly thoughtless = $derived.by(() => (this.target ? withoutThinking(this.target) : null));
  readonly thinking = $derived.by(() => this.thoughtless === null && (this.#thinking ?? this.#preferences.controls.thinking));
  readonly order = $derived.by((): CalibrationOrder | null => this.#order());
  #drafter = $state<string | null>(null);
  #thinking = $state<boolean | null>(null);
  readonly #preferences: StoredPreferences;

  constructor(backend: Backend, models: Models, chat: Chat, preferences: StoredPreferences, calibrations: Calibrations) {
    super(backend, models, chat, calibrations);
    this.#preferences = preferences;
  }

  override pick({ target, drafter, thinking }: { target?: string; drafter?: string; thinking?: boolean }): void {
    if (target !== undefined) super.pick({ target });
    this.#drafter = drafter ?? this.#drafter;
    this.#thinking = thinking ?? this.#thinking;
  }

  protected offered(): Promise<CalibrationChoices> {
    return this.backend.calibrationChoices();
  }

  protected estimated(order: CalibrationOrder): Promise<CalibrationEstimate> {
    return this.backend.estimateCalibration(order);
  }

  protected begin(order: CalibrationOrder): Promise<number> {
    return this.backend.startCalibration(order);
  }

  protected lack(): string | null {
    const { target, drafter } = this;
    const { targets, drafters } = this.models;
    if (!target) return targets.length > 0 ? 'Pick a target.' : 'Add a target first: the model that answers.';
    if (target.broken !== null) return 'This target cannot be used at present. Pick another one.';
    if (!drafter) {
      const confident = drafters.some((other) => withoutConfidence(other) === null);
      return confident ? 'Pick a drafter.' : 'Add a drafter with a confidence first. DSpark has one, and you can train it here.';
    }
    if (drafter.broken !== null) return 'This drafter cannot be used at present. Pick another one.';
    return this.order ? null : 'Choose at least one suite, your conversations or a file.';
  }

  #usual(): Model | null {
    const { drafter } = this.chat;
    return drafter && withoutConfidence(drafter) === null ? drafter : only(this.models.drafters.filter((other) => withoutConfidence(other) === null));
  }

  #order(): CalibrationOrder | null {
    const { target, drafter, thinking, conversations, file, choices } = this;
    const suites = this.suites();
    if (!target || !drafter || !choices || (suites.length === 0 && !conversations && file === null)) return null;
    const { prompts, tokens } = choices;
    return { target: target.id, drafter: drafter.id, thinking, suites, conversations, file, prompts, tokens };
  }
}
