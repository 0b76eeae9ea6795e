// The part of the door that is about answers: asking for them, following them, and what they came about by.
import type { Attachment, Controls, Frame, Proof, Said, Trace } from '../bindings';

/** Store ids of the models that answer together; the drafter may be `lookup`, which is no model. */
export type Pair = { target: string; drafter: string | null };

/** How an answer is asked for: with its models loaded even beyond the memory, and with rounds that tell how probable their tokens were. */
export type How = { insist: boolean; observe: boolean };

/** What goes along with a question: files, and what the models of a new conversation are told before. */
export type Along = { attachments?: Attachment[]; system?: string };

/** Answers. */
export interface Asking {
  /** Stores the question and an answer that starts to run; without a conversation, in a new one. */
  say(conversation: number | null, text: string, pair: Pair, controls: Controls, how: How, along?: Along): Promise<Said>;
  /** Opens the system's dialog for text files to go with a question; none when it was dismissed. */
  chooseAttachments(): Promise<Attachment[]>;
  /** Stores another question beside one, and an answer that starts to run: a branch of its own. */
  editMessage(message: number, text: string, pair: Pair, controls: Controls, how: How): Promise<Said>;
  /** Another answer to a question starts to run beside those that it has; the message is the question, or one of these. */
  answerAgain(message: number, pair: Pair, controls: Controls, how: How): Promise<Said>;
  /** An answer starts to run again beside itself, as its record says; the end's `outcome.rerun` says whether it is the same. */
  rerun(message: number, how: How): Promise<Said>;
  /** The newest answer goes on where it ended, in its own message, by so many tokens at most. */
  goOn(message: number, more: number, how: How): Promise<Said>;
  /** Follows the running answer from its beginning; false when none runs. The end is the phase "ended", not this promise. */
  watch(onFrame: (frame: Frame) => void): Promise<boolean>;
  stop(): Promise<void>;
  /** Lets the target read an answer again, plainly. */
  verify(message: number, insist: boolean): Promise<Proof>;
  /** Makes a verification that runs reject. */
  stopVerifying(): Promise<void>;
  /** What the rounds of an answer did, in order; null if none are kept. */
  rounds(message: number): Promise<Trace[] | null>;
}
