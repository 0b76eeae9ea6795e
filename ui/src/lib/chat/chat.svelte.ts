import type { Backend, Controls, Frame, Message, Pair, Preferences, Said, UnsentMessage } from '../backend/backend';
import { Refusal, sentence } from '../backend/backend';
import { Baseline, type Plain, plainOf } from '../chart/baseline';
import { sendable } from '../inspector/effect';
import type { Models } from '../models/models.svelte';
import type { StoredPreferences } from '../preferences.svelte';
import { drawing } from '../provenance/drawing';
import { Provenance } from '../provenance/provenance.svelte';
import type { Answer } from './answer.svelte';
import { type Charted, charted, nothingCharted } from './charted';
import { Conversations } from './conversations.svelte';
import { Instructions } from './instructions.svelte';
import { lacking } from './lacking';
import { Presets } from './presets.svelte';
import { type Sought, Thread, unfinishedOf } from './thread.svelte';
import { Unsent } from './unsent.svelte';
import { Verifications } from './verifications.svelte';

/** One conversation on screen, the message being written, and the answer that runs. */
export class Chat {
  readonly conversations: Conversations;
  readonly thread: Thread;
  readonly unsent: Unsent;
  readonly instructions: Instructions;
  readonly presets: Presets;
  readonly verifications: Verifications;
  readonly provenance: Provenance;
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
  /** Why the drafter does not suit the target, in a sentence. */
  readonly misfit = $derived.by(() => this.#models.misfit(this.target, this.drafter));
  /** Why nothing can be asked, in a sentence. */
  readonly blocked = $derived.by(() => {
    if (this.running && !this.runningHere) return 'An answer is running in another conversation.';
    return lacking(this.#models, this.target, this.drafter);
  });
  /** Whether an answer could begin: none does, and what it belongs to is there. */
  readonly idle = $derived.by(() => !this.running && !this.sending && !this.thread.loading);
  /** Whether the models that are picked could begin one. */
  readonly ready = $derived.by(() => this.idle && this.blocked === null);
  /** The newest answer, if there is more to it. */
  readonly unfinished = $derived.by(() => unfinishedOf(this.thread.messages));
  readonly shown = $derived.by(() => this.#shown());
  readonly charted = $derived.by(() => this.#charted());
  /** Where drafting stands in the answer that is shown, while it runs. */
  readonly drafting = $derived.by(() => (this.shown && this.live(this.shown.id)?.drafting) ?? null);
  /** Plain decoding beside the answer that is shown. */
  readonly plain = $derived.by(() => this.shown && this.plainOf(this.shown));

  readonly #answers = $derived.by(() => this.thread.messages.filter((message) => message.author === 'assistant'));
  readonly #backend: Backend;
  readonly #models: Models;
  readonly #preferences: StoredPreferences;
  readonly #baseline = new Baseline();
  // Which answers were to be another one again, and which.
  readonly #repeated = new Map<number, number>();

  constructor(backend: Backend, models: Models, preferences: StoredPreferences) {
    this.#backend = backend;
    this.#models = models;
    this.#preferences = preferences;
    this.conversations = new Conversations(backend);
    this.thread = new Thread(backend);
    this.unsent = new Unsent(backend, this.thread);
    this.instructions = new Instructions(backend, this.conversations, this.thread, this.unsent);
    this.presets = new Presets(backend);
    this.verifications = new Verifications(backend);
    this.provenance = new Provenance(backend, preferences);
  }

  /** Lets the user choose files that go with what is typed. */
  async attach(): Promise<void> {
    await this.#attempt(() => this.unsent.attach());
  }

  /**
   * Shows a conversation, with the pair that last answered in it, from its end or from a message on whatever branch; null
   * is a new chat.
   */
  async select(id: number | null, message: number | null = null): Promise<void> {
    const conversation = this.conversations.find(id);
    const target = this.#models.find(conversation?.target ?? null);
    const pair = target ? { target: target.id, drafter: conversation?.drafter ?? null } : {};
    this.#preferences.change({ ...pair, conversation: id });
    await this.#show(id, message);
  }

  /** Shows the branch through a message. */
  async turn(to: Sought): Promise<void> {
    this.inspected = null;
    await this.#attempt(() => this.thread.turn(to));
  }

  /** After the window loaded: the last conversation, what was typed, and the answer that may still be running. */
  async resume(): Promise<void> {
    await this.unsent.load();
    // First the answer, then the messages: whatever ends in between is in one of the two.
    const refusal = await this.#watch().then(() => null, sentence);
    await this.#show(this.conversations.find(this.#preferences.now.conversation)?.id ?? null);
    this.refusal = refusal;
  }

  async send(): Promise<void> {
    await this.#say(this.unsent.now);
  }

  /** Sends this instead of what is typed, which stays. */
  async ask(text: string): Promise<void> {
    await this.#say({ text, attachments: [] });
  }

  /** Asks something else in the place of a question, which stays on its own branch; whether it is asked. */
  async edit(question: number, text: string): Promise<boolean> {
    if (text.trim() === '') return false;
    return this.#begin((pair, controls) => this.#backend.editMessage(question, text.trim(), pair, controls, this.provenance.how()));
  }

  /** Lets the models that are picked write another answer beside one. */
  async again({ id, siblings }: Message): Promise<void> {
    await this.#begin((pair, controls) => {
      // From the same seed the same models would draw the same text.
      const seed = (controls.seed + siblings.length) % 2 ** 32;
      return this.#backend.answerAgain(id, pair, { ...controls, seed }, this.provenance.how());
    });
  }

  /** Lets an answer be written as its record says, beside itself. */
  async repeat(answer: number, insist = false): Promise<void> {
    if (!this.idle) return;
    await this.#start(async () => {
      const said = await this.#backend.rerun(answer, this.provenance.how(insist));
      this.#repeated.set(said.answer.id, answer);
      return said;
    });
  }

