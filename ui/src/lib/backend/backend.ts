// The door to the Rust side. Everything else in the window talks to this interface and never to Tauri.
import type { Controls, Conversation, Details, Failure, Frame, Message, Model, Preferences, Proof, Said } from '../bindings';

export type {
  Controls,
  Conversation,
  Course,
  Details,
  Failure,
  Finish,
  Frame,
  Message,
  Model,
  Outcome,
  Phase,
  Preferences,
  Proof,
  Round,
  Said,
  Schedule,
  Speculation,
  Standing,
  Stats,
} from '../bindings';

export interface Backend {
  models(): Promise<Model[]>;
  /** What a model's files say of it, and what it needs of memory. */
  modelDetails(id: string): Promise<Details>;
  addModel(folder: string): Promise<Model>;
  removeModel(id: string): Promise<void>;
  /** Opens the system's folder dialog; null when it was dismissed. */
  chooseFolder(): Promise<string | null>;
  conversations(): Promise<Conversation[]>;
  renameConversation(id: number, title: string): Promise<void>;
  removeConversation(id: number): Promise<void>;
  messages(conversation: number): Promise<Message[]>;
  /**
   * Stores the question and an answer that starts to run; without a conversation, in a new one. Who insists wants the
   * models loaded although they need more memory than is to be had.
   */
  say(conversation: number | null, text: string, pair: Pair, controls: Controls, insist: boolean): Promise<Said>;
  /** Follows the running answer from its beginning; false when none runs. The end is the phase "ended", not this promise. */
  watch(onFrame: (frame: Frame) => void): Promise<boolean>;
  stop(): Promise<void>;
  /** Lets the target read an answer again, plainly. */
  verify(message: number, insist: boolean): Promise<Proof>;
  /** Makes a verification that runs reject. */
  stopVerifying(): Promise<void>;
  preferences(): Promise<Preferences>;
  savePreferences(preferences: Preferences): Promise<void>;
}

/** Store ids of the models that answer together; the drafter may be `lookup`, which is no model. */
export type Pair = { target: string; drafter: string | null };

/** The Rust side said no; `message` is one sentence to show as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** What the user can do about it: `pickTarget`, `pickDrafter`, `insist`. */
  readonly code: string | null;

  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
  }
}

/** The sentence to show for whatever a backend call rejected with. */
export function sentence(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
