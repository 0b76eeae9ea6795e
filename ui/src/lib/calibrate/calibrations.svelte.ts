import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Calibration, type CalibrationExport, type CalibrationReport, Refusal, sentence } from '../backend/backend';
import { type Calibrated, type PairState, stateOf } from './pair';

const over = ({ state }: Calibration) => state === 'done' || state === 'failed';

/** The calibrations of this machine, the latest first: one that runs, those in force, and those before. */
export class Calibrations {
  all = $state.raw<Calibration[]>([]);
  /** Until they were heard of once. */
  loading = $state(true);
  failure = $state<string | null>(null);
  /** Those that came to their end last, all at once. */
  ended = $state.raw<Calibration[]>([]);
  /** The one whose report is open. */
  shown = $state<number | null>(null);
  /** Why the last thing that was asked of a calibration did not happen, by its id. */
  readonly refusals = new SvelteMap<number, string>();
  /** Where something of a calibration was written last, in a sentence, by its id. */
  readonly written = new SvelteMap<number, string>();
  /** What came of the calibrations that somebody has looked at, by id; or why that cannot be told. */
  readonly reports = new SvelteMap<number, CalibrationReport | string>();
  readonly running = $derived(this.all.find(({ state }) => state === 'running') ?? null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** How a pair stands. */
  of(pair: Calibrated): PairState {
    return stateOf(pair, this.all);
  }

  /** Opens the report of a calibration and closes the others, or closes it. */
  show(id: number, open: boolean): void {
    if (open) this.shown = id;
    else if (this.shown === id) this.shown = null;
  }

  async watch(): Promise<void> {
    try {
      await this.#backend.watchCalibrations((all) => {
        if (this.loading) this.#begin(all);
        else this.#take(all);
        this.loading = false;
      });
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }

  /** Looks at once, unless something is heard meanwhile. */
  async load(): Promise<void> {
    const before = this.all;
    // Who watches hears of them all the same.
    const now = await this.#backend.calibrations().catch(() => null);
    if (now && this.all === before) this.#take(now);
  }

  pause = (id: number) => this.#ask(id, (backend) => backend.pauseCalibration(id));
  resume = (id: number) => this.#ask(id, (backend) => backend.resumeCalibration(id));
  apply = (id: number) => this.#ask(id, (backend) => backend.applyCalibration(id));
  revert = (id: number) => this.#ask(id, (backend) => backend.revertCalibration(id));

  async remove(id: number): Promise<void> {
    await this.#ask(id, (backend) => backend.removeCalibration(id));
    if (this.refusals.has(id)) return;
    this.all = this.all.filter((calibration) => calibration.id !== id);
    this.reports.delete(id);
  }

  /** Asks what came of it, unless that is known. */
  async look(id: number): Promise<void> {
    if (typeof this.reports.get(id) === 'object') return;
    this.reports.delete(id);
    this.reports.set(id, await this.#backend.calibrationReport(id).catch(sentence));
  }

  /** Writes it into the drafter's file. True if one is there already, which only `force` replaces. */
  async write(id: number, force: boolean): Promise<boolean> {
    this.#clear(id);
    try {
      await this.#backend.writeCalibration(id, force);
      this.written.set(id, 'Written into dspark.json.');
    } catch (reason) {
      if (reason instanceof Refusal && reason.code === 'overwrite' && !force) return true;
      this.refusals.set(id, sentence(reason));
    }
    return false;
  }

  async save(id: number, what: CalibrationExport): Promise<void> {
    this.#clear(id);
    try {
      const file = await this.#backend.exportCalibration(id, what);
      if (file !== null) this.written.set(id, `Saved as ${file}.`);
    } catch (reason) {
      this.refusals.set(id, sentence(reason));
    }
  }

  async #ask(id: number, work: (backend: Backend) => Promise<Calibration | void>): Promise<void> {
    this.#clear(id);
    try {
      const now = await work(this.#backend);
      if (now) this.#take(this.all.map((calibration) => (calibration.id === id ? now : calibration)));
    } catch (reason) {
      this.refusals.set(id, sentence(reason));
      return;
    }
    // What is in force of one changes what is in force of another.
    await this.load();
  }

  #clear(id: number): void {
    this.refusals.delete(id);
    this.written.delete(id);
  }

  #begin(all: Calibration[]): void {
    this.all = all;
    this.shown = all.find(({ state }) => state === 'done')?.id ?? null;
  }

  #take(all: Calibration[]): void {
    const before = new Map(this.all.map((calibration) => [calibration.id, calibration]));
    this.all = all;
    const ended = all.filter((calibration) => over(calibration) && before.get(calibration.id)?.state !== calibration.state);
    if (ended.length === 0) return;
    this.ended = ended;
    this.shown = ended.find(({ state }) => state === 'done')?.id ?? this.shown;
  }
}
