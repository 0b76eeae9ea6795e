// The part of the scripted backend that is about calibrations.
import type { Backend, Calibrated, Calibration, CalibrationEstimate, CalibrationExport, CalibrationOrder, CalibrationReport, CalibrationStanding } from '../src/lib/backend/backend';
import { Refusal } from '../src/lib/backend/backend';
import { ScriptedTraining } from './training';

export function calibration(part: Partial<Calibration> & Pick<Calibration, 'id' | 'state'>): Calibration {
  const done = part.state === 'done';
  return {
    target: 't',
    drafter: 'd',
    precision: 'asStored',
    thinking: false,
    data: '64 prompts: Chat, Code, Maths, Structured text',
    phase: done ? 'measure' : 'collect',
    done: 0,
    of: 0,
    secondsLeft: null,
    failure: null,
    writing: 'possible',
    appliedAt: null,
    revertedAt: null,
    inForce: false,
    stale: null,
    recommendation: null,
    createdAt: new Date(2026, 4, 3, 9, 5).getTime(),
    ...part,
  };
}

const alike = (one: Calibrated, other: Calibrated) =>
  one.target === other.target && one.drafter === other.drafter && one.precision === other.precision && one.thinking === other.thinking;

export class ScriptedCalibration extends ScriptedTraining {
  calibrationOrders: CalibrationOrder[] = [];
  calibrationsWeighed: CalibrationOrder[] = [];
  /** How many prompts the conversations have, and a file. */
  otherPrompts = 12;
  /** Seconds that the target takes for a token; null before it wrote one. */
  plainStep: number | null = 0.02;
  calibrated: Calibration[] = [];
  /** What came of those that are done, by id. */
  came = new Map<number, CalibrationReport>();
  /** Whether the drafter's file has a calibration already. */
  inFile = false;
  wroteOver: boolean[] = [];
  savedAs: string | null = '/documents/calibration.csv';
  exported: CalibrationExport[] = [];
  #listeners: ((calibrations: Calibration[]) => void)[] = [];

  calibrationChoices = async () => this.answer('calibrationChoices', { suites: this.choices.suites, prompts: 8, tokens: 128 });

  /** As the backend reckons: every fourth prompt of a suite, from the second on, is answered in every way of drafting too. */
  async estimateCalibration(order: CalibrationOrder): Promise<CalibrationEstimate> {
    this.calibrationsWeighed.push(order);
    const suites = this.choices.suites.filter(({ id }) => order.suites.includes(id)).map(({ prompts }) => prompts);
    const others = [order.conversations, order.file !== null].filter(Boolean).map(() => this.otherPrompts);
    const asked = [...suites, ...others].map((prompts) => Math.min(prompts, order.prompts));
    const prompts = asked.reduce((sum, each) => sum + each, 0);
    const heldOut = asked.reduce((sum, each) => sum + Math.floor((each + 2) / 4), 0);
    if (heldOut === 0) throw new Error('A calibration needs two prompts of one kind at least, one to fit and one to judge by; choose more.');
    const { limit } = this.registered.find(({ id }) => id === order.drafter)!.drafts!;
    // Each γ, plain decoding, thresholds and auto.
    const written = order.tokens * (prompts + heldOut * (limit + 3));
    return this.answer('estimateCalibration', { prompts, heldOut, seconds: this.plainStep === null ? null : this.plainStep * written });
  }

  async startCalibration(order: CalibrationOrder): Promise<number> {
    this.answer('startCalibration', null);
    this.calibrationOrders.push(order);
    const id = 1 + Math.max(0, ...this.calibrated.map((each) => each.id));
    const { target, drafter, thinking } = order;
    this.calibrate([calibration({ id, state: 'waiting', target, drafter, thinking, createdAt: Date.now() }), ...this.calibrated]);
    return id;
  }

  calibrations = async () => this.answer('calibrations', this.calibrated);

  async watchCalibrations(onList: (calibrations: Calibration[]) => void): Promise<void> {
    onList(this.answer('watchCalibrations', this.calibrated));
    this.#listeners.push(onList);
  }

  /** Lets the calibrations stand like this from now on. */
  calibrate(calibrations: Calibration[]): void {
    this.calibrated = calibrations;
    for (const listener of this.#listeners) listener(structuredClone(calibrations));
  }

  async calibrationReport(id: number): Promise<CalibrationReport> {
    this.answer('calibrationReport', null);
    const report = this.came.get(id);
    if (!report) throw new Error('This calibration is not done.');
    return structuredClone(report);
  }

  pauseCalibration = async (id: number) => this.#change('pauseCalibration', id, { state: 'paused', secondsLeft: null });
  resumeCalibration = async (id: number) => this.#change('resumeCalibration', id, { state: 'waiting', failure: null });
  applyCalibration = async (id: number) => this.#change('applyCalibration', id, { appliedAt: Date.now(), revertedAt: null });
  revertCalibration = async (id: number) => this.#change('revertCalibration', id, { revertedAt: Date.now() });

  async removeCalibration(id: number): Promise<void> {
    this.answer('removeCalibration', null);
    this.calibrate(withForce(this.calibrated.filter((each) => each.id !== id)));
  }

  async calibrationStanding(pair: Calibrated): Promise<CalibrationStanding> {
    this.answer('calibrationStanding', null);
    const ours = this.calibrated.filter((each) => alike(each, pair) && each.state === 'done');
    const inForce = ours.find((each) => each.inForce);
    if (inForce) return { kind: 'inForce', id: inForce.id };
    if (this.inFile) return { kind: 'inFiles' };
    const holds = ours.find(({ stale }) => stale === null);
    if (holds) return { kind: 'notApplied', id: holds.id };
    const stale = ours.find(({ appliedAt }) => appliedAt !== null);
    return stale ? { kind: 'stale', id: stale.id, why: stale.stale! } : { kind: 'none' };
  }

  async takeBackCalibration(id: number): Promise<void> {
    await this.#change('takeBackCalibration', id, { writing: 'possible' });
    this.inFile = false;
  }

  async writeCalibration(id: number, force: boolean): Promise<void> {
    this.answer('writeCalibration', null);
    if (this.inFile && !force) throw new Refusal({ code: 'overwrite', message: 'There is a calibration in dspark.json already.' });
    await this.#change('writeCalibration', id, { writing: 'done' });
    this.inFile = true;
    this.wroteOver.push(force);
  }

  async exportCalibration(_: number, what: CalibrationExport): Promise<string | null> {
    this.exported.push(what);
    return this.answer('exportCalibration', this.savedAs);
  }

  async #change(command: keyof Backend, id: number, part: Partial<Calibration>): Promise<Calibration> {
    this.answer(command, null);
    this.calibrate(withForce(this.calibrated.map((each) => (each.id === id ? { ...each, ...part } : each))));
    return structuredClone(this.calibrated.find((each) => each.id === id)!);
  }
}

/** Of each pair the one that was applied last is in force. */
function withForce(all: Calibration[]): Calibration[] {
  const applied = all.filter(({ appliedAt, revertedAt, stale }) => appliedAt !== null && revertedAt === null && stale === null);
  const last = (each: Calibration) => applied.every((other) => !alike(other, each) || other.appliedAt! <= each.appliedAt!);
  return all.map((each) => ({ ...each, inForce: applied.includes(each) && last(each) }));
}
