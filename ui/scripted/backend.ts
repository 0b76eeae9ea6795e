// A backend that does what it is told: the tests and `npm run dev:mock` drive the window with it.
import type { Along, Attachment, Backend, Controls, Details, Fit, Frame, How, BandwidthCeiling, Model, Pair, Precision, Preferences, Proof, Said, Shelf } from '../src/lib/backend/backend';
import { beforeLoading } from '../src/lib/preferences.svelte';
import { conversation, message, model } from './samples';
import { ScriptedShell } from './shell';

export class ScriptedBackend extends ScriptedShell implements Backend {
  /** What adding a folder registers; a folder that is not here is refused with `refusal`. */
  folders = new Map<string, Model>();
  /** What the files of a model say, by its id. */
  looks = new Map<string, Details>();
  /** Why a drafter does not suit a target, by both ids: `target drafter`. */
  misfits = new Map<string, string>();
  /** How fast each target could decode plainly at most, by its id. */
  ceilings = new Map<string, BandwidthCeiling>();
  /** For what that was asked. */
  ceilingsAsked: { target: string; precision: Precision; context: number }[] = [];
  refusal = 'There is no config.json in this folder.';
  chosenFolder: string | null = null;
  kept: Preferences = structuredClone(beforeLoading);
  said: { conversation: number; text: string; pair: Pair; controls: Controls; insist: boolean; observe: boolean }[] = [];
  /** What went along with each question. */
  along: Along[] = [];
  stops = 0;
  verified: { message: number; insist: boolean }[] = [];
  /** Ends the verification that runs. */
  proven: (proof: Proof | Error) => void = () => {};
  running = false;
  /** How the running answer stands: what whoever begins to watch gets at once. */
  soFar: Frame | null = null;
  protected listeners: ((frame: Frame) => void)[] = [];
  /** What came while nobody could see the page. */
  readonly #unseen: Frame[] = [];
  #next = 1000;

  emit(frame: Frame): void {
    if (frame.phase.kind === 'ended') this.running = false;
    if (this.isSeen) this.#send(frame);
    else this.#unseen.push(frame);
  }

  override async seen(seen: boolean): Promise<void> {
    await super.seen(seen);
    if (seen) for (const frame of this.#unseen.splice(0)) this.#send(frame);
  }

  #send(frame: Frame): void {
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

  async drafterFits(target: string): Promise<Fit[]> {
    const fit = ({ id }: Model): Fit => ({ model: id, misfit: this.misfits.get(`${target} ${id}`) ?? null });
    return this.answer('drafterFits', this.registered.filter(({ role }) => role === 'drafter').map(fit));
  }

  async bandwidthCeiling(target: string, precision: Precision, context: number): Promise<BandwidthCeiling | null> {
    this.ceilingsAsked.push({ target, precision, context });
    return this.answer('bandwidthCeiling', this.ceilings.get(target) ?? null);
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

  chosenFiles: Attachment[] = [];
  chooseAttachments = async () => this.answer('chooseAttachments', this.chosenFiles);
  chooseFolder = async () => this.answer('chooseFolder', this.chosenFolder);

  async say(where: number | null, text: string, pair: Pair, controls: Controls, how: How, along: Along = {}): Promise<Said> {
    this.answer('say', null);
    const id = where ?? this.#next++;
    const title = text.split('\n')[0]!.slice(0, 60);
    if (where === null) this.talks.push(conversation({ id, title, system: along.system ?? '', ...pair, updatedAt: Date.now() }));
    this.said.push({ conversation: id, text, pair, controls, ...how });
    this.along.push(along);
    return this.#begin(id, (this.written.get(id) ?? []).length, text, pair, along.attachments);
  }

  async editMessage(id: number, text: string, pair: Pair, controls: Controls, how: How): Promise<Said> {
    this.answer('editMessage', null);
    const [talk, at] = this.#place(id);
    this.said.push({ conversation: talk, text, pair, controls, ...how });
    return this.#begin(talk, at, text, pair);
  }

  async answerAgain(id: number, pair: Pair, controls: Controls, how: How): Promise<Said> {
    this.answer('answerAgain', null);
    const [talk, at] = this.#place(id);
    const behind = this.written.get(talk)![at]!.author === 'user' ? at + 1 : at;
    const question = this.written.get(talk)![behind - 1]!;
    this.said.push({ conversation: talk, text: question.text, pair, controls, ...how });
    return this.#begin(talk, behind, null, pair);
  }

  async rerun(id: number, how: How): Promise<Said> {
    const { pair, controls } = this.recordOf(id);
    return this.answerAgain(id, pair, controls, how);
  }

  async goOn(id: number, more: number, how: How): Promise<Said> {
    this.answer('goOn', null);
    const [talk, at] = this.#place(id);
    const { pair, controls } = this.recordOf(id);
    const [question, before] = this.written.get(talk)!.slice(at - 1);
    this.said.push({ conversation: talk, text: question!.text, pair, controls: { ...controls, maxTokens: more }, ...how });
    const [, answer] = this.put(talk, at, [{ ...before!, state: 'running', note: null }]).slice(at - 1);
    this.running = true;
    return structuredClone({ conversation: talk, question: question!, answer: answer! });
  }

  /** How an answer was made. */
  protected recordOf(id: number): { pair: Pair; controls: Controls } {
    const [talk, at] = this.#place(id);
    const { outcome } = this.written.get(talk)![at]!;
    if (!outcome) throw new Error('This message has no record of how it was made, so it can be neither verified nor run again.');
    const { target, drafter, controls } = outcome;
    return { pair: { target, drafter }, controls };
  }

  /** In which conversation a message is shown, and where. */
  #place(id: number): [number, number] {
    for (const [talk, shown] of this.written) {
      const at = shown.findIndex((each) => each.id === id);
      if (at >= 0) return [talk, at];
    }
    throw new Error(`There is no message ${id}.`);
  }

  /** An answer begins to run in place of what is shown from there on, with a new question or to the one before it. */
  #begin(talk: number, at: number, text: string | null, { target, drafter }: Pair, attachments: Attachment[] = []): Said {
    const asked = text === null ? [] : [message({ id: this.#next++, author: 'user', text, attachments })];
    const answer = message({ id: this.#next++, author: 'assistant', text: '', state: 'running' });
    const branch = this.put(talk, at, [...asked, answer]);
    this.talks = this.talks.map((each) => (each.id === talk ? { ...each, target, drafter, updatedAt: Date.now() } : each));
    this.running = true;
    return structuredClone({ conversation: talk, question: branch.at(-2)!, answer: branch.at(-1)! });
  }

  async watch(onFrame: (frame: Frame) => void): Promise<boolean> {
    this.answer('watch', null);
    if (this.running) this.listeners.push(onFrame);
    if (this.running && this.soFar) onFrame(structuredClone(this.soFar));
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
