import { SvelteMap } from 'svelte/reactivity';
import type { Backend, Frame, Message, Model, Outcome, Preferences, Said } from '../backend/backend';
import { Refusal, sentence } from '../backend/backend';
import { Baseline } from '../chart/baseline';
import { type Reading, nothingYet, readingOf } from '../chart/reading';
import { sendable } from '../inspector/effect';
import type { Models } from '../models/models.svelte';
import type { StoredPreferences } from '../preferences.svelte';
import { Answer } from './answer.svelte';
import { Conversations } from './conversations.svelte';
import { Thread } from './thread.svelte';
import { Verifications } from './verifications.svelte';

/** How many answers keep their single rounds for the chart. */
const mostWatched = 50;

/** One conversation on screen, the message being written, and the answer that runs. */
export class Chat {
  readonly conversations: Conversations;
  readonly thread: Thread;
  readonly verifications: Verifications;
  sending = $state(false);
  refusal = $state<string | null>(null);
  answer = $state.raw<Answer | null>(null);
  /** The older answer whose chart is wanted; null follows the newest. */
  inspected = $state<number | null>(null);

  readonly selected = $derived.by(() => this.thread.conversation);
  readonly running = $derived(this.answer !== null && this.answer.final === null);
  readonly runningHere = $derived.by(() => this.running && this.answer?.conversation === this.selected);
  readonly target = $derived.by(() => this.#models.find(this.#preferences.now.target));
  readonly drafter = $derived.by(() => this.#models.find(this.#preferences.now.drafter));
  readonly blocked = $derived.by(() => this.#blocked());
  readonly shown = $derived.by(() => this.#shown());
  readonly reading = $derived.by(() => this.#reading());
  /** Where drafting stands in the answer that is shown, while it runs. */
  readonly drafting = $derived.by(() => (this.shown && this.live(this.shown.id)?.drafting) ?? null);
  /** How sure the drafter was in the answer that is shown, as long as it is the newest that this window has watched. */
  readonly surviving = $derived.by(() => (this.shown && this.live(this.shown.id)?.surviving) ?? []);
  /** Plain speed of the target whose answer is shown. */
  readonly plain = $derived.by(() => this.#plain());

  readonly #answers = $derived.by(() => this.thread.messages.filter((message) => message.author === 'assistant'));
  readonly #backend: Backend;
  readonly #models: Models;
  readonly #preferences: StoredPreferences;
  readonly #baseline = new Baseline();
  // With the rounds of the last answers this window has watched; the store keeps only their totals.
  readonly #watched = new SvelteMap<number, Reading>();
  // What is typed and not sent; null is the new chat.
  readonly #drafts = new SvelteMap<number | null, string>();

  constructor(backend: Backend, models: Models, preferences: StoredPreferences) {
    this.#backend = backend;
    this.#models = models;
    this.#preferences = preferences;
    this.conversations = new Conversations(backend);
    this.thread = new Thread(backend);
    this.verifications = new Verifications(backend);
  }

  get draft(): string {
    return this.#drafts.get(this.selected) ?? '';
  }

  set draft(text: string) {
    this.#drafts.set(this.selected, text);
  }

  /** Shows a conversation, with the pair that last answered in it; null is a new chat. */
  async select(id: number | null): Promise<void> {
    const conversation = this.conversations.find(id);
    const target = this.#models.find(conversation?.target ?? null);
    const pair = target ? { target: target.id, drafter: conversation?.drafter ?? null } : {};
    this.#preferences.change({ ...pair, conversation: id });
    await this.#show(id);
  }

  /** After the window loaded: the last conversation, and the answer that may still be running. */
  async resume(): Promise<void> {
    // First the answer, then the messages: whatever ends in between is in one of the two.
    const refusal = await this.#watch().then(() => null, sentence);
    await this.#show(this.conversations.find(this.#preferences.now.conversation)?.id ?? null);
    this.refusal = refusal;
  }

  async send(): Promise<void> {
    await this.ask(this.draft);
  }

  /** Sends this instead of the draft, which stays. */
  async ask(text: string): Promise<void> {
    await this.#say(text.trim(), false);
  }

  /** Asks once more what an answer refused for lack of memory: this time its models are loaded all the same. */
  async insist(message: number): Promise<void> {
    const { messages } = this.thread;
    const asked = messages[messages.findIndex(({ id }) => id === message) - 1];
    if (asked) await this.#say(asked.text, true);
  }

  /** Picks a model; what was refused before may go now. */
  pick(model: Partial<Pick<Preferences, 'target' | 'drafter'>>): void {
    this.refusal = null;
    this.#preferences.change(model);
  }

  async stop(): Promise<void> {
    try {
      await this.#backend.stop();
    } catch (reason) {
      this.refusal = sentence(reason);
    }
  }

  async remove(id: number): Promise<void> {
    await this.conversations.remove(id);
    this.#drafts.delete(id);
    if (this.selected === id) await this.select(null);
  }

  /** Shows the chart of this answer; of the newest, also when newer ones follow. */
  inspect(message: number): void {
    this.inspected = message === this.#answers.at(-1)?.id ? null : message;
  }

  /** The answer being written for this message, if it is. */
  live(message: number): Answer | null {
    return this.answer?.message === message ? this.answer : null;
  }

  /** How fast this target decoded plainly in this session; null if it has not. */
  plainSpeed(target: string): number | null {
    return this.#baseline.speed(target);
  }

  async #say(text: string, insist: boolean): Promise<void> {
    const { target, drafter, selected } = this;
    if (text === '' || !target || this.blocked !== null || this.running || this.sending || this.thread.loading) return;
    this.sending = true;
    this.refusal = null;
    try {
      const pair = { target: target.id, drafter: drafter?.id ?? null };
      const controls = sendable(this.#preferences.controls, drafter);
      const said = await this.#backend.say(selected, text, pair, controls, insist);
      // Somebody may be writing something else by now.
      if (this.#drafts.get(selected)?.trim() === text) this.#drafts.delete(selected);
      this.#said(selected, said);
      if (!(await this.#watch())) await this.#settle();
    } catch (reason) {
      this.refusal = sentence(reason);
      // A model is not what the list says it is.
      if (reason instanceof Refusal && reason.code !== null) await this.#models.load();
    } finally {
      this.sending = false;
    }
    await this.conversations.load();
  }

  async #show(id: number | null): Promise<void> {
    this.inspected = null;
    this.refusal = null;
    await this.thread.open(id);
  }

  #said(where: number | null, { conversation, question, answer }: Said): void {
    this.answer = new Answer(conversation, answer.id);
    // Somebody may have gone elsewhere meanwhile.
    if (this.selected !== where) return;
    this.inspected = null;
    this.thread.append(conversation, question, answer);
    this.#preferences.change({ conversation });
  }

  #watch(): Promise<boolean> {
    return this.#backend.watch((frame) => this.#receive(frame));
  }

  // The answer ended before it could be watched: what the store holds is the truth.
  async #settle(): Promise<void> {
    if (this.answer?.final === null) this.answer = null;
    await this.thread.reload();
  }

  #receive(frame: Frame): void {
    if (this.answer && frame.message < this.answer.message) return;
    if (this.answer?.message !== frame.message) this.answer = new Answer(frame.conversation, frame.message);
    const { answer } = this;
    const before = answer.final;
    answer.apply(frame);
    const { final } = answer;
    if (before || !final) return;
    this.#keep(answer, final.outcome);
    this.thread.replace(final);
    void this.conversations.load();
  }

  #keep({ message, reading }: Answer, outcome: Outcome | null): void {
    this.#watched.set(message, outcome ? readingOf(outcome.stats, reading.perRound) : reading);
    const [oldest] = this.#watched.keys();
    if (oldest !== undefined && this.#watched.size > mostWatched) this.#watched.delete(oldest);
    if (outcome) this.#baseline.add(outcome);
  }

  #blocked(): string | null {
    const { failure, loading, targets } = this.#models;
    if (failure !== null) return failure;
    if (!this.target && loading) return 'Looking for models…';
    if (!this.target) return targets.length > 0 ? 'Pick a target to write to.' : 'Add a target first: the model that answers.';
    const isBroken = (model: Model | null) => model !== null && model.broken !== null;
    if (isBroken(this.target)) return 'This target cannot be used at present. Pick another one.';
    if (isBroken(this.drafter)) return 'This drafter cannot be used at present. Pick another one, or none.';
    return this.running && !this.runningHere ? 'An answer is running in another conversation.' : null;
  }

  #plain(): number | null {
    // A running answer is the conversation's newest.
    const target = this.shown?.outcome?.target ?? this.conversations.find(this.selected)?.target;
    return target ? this.plainSpeed(target) : null;
  }

  #shown(): Message | null {
    return this.#answers.find((message) => message.id === this.inspected) ?? this.#answers.at(-1) ?? null;
  }

  #reading(): Reading {
    const { shown } = this;
    if (!shown) return nothingYet;
    const live = this.live(shown.id);
    if (live && !live.final) return live.reading;
    const watched = this.#watched.get(shown.id);
    if (watched) return watched;
    return shown.outcome ? readingOf(shown.outcome.stats, null) : nothingYet;
  }
}
