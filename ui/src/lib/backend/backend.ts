// The door to the Rust side. Everything else in the window talks to this interface and never to Tauri.
import type {
  Calibration,
  CalibrationChoices,
  CalibrationEstimate,
  CalibrationOrder,
  CalibrationReport,
  CalibrationStanding,
  CataloguePair,
  Check,
  Checked,
  Checking,
  Conversation,
  ConversationExport,
  Details,
  Discovered,
  Download,
  Failure,
  Fit,
  Found,
  Got,
  HubStatus,
  InPlace,
  BandwidthCeiling,
  Message,
  MissingFiles,
  Model,
  Offer,
  Precision,
  Preferences,
  Preset,
  Shelf,
  Training,
  TrainingChoices,
  TrainingEstimate,
  TrainingOrder,
  Trashed,
  UnsentMessage,
  Wanted,
  Work,
} from '../bindings';
import type { Asking } from './asking';
import type { Comparing } from './comparing';
import type { Shell } from './shell';

export type { Along, How, Pair } from './asking';
export type {
  Attachment,
  Bound,
  Calibration,
  CalibrationAdvice,
  CalibrationChoices,
  CalibrationEstimate,
  CalibrationCost,
  CalibrationMode,
  CalibrationOrder,
  CalibrationPhase,
  CalibrationPosition,
  CalibrationReport,
  CalibrationStanding,
  CataloguePair,
  Check,
  Checked,
  Checking,
  Controls,
  Conversation,
  ConversationExport,
  Course,
  Details,
  Discovered,
  Download,
  DownloadPhase,
  Failure,
  FilesProof,
  Finish,
  Fit,
  Found,
  Frame,
  Gated,
  Got,
  Hit,
  HubStatus,
  InPlace,
  Interval,
  Judgement,
  MeasuredMode,
  BandwidthCeiling,
  Message,
  MissingFiles,
  Model,
  Offer,
  Outcome,
  Passage,
  Phase,
  Piece,
  Precision,
  Preferences,
  Preset,
  Proof,
  Provenance,
  Reliability,
  ReliabilityBin,
  Round,
  Said,
  Schedule,
  Shelf,
  Source,
  Speculation,
  Standing,
  Stats,
  TokenSource,
  Trace,
  Suite,
  Training,
  TrainingChoices,
  TrainingData,
  TrainingEstimate,
  TrainingKind,
  TrainingOrder,
  TrainingSize,
  TrainingState,
  Trashed,
  UnsentMessage,
  Wanted,
  Work,
} from '../bindings';

