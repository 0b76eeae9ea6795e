import { SvelteMap } from 'svelte/reactivity';
import { type Backend, type Calibrated, type Calibration, type CalibrationExport, type CalibrationReport, type CalibrationStanding, Refusal } from '../backend/backend';
import { ReportedJobs } from '../jobs/reported.svelte';

const keyOf = ({ target, drafter, precision, thinking }: Calibrated) => [target, drafter, precision, thinking].join('\n');

/** The calibrations of this machine, the latest first: one that runs, those in force, and those before. */
export class Calibrations extends ReportedJobs<Calibration, CalibrationReport, CalibrationExport> {
  /** How the pairs stand that somebody asked of, by `keyOf`. */
  readonly #standings = new SvelteMap<string, CalibrationStanding>();
  /** The last question of each; an older one may be answered later. */
  readonly #questions = new Map<string, Promise<CalibrationStanding>>();
  /** Another text whenever a pair may stand otherwise. */
  readonly #version = $derived(this.all.map(({ id, state, inForce, stale, writing }) => [id, state, inForce, stale, writing].join()).join(';'));

  /** How a pair stands; null until the backend, which knows what the files contain, has said so. */
  of(pair: Calibrated): CalibrationStanding | null {
    return this.#standings.get(keyOf(pair)) ?? null;
  }

  /** Asks how a pair stands, and in an effect again whenever that may have changed; null if that cannot be told. */
  async stand(pair: Calibrated): Promise<CalibrationStanding | null> {
    void this.#version;
    const key = keyOf(pair);
    const question = this.backend.calibrationStanding(pair);
    this.#questions.set(key, question);
    // A model that cannot be used says so where it is picked.
    const standing = await question.catch(() => null);
    if (this.#questions.get(key) !== question) return standing;
    if (standing) this.#standings.set(key, standing);
    else this.#standings.delete(key);
    return standing;
  }

  find(id: number): Calibration | undefined {
    return this.all.find((calibration) => calibration.id === id);
  }

  load = () => this.reload((backend) => backend.calibrations());
  pause = (id: number) => this.ask(id, (backend) => backend.pauseCalibration(id));
  resume = (id: number) => this.ask(id, (backend) => backend.resumeCalibration(id));
  apply = (id: number) => this.ask(id, (backend) => backend.applyCalibration(id));
  revert = (id: number) => this.ask(id, (backend) => backend.revertCalibration(id));
  remove = (id: number) => this.drop(id, (backend) => backend.removeCalibration(id));

  /** Writes it into the drafter's file. True if one is there already, which only `force` replaces. */
  async write(id: number, force: boolean): Promise<boolean> {
    let there = false;
    await this.ask(id, async (backend) => {
      try {
        await backend.writeCalibration(id, force);
        this.written.set(id, 'Written into dspark.json.');
      } catch (reason) {
        there = reason instanceof Refusal && reason.code === 'overwrite' && !force;
        if (!there) throw reason;
      }
    });
    return there;
  }

  /** Takes it out of the drafter's file again. */
  takeBack(id: number): Promise<boolean> {
    return this.ask(id, async (backend) => {
      await backend.takeBackCalibration(id);
      this.written.set(id, 'Taken out of dspark.json: what was there before is there again.');
    });
  }

  protected report(id: number): Promise<CalibrationReport> {
    return this.backend.calibrationReport(id);
  }

  protected exported(id: number, what: CalibrationExport): Promise<string | null> {
    return this.backend.exportCalibration(id, what);
  }

  protected follow(onList: (all: Calibration[]) => void): Promise<void> {
    return this.backend.watchCalibrations(onList);
  }

  protected override async ask(id: number, work: (backend: Backend) => Promise<Calibration | void>): Promise<boolean> {
    const happened = await super.ask(id, work);
    // What is in force of one changes what is in force of another.
    if (happened) await this.load();
    return happened;
  }
}