  /** Lets the newest answer go on where it ended. */
  async goOn(insist = false): Promise<void> {
    const ask = (id: number) => this.#backend.goOn(id, this.#preferences.controls.maxTokens, this.provenance.how(insist));
    if (this.unfinished !== null && this.idle) await this.#start(ask.bind(null, this.unfinished));
  }

  /** Begins once more what an answer refused for lack of memory: this time its models are loaded all the same. */
  async insist(answer: number): Promise<void> {
    if (this.unfinished === answer) return this.goOn(true);
    const repeated = this.#repeated.get(answer);
    if (repeated !== undefined) return this.repeat(repeated, true);
    await this.#begin((pair, controls) => this.#backend.answerAgain(answer, pair, controls, this.provenance.how(true)));
  }

  /** Picks a model; what was refused before may go now. */
  pick(model: Partial<Pick<Preferences, 'target' | 'drafter'>>): void {
    this.refusal = null;
    this.#preferences.change(model);
  }

  async stop(): Promise<void> {
    await this.#attempt(() => this.#backend.stop());
  }

  /** Shows answers as their tokens, or as what they say. What an answer that runs has written so far comes once more. */
  async toggleProvenance(): Promise<void> {
    if (this.provenance.toggle(this.answer)) await this.#attempt(async () => void (await this.#watch()));
  }

  /** Takes a conversation off the list. Rejects with the sentence to show. */
  async remove(id: number): Promise<void> {
    await this.conversations.remove(id);
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

  /** Plain decoding by what decoded an answer, as well as it is known. */
  plainOf(message: Message): Plain | null {
    // A running answer is the conversation's newest.
    const target = message.outcome?.target ?? this.conversations.find(this.selected)?.target;
    if (!target) return null;
    const { precision } = message.outcome?.controls ?? this.#preferences.controls;
    const decoder = { target, precision };
    return plainOf(message, decoder, this.#baseline.speed(decoder), this.#answers);
  }

  async #say(message: Pick<UnsentMessage, 'text' | 'attachments'>): Promise<void> {
    const { selected } = this;
    const text = message.text.trim();
    if (text === '') return;
    await this.#begin(async (pair, controls) => {
      const along = { attachments: message.attachments, system: selected === null ? this.instructions.text : '' };
      const said = await this.#backend.say(selected, text, pair, controls, this.provenance.how(), along);
      this.unsent.sent(selected, message);
      return said;
    });
  }

  /** Lets the models that are picked begin an answer; whether it began. */
  async #begin(ask: (pair: Pair, controls: Controls) => Promise<Said>): Promise<boolean> {
    const { target, drafter, ready } = this;
    if (!target || !ready) return false;
    return this.#start(() => ask({ target: target.id, drafter: drafter?.id ?? null }, sendable(this.#preferences.controls, drafter)));
  }

  async #start(ask: () => Promise<Said>): Promise<boolean> {
    const { selected } = this;
    let begun = false;
    this.sending = true;
    this.refusal = null;
    try {
      await this.instructions.saved();
      this.#said(selected, await ask());
      begun = true;
      if (!(await this.#watch())) await this.#settle();
    } catch (reason) {
      this.refusal = sentence(reason);
      // A model is not what the list says it is.
      if (reason instanceof Refusal && reason.code !== null) await this.#models.load();
    } finally {
      this.sending = false;
    }
    await this.conversations.load();
    return begun;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.refusal = null;
    try {
      await work();
    } catch (reason) {
      this.refusal = sentence(reason);
    }
  }

  async #show(id: number | null, message: number | null = null): Promise<void> {
    this.inspected = null;
    this.refusal = null;
    await this.thread.open(id, message);
  }

  #said(where: number | null, said: Said): void {
    const { conversation, answer } = said;
    this.answer = this.provenance.following(conversation, answer.id);
    this.verifications.forget(answer.id);
    // Somebody may have gone elsewhere meanwhile.
    if (this.selected !== where) return;
    this.inspected = null;
    this.thread.append(said);
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
    if (this.answer?.message !== frame.message) this.answer = this.provenance.following(frame.conversation, frame.message);
    const { answer } = this;
    const before = answer.final;
    void drawing(() => answer.apply(frame)).then((seconds) => (answer.drawnSeconds += seconds));
    const { final } = answer;
    if (before || !final) return;
    if (final.outcome) this.#baseline.add(final.outcome);
    this.provenance.end(answer, final);
    this.thread.replace(final);
    void this.conversations.load();
  }

  #shown(): Message | null {
    return this.#answers.find((message) => message.id === this.inspected) ?? this.#answers.at(-1) ?? null;
  }

  #charted(): Charted {
    const { shown } = this;
    return shown ? charted(shown, this.live(shown.id), this.provenance.of(shown.id)) : nothingCharted;
  }
}