export interface Backend extends Asking, Comparing, Shell {
  /** Some of the models, by id: the first, or those behind `after`. The drafter that is none comes last. */
  models(after: string | null): Promise<Shelf>;
  /** What a model's files say of it, and what it needs of memory. */
  modelDetails(id: string): Promise<Details>;
  /** Whether each drafter suits a target, as their files say. */
  drafterFits(target: string): Promise<Fit[]>;
  /** How fast a target could decode plainly at most behind so many tokens; null where this machine cannot be measured now. */
  bandwidthCeiling(target: string, precision: Precision, context: number): Promise<BandwidthCeiling | null>;
  addModel(folder: string): Promise<Model>;
  /** Adds the models that come with the app, and returns all of them: the target, and then its drafters. */
  addDemo(): Promise<Model[]>;
  /** Puts a model into the trash. */
  removeModel(id: string): Promise<void>;
  /** The drafters that nothing uses since a target was removed. */
  orphans(id: string): Promise<Model[]>;
  /** Opens the system's folder dialog; null when it was dismissed. */
  chooseFolder(): Promise<string | null>;
  /** The files of these models that are not there. */
  missingFiles(ids: string[]): Promise<MissingFiles[]>;
  /** Reads a model's files again, or follows the check that does so already; null if it is stopped. */
  checkFiles(id: string, work: Work, onChecking: (checking: Checking) => void): Promise<Checked | null>;
  /** The checks that run. */
  runningChecks(): Promise<Check[]>;
  stopChecking(id: string): Promise<void>;
  trash(): Promise<Trashed[]>;
  restoreModel(id: string): Promise<Model>;
  /** Removes for good what is in the trash; the bytes that this freed. */
  emptyTrash(): Promise<number>;
  /** Checkpoints in the folders of other programs. */
  found(): Promise<InPlace[]>;
  /** Follows all downloads for as long as the page is there, from how they stand now. */
  watchDownloads(onList: (downloads: Download[]) => void): Promise<void>;
  pauseDownload(id: number): Promise<Download>;
  resumeDownload(id: number): Promise<Download>;
  cancelDownload(id: number): Promise<Download>;
  forgetDownload(id: number): Promise<void>;
  /** Pairs that are known to exist, without asking the Hub. */
  catalogue(): Promise<CataloguePair[]>;
  discover(text: string, wanted: Wanted, cursor: string | null): Promise<Discovered>;
  /** What the Hub has of a repo at a branch, a tag or a commit. */
  offer(repo: string, revision: string): Promise<Offer>;
  /** Gets what was offered. */
  get(repo: string, commit: string, copy: boolean): Promise<Got>;
  /** Shows a repo's page in the browser: of the one that was looked at last, or of a download's. */
  openPage(repo: string): Promise<void>;
  /** Opens an address that stands in an answer, of http, https or mailto, with the program that the system has for it. */
  openLink(address: string): Promise<void>;
  hubStatus(): Promise<HubStatus>;
  /** The token goes this way only. */
  logIn(token: string): Promise<HubStatus>;
  logOut(): Promise<HubStatus>;
  setOffline(offline: boolean): Promise<HubStatus>;
  /** Those that are pinned, then the others, the latest first. */
  conversations(): Promise<Conversation[]>;
  renameConversation(id: number, title: string): Promise<void>;
  pinConversation(id: number, pinned: boolean): Promise<void>;
  /** Gives a conversation these tags and no others; the tags as they are kept. */
  tagConversation(id: number, tags: string[]): Promise<string[]>;
  /** Takes a conversation off the list; it can come back for 30 days. */
  removeConversation(id: number): Promise<void>;
  /** Those that can come back, the last that left first. */
  removedConversations(): Promise<Conversation[]>;
  restoreConversation(id: number): Promise<Conversation>;
  /** Deletes one that left the list for good. */
  forgetConversation(id: number): Promise<void>;
  /** The branch that is shown, in order. */
  messages(conversation: number): Promise<Message[]>;
  /** Shows the branch through a message to the newest one behind it: that branch. */
  showBranch(message: number): Promise<Message[]>;
  /** Where a title or a message has all these words, the last of which may be a beginning. */
  search(text: string): Promise<Found[]>;
  /** What the models of a conversation are told before anything is said; nothing if it is empty. */
  setSystem(id: number, system: string): Promise<void>;
  /** What is typed and not sent yet, of every conversation in which there is something. */
  unsentMessages(): Promise<UnsentMessage[]>;
  /** Keeps what is typed in a conversation, in place of what was there before. */
  keepUnsentMessage(message: UnsentMessage): Promise<void>;
  /** Opens the system's dialog for a file to save; the file, or null when it was dismissed. */
  exportConversation(id: number, what: ConversationExport): Promise<string | null>;
  /** What there is to choose from for a training, and what is chosen until somebody does. */
  trainingChoices(): Promise<TrainingChoices>;
  /** Opens the system's dialog for a file of prompts; null when it was dismissed. */
  choosePrompts(): Promise<string | null>;
  estimateTraining(order: TrainingOrder): Promise<TrainingEstimate>;
  /** The id of the training that begins, or waits for the one that runs. */
  startTraining(order: TrainingOrder): Promise<number>;
  /** All trainings, the latest first. */
  trainings(): Promise<Training[]>;
  /** Follows them for as long as the page is there, from how they stand now. */
  watchTrainings(onList: (trainings: Training[]) => void): Promise<void>;
  pauseTraining(id: number): Promise<Training>;
  resumeTraining(id: number): Promise<Training>;
  /** Lets one whose drafter never did better take so many steps from the answers that there are. */
  trainLonger(id: number, steps: number): Promise<Training>;
  /** Ends a training; the best drafter so far is kept if it does better than at the start. */
  stopTraining(id: number): Promise<Training>;
  /** Takes one that does not run off the list; the drafter that came of it stays. */
  removeTraining(id: number): Promise<void>;
  calibrationChoices(): Promise<CalibrationChoices>;
  /** What the order would take; it refuses what cannot be met. */
  estimateCalibration(order: CalibrationOrder): Promise<CalibrationEstimate>;
  /** The id of the calibration that begins, waits for the one that runs, or goes on because it is not over. */
  startCalibration(order: CalibrationOrder): Promise<number>;
  /** All calibrations, the latest first. */
  calibrations(): Promise<Calibration[]>;
  /** Follows them for as long as the page is there, from how they stand now. */
  watchCalibrations(onList: (calibrations: Calibration[]) => void): Promise<void>;
  /** What came of one that is done. */
  calibrationReport(id: number): Promise<CalibrationReport>;
  pauseCalibration(id: number): Promise<Calibration>;
  resumeCalibration(id: number): Promise<Calibration>;
  /** Forgets one that does not run, with its samples; one in force goes out of force. */
  removeCalibration(id: number): Promise<void>;
  /** Puts it in force for its pair. */
  applyCalibration(id: number): Promise<Calibration>;
  /** Takes it out of force; the one that was applied before it is in force again. */
  revertCalibration(id: number): Promise<Calibration>;
  /** Writes it into its drafter's `dspark.json`; over one that is there only with `force`. */
  writeCalibration(id: number, force: boolean): Promise<void>;
  /** Takes it out of that again: what was there before is there again. */
  takeBackCalibration(id: number): Promise<void>;
  /** How calibration stands for a pair, by what the files of the two contain. */
  calibrationStanding(pair: Calibrated): Promise<CalibrationStanding>;
  /** Opens the system's dialog for a file to save; the file, or null when it was dismissed. */
  exportCalibration(id: number, what: CalibrationExport): Promise<string | null>;
  preferences(): Promise<Preferences>;
  savePreferences(preferences: Preferences): Promise<void>;
  /** System prompts with the settings that go with them. */
  presets(): Promise<Preset[]>;
  /** Saves one in place of the one with the same name; all of them. */
  savePreset(preset: Preset): Promise<Preset[]>;
  /** The others. */
  removePreset(name: string): Promise<Preset[]>;
}

/** What a calibration is of, besides this machine. */
export type Calibrated = Pick<Calibration, 'target' | 'drafter' | 'precision' | 'thinking'>;

/** Samples are saved as CSV, a report as JSON. */
export type CalibrationExport = 'samples' | 'report';

/** The Rust side said no; `message` is one sentence to show as it is. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** What the user can do about it: `pickTarget`, `pickDrafter`, `insist`, `acceptLicence`, `enterToken`, `freeSpace`, `goOnline`, `overwrite`. */
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
