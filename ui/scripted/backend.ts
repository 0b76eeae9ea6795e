// A backend that does what it is told: the tests and `npm run dev:mock` drive the window with it.
import type { Backend, Controls, Conversation, Details, Frame, Message, Model, Pair, Preferences, Proof, Said, Shelf } from '../src/lib/backend/backend';
import { beforeLoading } from '../src/lib/preferences.svelte';
import { ScriptedCalibration } from './calibration';
import { model } from './samples';

export class ScriptedBackend extends ScriptedCalibration implements Backend {
  /** What adding a folder registers; a folder that is not here is refused with `refusal`. */
  folders = new Map<string, Model>();
  /** What the files of a model say, by its id. */
  looks = new Map<string, Details>();
  refusal = 'There is no config.json in this folder.';
  chosenFolder: string | null = null;
  talks: Conversation[] = [];
  written = new Map<number, Message[]>();
  kept: Preferences = structuredClone(beforeLoading);
  said: { conversation: number; text: string; pair: Pair; controls: Controls; insist: boolean }[] = [];
  stops = 0;
  verified: { message: number; insist: boolean }[] = [];
  /** Ends the verification that runs. */
  proven: (proof: Proof | Error) => void = () => {};
  running = false;
  protected listeners: ((frame: Frame) => void)[] = [];
  #next = 1000;

  emit(frame: Frame): void {
    if (frame.phase.kind === 'ended') this.running = false;
    for (const listener of this.listeners) listener(structuredClone(frame));
  }

  async models(after: string | null): Promise<Shelf> {
    const begin = this.registered.findIndex(({ id }) => id === after) + 1;
    const models = this.registered.slice(begin, begin + this.perPage);
    const next = begin + models.length < this.registered.length ? models.at(-1)!.id : null;
    return this.answer('models', { models, damaged: next === null ? this.damaged : [], next });
  }

  async modelDetails(id: string): Promise<Details> {
    const details = this.looks.get(id);
    if (!details) throw new Error('Nobody has looked at this model.');
    return this.answer('modelDetails', details);
  }

  async addModel(folder: string): Promise<Model> {
    const model = this.folders.get(folder);
    if (!model) throw new Error(this.refusal);
    this.registered.push(model);
    return this.answer('addModel', model);
  }

  async addDemo(): Promise<Model[]> {
    const models = [
      model({ id: 'slipstream-demo', role: 'target', folder: '/data/demo/slipstream-demo', source: 'demo' }),
      model({ id: 'slipstream-demo-dflash2', role: 'drafter', folder: '/data/demo/slipstream-demo-dflash2', source: 'demo' }),
    ];
    const added = this.answer('addDemo', models);
    this.registered.push(...added);
    return added;
  }

  chooseFolder = async () => this.answer('chooseFolder', this.chosenFolder);
  conversations = async () => this.answer('conversations', this.talks);

  async renameConversation(id: number, title: string): Promise<void> {
    this.answer('renameConversation', null);
    this.talks = this.talks.map((talk) => (talk.id === id ? { ...talk, title } : talk));
  }

  async removeConversation(id: number): Promise<void> {
    this.answer('removeConversation', null);
    this.talks = this.talks.filter((talk) => talk.id !== id);
  }

  messages = async (conversation: number) => this.answer('messages', this.written.get(conversation) ?? []);

  async say(where: number | null, text: string, pair: Pair, controls: Controls, insist: boolean): Promise<Said> {
    this.answer('say', null);
    const conversation = where ?? this.#next++;
    const title = text.split('\n')[0]!.slice(0, 60);
    if (where === null) this.talks.push({ id: conversation, title, ...pair, updatedAt: Date.now() });
    const blank = { thought: '', note: null, code: null, outcome: null };
    const question: Message = { id: this.#next++, author: 'user', text, state: 'complete', ...blank };
    const answer: Message = { id: this.#next++, author: 'assistant', text: '', state: 'running', ...blank };
    this.said.push({ conversation, text, pair, controls, insist });
    this.written.set(conversation, [...(this.written.get(conversation) ?? []), question, answer]);
    this.talks = this.talks.map((talk) =>
      talk.id === conversation ? { ...talk, ...pair, updatedAt: Date.now() } : talk,
    );
    this.running = true;
    return structuredClone({ conversation, question, answer });
  }

  async watch(onFrame: (frame: Frame) => void): Promise<boolean> {
    this.answer('watch', null);
    if (this.running) this.listeners.push(onFrame);
    return this.running;
  }

  async stop(): Promise<void> {
    this.answer('stop', null);
    this.stops += 1;
  }

  async verify(message: number, insist: boolean): Promise<Proof> {
    this.verified.push({ message, insist });
    return new Promise((resolve, reject) => {
      this.proven = (proof) => (proof instanceof Error ? reject(proof) : resolve(proof));
    });
  }

  async stopVerifying(): Promise<void> {
    this.proven(new Error('The answer was not verified to its end: it was stopped.'));
  }

  preferences = async () => this.answer('preferences', this.kept);

  async savePreferences(preferences: Preferences): Promise<void> {
    this.answer('savePreferences', null);
    this.kept = structuredClone(preferences);
  }
}
